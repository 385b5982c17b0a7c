"""Decisions as an app sees them, on both storages."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.study.operations import DecisionRequest, Enrolment, Observed
from rogue_bandits.study.person import seed_of
from rogue_bandits.study.service import Service, opened
from rogue_bandits.study.storage.sql import Storage
from tests.study.cases import Clock, asked, at, design
from tests.study.living import enrolled, intact, lived, refusal


def test_a_study_day_by_day_replays_bit_for_bit(service: Service) -> None:
    enrolled(service)
    enrolled(service, "bob")
    made = lived(service, "ann", 0, 40)
    lived(service, "bob", 0, 10)
    assert [one["number"] for one in made] == list(range(40))
    assert all(abs(sum(one["probabilities"].values()) - 1.0) < 1e-12 for one in made)
    assert min(min(one["probabilities"].values()) for one in made) >= 0.2 - 1e-12
    assert {one["arm"] for one in made} == {"walk", "sleep"}
    intact(service)


def test_a_decision_is_that_of_a_bandit_with_the_same_history(service: Service) -> None:
    """Independent of the transitions: a Bandit with the same stream, driven by hand."""
    pid = enrolled(service)["pid"]
    study = service.design
    bandit = rb.Bandit(study.arms, rb.Bounded(rb.EpsilonRogue(), least=0.2), seed=seed_of(study, pid, 3))
    for k in range(25):
        mine = bandit.choose()
        theirs = service.decide("ann", asked(k), f"k{k}").result()
        assert list(theirs["probabilities"].values()) == list(mine.probabilities)
        assert theirs["arm"] == study.names[mine.arm]
        bandit.update(mine, float(k % 2))
        service.reward(theirs["id"], Observed(float(k % 2))).result()


def test_the_same_key_gives_the_same_answer_for_ever(service: Service, another: Any, clock: Clock) -> None:
    enrolled(service)
    first = lived(service, "ann", 0, 5)[0]
    assert service.decide("ann", asked(0), "k0").result() == first
    with opened(design(limits={"least": 0.3}), another(), clock) as later:  # of another version
        assert later.decide("ann", asked(0), "k0").result() == first
        assert later.decide("ann", asked(9), "k9").result()["version"]["number"] == 2
        intact(later)


def test_a_key_with_other_content_is_refused(service: Service) -> None:
    enrolled(service)
    service.decide("ann", asked(0), "k").result()
    for other in (asked(1), asked(0, "driving")):
        assert refusal(lambda other=other: service.decide("ann", other, "k")).title == "key-reused"  # type: ignore[misc]
    assert service.decide("ann", asked(1), "k1").result()["number"] == 1


@pytest.mark.parametrize(
    ("hours", "rests"),
    [
        ((0, 4, 8, 24), 0),  # three a day, and the night is no gap
        ((0, 8, 24), 1),  # one was left over on the first day
        ((0, 4, 8, 72), 6),  # two whole days without any
        ((0, 48), 5),
    ],
)
def test_missed_decisions_are_rests(hours: tuple[int, ...], rests: int, storage: Storage, clock: Clock) -> None:
    with opened(design(decisions={"per_day": 3, "ahead_hours": 1e6}), storage, clock) as service:
        pid = enrolled(service)["pid"]
        for hour in hours:
            service.decide("ann", asked(60 * hour), f"k{hour}").result()
        bandit = service.writer.residents.people[pid].bandit
        assert bandit is not None
        assert bandit.number == len(hours) + rests
        intact(service)


def test_arms_may_be_unavailable_and_all_of_them_are_a_rest(service: Service) -> None:
    enrolled(service)
    one = service.decide("ann", asked(0, {"walk": "driving"}), "a").result()
    assert (one["arm"], one["probabilities"]) == ("sleep", {"walk": 0.0, "sleep": 1.0})
    rest = service.decide("ann", asked(1, "asleep"), "b").result()
    assert (rest["arm"], rest["available"], rest["probability"]) == (None, [], 1.0)
    assert rest["explanation"] == "Decision 1 is a rest: asleep."
    assert refusal(lambda: service.reward(rest["id"], Observed(1.0))).title == "rest-has-no-reward"
    assert refusal(lambda: service.decide("ann", asked(2, {"run": "driving"}), "c")).title == "unknown-arm"
    assert refusal(lambda: service.decide("ann", asked(2, "bored"), "c")).title == "unknown-reason"
    intact(service)


def test_what_cannot_be_is_refused_and_changes_nothing(service: Service, clock: Clock) -> None:
    enrolled(service)
    made = service.decide("ann", asked(5), "a").result()
    head = service.storage.reading
    with head() as reader:
        before = reader.head()
    assert refusal(lambda: service.decide("bob", asked(6), "b")).title == "unknown-person"
    assert refusal(lambda: service.decide("ann", asked(4), "b")).title == "time-before-last"
    assert refusal(lambda: service.reward("x-1", Observed(1.0))).title == "unknown-decision"
    assert refusal(lambda: service.reward(f"{made['id']}9", Observed(1.0))).title == "unknown-decision"
    assert refusal(lambda: service.reward(made["id"], Observed(0.5))).title == "reward-outside-support"
    corrected = Observed(1.0, None, "typo")
    assert refusal(lambda: service.reward(made["id"], corrected, "staff")).title == "nothing-to-correct"
    assert refusal(lambda: service.reward(made["id"], corrected)).title == "role-not-allowed"
    assert refusal(lambda: service.enrol(Enrolment("ann", group="B"))).title == "enrolled-otherwise"
    assert enrolled(service)["status"] == "active"  # the same again
    with head() as reader:
        assert reader.head() == before
    service.reward(made["id"], Observed(1.0)).result()
    assert refusal(lambda: service.reward(made["id"], Observed(2.0))).title == "reward-outside-support"
    intact(service)


def test_days_have_so_many_decisions_and_times_may_not_be_far_ahead(storage: Storage, clock: Clock) -> None:
    settings = {"per_day": 2, "ahead_hours": 24.0}
    with opened(design(decisions=settings), storage, clock) as service:
        enrolled(service)
        for k in range(2):
            service.decide("ann", asked(k), f"k{k}").result()
        assert refusal(lambda: service.decide("ann", asked(3), "k3")).title == "decisions-used-up"
        far = DecisionRequest(at(0) + timedelta(days=2))
        assert refusal(lambda: service.decide("ann", far, "k4")).title == "time-too-far-ahead"
        times = [far._replace(scheduled=True), DecisionRequest(at(0) + timedelta(days=3), scheduled=True)]
        ahead = service.schedule("ann", times, "week").result()
        assert [one["number"] for one in ahead] == [2, 3]
        assert service.schedule("ann", times, "week").result() == ahead
        intact(service)


def test_a_schedule_with_other_times_is_another_request(service: Service) -> None:
    enrolled(service)
    one, two = [asked(0)], [asked(0), asked(1)]
    made = service.schedule("ann", one, "s").result()
    assert refusal(lambda: service.schedule("ann", two, "s")).title == "key-reused"
    both = service.schedule("ann", [asked(1), asked(2)], "t").result()
    assert refusal(lambda: service.schedule("ann", [asked(1)], "t")).title == "key-reused"
    assert service.schedule("ann", one, "s").result() == made
    for scope in ("decide", "batch"):  # keys of their own
        assert service.decide("ann", asked(3), "s/0", scope).result()["id"] not in (made[0]["id"], both[0]["id"])
    assert service.decide("ann", asked(3), "s/0").result()["number"] == 3
    intact(service)


def test_a_schedule_is_made_as_a_whole_or_not_at_all(service: Service) -> None:
    enrolled(service)
    times = [asked(2), asked(1)]
    assert refusal(lambda: service.schedule("ann", times, "s")).title == "time-before-last"
    assert service.decide("ann", asked(0), "k").result()["number"] == 0
    intact(service)


def test_the_clock_of_the_server_may_jump(service: Service, clock: Clock) -> None:
    enrolled(service)
    lived(service, "ann", 0, 3)
    for k, days in enumerate((400, -800, 1)):
        clock.now += timedelta(days=days)
        assert service.decide("ann", asked(3 + k), f"k{3 + k}").result()["number"] == 3 + k
    intact(service)


def test_explanations_change_nothing(service: Service) -> None:
    enrolled(service)
    lived(service, "ann", 0, 6)
    words = service.explain("ann")
    following = service.decide("ann", asked(6), "k6").result()
    assert words.arms[words.arm] == following["arm"]
    assert np.array_equal(words.row("probability"), list(following["probabilities"].values()))
    intact(service)


def test_explanations_are_as_of_now(storage: Storage, clock: Clock) -> None:
    """After two months without a decision the arms have rested: the next decision has the stated probabilities."""
    daily = {"per_day": 1, "ahead_hours": 1e6}
    with opened(design(decisions=daily, limits={"least": 0.05}), storage, clock) as service:
        enrolled(service)
        for day in range(12):
            made = service.decide("ann", asked(1440 * day), f"k{day}").result()
            service.reward(made["id"], Observed(float(made["arm"] == "walk"))).result()
        before = service.explain("ann")
        clock.now = at(1440 * 60)
        found = service.explain("ann")
        assert found.row("state now, fitted") != before.row("state now, fitted")
        assert (found.number, found.sentence.split(" would")[0]) == (12, "Decision 12")
        made = service.decide("ann", asked(1440 * 60), "late").result()
        assert list(made["probabilities"].values()) == pytest.approx(list(found.row("probability")), abs=1e-12)
