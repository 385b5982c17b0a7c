"""People who live in a study of the tests, and what must hold of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from rogue_bandits.study.loading import load_people
from rogue_bandits.study.operations import Enrolment, Observed
from rogue_bandits.study.person import person_to_bytes
from rogue_bandits.study.problems import RequestProblem
from rogue_bandits.study.replay import replay, verify
from rogue_bandits.study.service import Service
from rogue_bandits.study.storage.sql import Storage
from tests.study.cases import asked


def enrolled(service: Service, name: str = "ann") -> Any:
    return service.enrol(Enrolment(name)).result()


def lived(service: Service, name: str, first: int, last: int) -> list[Any]:
    """Decisions and rewards of some minutes; every third reward is missing, every fifth never comes."""
    made = []
    for k in range(first, last):
        made.append(service.decide(name, asked(k), f"k{k}").result())
        if k % 5:
            observed = Observed(None, "no answer") if k % 3 == 0 else Observed(float(k % 2))
            service.reward(made[-1]["id"], observed).result()
    return made


def refusal(call: Callable[[], Any]) -> RequestProblem:
    with pytest.raises(RequestProblem) as caught:
        call().result()
    return caught.value


def intact(service: Service) -> None:
    """Replay is identical, the chain holds, and people in memory are those of the log."""
    with service.storage.reading() as reader:
        assert replay(reader).differences == []
        assert verify(reader).faults == []
        for pid, person in service.writer.residents.people.items():
            loaded = load_people(reader, service.design, [pid])[pid]
            assert person_to_bytes(loaded) == person_to_bytes(person)


def intact_decisions(storage: Storage) -> int:
    """Return how many decisions a replay has made again, all the same."""
    with storage.reading() as reader:
        assert verify(reader).faults == []
        found = replay(reader)
        assert found.differences == []
        return found.decisions


def waited(happened: Callable[[], bool], patience: float = 60.0) -> None:
    """Wait until something has happened."""
    deadline = time.monotonic() + patience
    while not happened():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)
