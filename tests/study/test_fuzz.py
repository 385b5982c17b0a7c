"""Requests made up from the OpenAPI description, valid and invalid: none ends in a 500, none breaks the log."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable

from rogue_bandits.study import access
from rogue_bandits.study.api.app import create_app
from rogue_bandits.study.client import StudyClient
from rogue_bandits.study.clock import utc_now
from rogue_bandits.study.metrics import Metrics
from rogue_bandits.study.replay import replay, verify
from rogue_bandits.study.service import opened
from rogue_bandits.study.storage.sqlite import SqliteStorage
from rogue_bandits.study.tokens import issue
from tests.matrix import FULL
from tests.study.cases import at, design
from tests.study.served import served

REQUESTS = 10_000 if FULL else 30
MOST_ROUNDS = 5
PATIENCE = 300.0  # seconds: a schedule over centuries, which this study allows, has millions of rests
STATUSES = {200, 201, 400, 401, 403, 404, 405, 409, 413, 422}


class Fuzzed(NamedTuple):
    """A study with somebody in it, and where it is served."""

    address: str
    token: str
    decision: str
    operations: list[Any]
    seen: Counter[int]


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fuzzed]:
    path: Path = tmp_path_factory.mktemp("fuzz") / "study.db"
    with (
        pytest.MonkeyPatch.context() as patch,
        opened(design(), SqliteStorage(path)) as service,
        served(service) as running,
    ):
        patch.setattr(access, "MOST_FAILURES", 10 * REQUESTS)  # made-up tokens would soon be refused by 429
        with service.storage.writing() as tx:
            token = issue(tx, "staff", "fuzz", utc_now(), 1)
        with StudyClient(running.address, token) as study:
            study.enrol("ann")
            made = [study.decide("ann", at(k), f"k{k}") for k in range(3)]
        import schemathesis  # a second in every process, of which one needs it

        schema = schemathesis.openapi.from_dict(create_app(service, Metrics()).openapi())
        found: list[Any] = list(schema.get_all_operations())
        yield Fuzzed(running.address, token, made[1].id, [one.ok() for one in found], Counter())
        with service.storage.reading() as reader:  # whatever was sent, the log is a log
            assert verify(reader).faults == []
            assert replay(reader).differences == []


@pytest.mark.parametrize("kind", ["POSITIVE", "NEGATIVE"], ids=["valid", "invalid"])
def test_no_request_ends_in_a_server_error(fuzzed: Fuzzed, kind: str) -> None:
    from schemathesis import GenerationMode

    mode = GenerationMode[kind]
    each, before = REQUESTS // (2 * len(fuzzed.operations)) + 1, sum(fuzzed.seen.values())
    for number in range(MOST_ROUNDS):  # some operations have few different requests
        for operation in fuzzed.operations:
            with suppress(Unsatisfiable):  # nothing can be invalid where nothing is asked for
                fuzz(fuzzed, operation.as_strategy(generation_mode=mode), each, number)
        if sum(fuzzed.seen.values()) - before >= REQUESTS // 2:
            break
    sys.stdout.write(f"{sum(fuzzed.seen.values()) - before:,} requests; in all, by status: {dict(fuzzed.seen)}\n")
    assert sum(fuzzed.seen.values()) - before >= REQUESTS // 2
    assert set(fuzzed.seen) <= STATUSES


def fuzz(fuzzed: Fuzzed, cases: Any, count: int, number: int) -> None:
    """Send so many requests; half of them name somebody who exists."""

    @seed(number)
    @settings(max_examples=count, deadline=None, database=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(case=cases, known=st.booleans())
    def send(case: Any, known: bool) -> None:
        for name, value in (("person", "ann"), ("decision", fuzzed.decision)):
            if known and isinstance(case.path_parameters, dict) and name in case.path_parameters:
                case.path_parameters[name] = value
        if case.path == "/v1/people/{person}/{change}" and known:
            return  # nobody is to be left to withdraw
        headers = {"Authorization": f"Bearer {fuzzed.token}"}
        answer = case.call(base_url=fuzzed.address, headers=headers, timeout=PATIENCE)
        fuzzed.seen[answer.status_code] += 1
        assert answer.status_code in STATUSES, (case.method, case.path, answer.status_code, answer.text[:300])
        if answer.status_code >= 400:
            assert answer.headers["content-type"] == ["application/problem+json"], answer.headers

    send()
