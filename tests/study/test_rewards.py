"""Deliveries, rewards, corrections and nightly learning, on both storages."""

from __future__ import annotations

from typing import Any

import pytest

import rogue_bandits as rb
from rogue_bandits.study.operations import Observed
from rogue_bandits.study.problems import Kind
from rogue_bandits.study.service import Service, opened
from rogue_bandits.study.storage.sql import Storage
from tests.study.cases import SLEEP, WALK, Clock, asked, design
from tests.study.living import enrolled, intact, lived, refusal


def test_rewards_are_idempotent_and_corrections_are_events(service: Service) -> None:
    enrolled(service)
    made = lived(service, "ann", 0, 12)
    one = made[1]["id"]
    assert service.reward(one, Observed(1.0)).result()["corrected"] is False
    problem = refusal(lambda: service.reward(one, Observed(0.0)))
    assert (problem.kind, problem.more["recorded"]) == (Kind.CONFLICT, {"value": 1.0, "missing": None})
    assert service.reward(one, Observed(0.0, None, "typo"), "staff").result()["corrected"] is True
    assert service.reward(one, Observed(0.0)).result()["corrected"] is False
    lived(service, "ann", 12, 20)
    intact(service)


def test_what_is_repeated_late_changes_nothing(service: Service) -> None:
    enrolled(service)
    one = service.decide("ann", asked(0), "k").result()["id"]
    for status, recorded in (
        ("failed", "failed"),
        ("sent", "sent"),
        ("seen", "seen"),
        ("sent", "seen"),
        ("failed", "seen"),
    ):
        assert service.deliver(one, status).result()["delivery"] == recorded
    service.reward(one, Observed(0.0)).result()
    first, second = Observed(1.0, None, "typo"), Observed(None, "lost", "wrong person")
    assert [service.reward(one, each, "staff").result()["corrected"] for each in (first, second)] == [True, True]
    with service.storage.reading() as reader:
        before = reader.head()
    assert service.reward(one, first, "staff").result()["corrected"] is False
    assert service.deliver(one, "sent").result()["delivery"] == "seen"
    with service.storage.reading() as reader:
        assert reader.head() == before
        assert reader.rows("SELECT reward, missing, corrected, delivery FROM decisions") == [(None, "lost", 2, "seen")]
    assert service.reward(one, first._replace(correction="it was right"), "staff").result()["corrected"] is True
    for _ in range(2):
        assert service.change_status("ann", "erase").result()["status"] == "withdrawn"
    intact(service)


def test_a_corrected_person_knows_what_one_with_right_rewards_knows(service: Service) -> None:
    """The belief after a correction is that of a bandit that was given the right rewards from the start."""
    pid = enrolled(service)["pid"]
    made = [service.decide("ann", asked(k), f"k{k}").result() for k in range(15)]
    for k, one in enumerate(made):
        service.reward(one["id"], Observed(float(k == 3))).result()
    service.reward(made[3]["id"], Observed(0.0, None, "typo"), "staff").result()
    right = rb.Bandit(service.design.arms, service.design.policy, seed=1)
    played = [right.record(service.design.names.index(one["arm"]), probability=one["probability"]) for one in made]
    for one in played:
        right.update(one, 0.0)
    corrected = service.writer.residents.people[pid].bandit
    assert corrected is not None
    mine, theirs = corrected.explain(), right.explain()
    assert [row for row in mine.rows if row.name != "probability"] == [
        row for row in theirs.rows if row.name != "probability"
    ]


def test_rewards_may_come_a_thousand_decisions_late(service: Service) -> None:
    enrolled(service)
    made = service.schedule("ann", [asked(k) for k in range(1001)], "s").result()
    service.reward(made[0]["id"], Observed(1.0)).result()
    assert service.decide("ann", asked(1001), "k").result()["number"] == 1001
    intact(service)


def test_nightly_rewards_wait_for_an_update(storage: Storage, clock: Clock, another: Any) -> None:
    with opened(design(learning={"when": "nightly"}), storage, clock) as service:
        pid = enrolled(service)["pid"]
        made = lived(service, "ann", 0, 8)
        bandit = service.writer.residents.people[pid].bandit
        assert bandit is not None
        assert sum(bandit.explain().row("rewards seen")) == 0
        first = service.update("night 1").result()
        assert service.update("night 1").result() == first
        assert sum(bandit.explain().row("rewards seen")) == 4
        service.reward(made[1]["id"], Observed(0.0, None, "typo"), "staff").result()
        lived(service, "ann", 8, 12)
        intact(service)
        with opened(service.design, another(), clock) as other:
            other.update("night 2").result()
            other.decide("ann", asked(12), "k12").result()
            intact(other)
        lived(service, "ann", 13, 15)
        intact(service)


@pytest.mark.parametrize("before", ["at once", "nightly"])
def test_a_version_with_nightly_learning_forgets_nothing(before: str, another: Any, clock: Clock) -> None:
    with opened(design(learning={"when": before}), another(), clock) as service:
        pid = enrolled(service)["pid"]
        made = lived(service, "ann", 0, 8)
    with opened(design(learning={"when": "nightly"}, limits={"least": 0.3}), another(), clock) as later:
        lived(later, "ann", 8, 9)
        bandit = later.writer.residents.people[pid].bandit
        assert bandit is not None
        assert sum(bandit.explain().row("rewards seen")) == 4
        later.reward(made[1]["id"], Observed(0.0, None, "typo"), "staff").result()
        bandit = later.writer.residents.people[pid].bandit
        assert bandit is not None
        assert sum(bandit.explain().row("rewards seen")) == 4
        lived(later, "ann", 9, 12)
        intact(later)


def test_a_rest_is_not_delivered(service: Service) -> None:
    enrolled(service)
    rest = service.decide("ann", asked(0, "driving"), "k0").result()
    assert refusal(lambda: service.deliver(rest["id"], "sent")).title == "rest-has-no-delivery"
    forced = service.decide("ann", asked(1, {"walk": "driving"}), "k1").result()
    assert forced["explanation"].endswith("it was the only one available.")


def test_implausible_rewards_are_refused(storage: Storage, clock: Clock) -> None:
    """A family without bounds would learn a typo; the range is that of values as they are reported."""
    rewards = {"family": "Gaussian", "scale": 1000.0, "plausible": [0.0, 30_000.0]}
    numbers = {"theta_weight": 10.0, "state_weight": 5.0, "sd": 2.0}
    arms = [{**arm, "rewards": numbers} for arm in (WALK, SLEEP)]
    with opened(design(rewards=rewards, arms=arms, policy={"id": "random"}), storage, clock) as service:
        enrolled(service)
        made = service.decide("ann", asked(0), "k").result()
        for value in (-1.0, 30_000.5):
            problem = refusal(lambda value=value: service.reward(made["id"], Observed(value)))  # type: ignore[misc]
            assert (problem.kind, problem.title) == (Kind.INVALID, "reward-implausible")
            assert problem.detail.startswith(f"value {value!r} must be from 0 to 30000, the plausible range")
        assert service.reward(made["id"], Observed(30_000.0)).result()["value"] == 30_000.0
        wrong = Observed(1e6, None, "typo")
        assert refusal(lambda: service.reward(made["id"], wrong, "staff")).title == "reward-implausible"
        intact(service)
