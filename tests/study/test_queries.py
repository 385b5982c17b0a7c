"""What pages read, against counts by hand, on both storages."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from rogue_bandits.online.bandit import Bandit
from rogue_bandits.study import queries
from rogue_bandits.study.operations import DecisionRequest, Enrolment, Observed
from rogue_bandits.study.problems import RequestProblem
from rogue_bandits.study.service import Service, opened
from rogue_bandits.study.storage.sql import Storage
from tests.study.cases import START, Clock, design

DAYS = 12


@pytest.fixture
def service(storage: Storage, clock: Clock) -> Iterator[Service]:
    """Three people over 12 days: ann answers, bob is silent, and cid has withdrawn and was erased."""
    with opened(design(decisions={"ahead_hours": 1e6}), storage, clock) as made:
        for name, group in (("ann", "A"), ("bob", "B"), ("cid", None)):
            made.enrol(Enrolment(name, group=group)).result()
        for day in range(DAYS):
            clock.now = START + timedelta(days=day)
            for name in ("ann", "bob"):
                why = "asleep" if (name, day) == ("ann", 5) else None
                one = made.decide(name, DecisionRequest(clock.now, why), f"d{day}").result()
                if one["arm"] is not None:
                    made.deliver(one["id"], "sent").result()
                    answer = Observed(float(day % 2)) if name == "ann" else Observed(None, "no answer")
                    made.reward(one["id"], answer).result()
        made.change_status("cid", "withdraw").result()
        made.change_status("cid", "erase").result()
        yield made


def rows_of(service: Service) -> list[dict[str, Any]]:
    with service.storage.reading() as reader:
        return [row._asdict() for name in ("ann", "bob") for row in queries.decisions(reader, service.design, name)]


def test_the_study_in_one_row(service: Service) -> None:
    with service.storage.reading() as reader:
        found = queries.summary(reader, service.design)
    assert (found.people, found.active, found.paused, found.withdrawn) == (3, 2, 0, 1)
    assert (found.decisions, found.rests, found.rewards, found.missing) == (2 * DAYS, 1, DAYS - 1, DAYS)
    assert (found.awaited, found.fallbacks) == (0, 0)


def test_people_and_one_person(service: Service) -> None:
    with service.storage.reading() as reader:
        everybody = queries.people(reader)
        assert [one.person for one in everybody] == ["ann", "bob", None]
        assert everybody[0] == queries.person(reader, "ann")
        assert queries.people(reader, "withdrawn") == everybody[2:]
        assert queries.people(reader, search="o") == everybody[1:2]
        assert queries.people(reader, limit=1, offset=1) == everybody[1:2]
        ann = everybody[0]
        assert (ann.group, ann.decisions, ann.rests, ann.rewards, ann.missing) == ("A", DAYS, 1, DAYS - 1, 0)
        assert ann.last_decision == (START + timedelta(days=DAYS - 1)).isoformat()
        with pytest.raises(RequestProblem, match="there is no person 'cid'"):
            queries.person(reader, "cid")


def test_decisions_come_newest_first_and_have_all_facts(service: Service) -> None:
    with service.storage.reading() as reader:
        found = queries.decisions(reader, service.design, "ann", limit=5)
        assert [row.number for row in found] == [11, 10, 9, 8, 7]
        older = queries.decisions(reader, service.design, "ann", before=6)
        assert [row.number for row in older] == [5, 4, 3, 2, 1, 0]
        assert (older[0].arm, older[0].reason, older[0].available) == (None, "asleep", ())
        assert (older[1].delivery, older[1].reward, older[1].missing) == ("sent", 0.0, None)
        assert older[1].probability == older[1].probabilities[older[1].arm or ""]
        assert queries.decision(reader, service.design, older[1].id)["arm"] == older[1].arm
        kinds = [event.kind for event in queries.events_of(reader, queries.pid_of(reader, "ann"))]
        assert kinds[:4] == ["enrolled", "decided", "delivered", "rewarded"]


def test_an_arm_was_last_played_at_its_newest_decision(service: Service) -> None:
    rows = rows_of(service)[:DAYS]  # of ann, the newest first
    expected = {row["arm"]: row["time"] for row in reversed(rows) if row["arm"] is not None}
    with service.storage.reading() as reader:
        assert queries.last_plays(reader, service.design, queries.pid_of(reader, "ann")) == expected
        assert queries.last_plays(reader, service.design, "nobody") == {}


def test_totals_by_day_and_by_arm_are_those_of_the_rows(service: Service) -> None:
    rows = rows_of(service)
    with service.storage.reading() as reader:
        days = queries.by_day(reader, service.design)
        arms = queries.by_arm(reader, service.design)
    for one in days:
        same = [row for row in rows if (row["day"], row["arm"]) == (one.day, one.arm)]
        values = [row["reward"] for row in same if row["reward"] is not None]
        assert (one.decisions, one.rewards) == (len(same), len(values))
        assert one.mean_reward == (pytest.approx(sum(values) / len(values)) if values else None)
    assert sum(one.decisions for one in days) == len(rows)
    for total in arms:
        chosen = [row for row in rows if row["arm"] == total.arm]
        expected = sum(row["probabilities"][total.arm] for row in rows if row["arm"] is not None)
        assert (total.chosen, total.sent, total.failed) == (len(chosen), len(chosen), 0)
        assert total.expected == pytest.approx(expected)
        assert total.available == len(rows) - 1


def test_curves_are_means_by_rest_and_by_plays_in_a_row(service: Service) -> None:
    rows = list(reversed([row for row in rows_of(service) if row["reward"] is not None or row["arm"] is None]))
    with service.storage.reading() as reader:
        rest = queries.after_rest(reader, service.design)
        runs = queries.after_plays(reader, service.design)
    expected: dict[tuple[str, int], list[float]] = {}
    for k, row in enumerate(rows):
        before = [j for j in range(k) if rows[j]["arm"] == row["arm"]]
        if row["arm"] is not None and before:
            expected.setdefault((row["arm"], k - before[-1]), []).append(row["reward"])
    assert {(c.arm, c.x): c.rewards for c in rest} == {key: len(values) for key, values in expected.items()}
    means = [sum(expected[c.arm, c.x]) / c.rewards for c in rest]
    assert [c.mean for c in rest] == pytest.approx(means)
    assert sum(c.rewards for c in runs) == DAYS - 1


def test_enrolment_and_versions(service: Service) -> None:
    with service.storage.reading() as reader:
        assert queries.enrolment(reader) == [("2026-03-01", 3)]
        [only] = queries.versions(reader)
    assert (only.version, only.decisions, only.hash) == (1, 2 * DAYS, service.design.hash)
    assert only.settings["arms"][0]["name"] == "walk"


def test_alerts_say_who_needs_attention(service: Service, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    def kinds(now: str) -> set[tuple[str, str | None]]:
        with service.storage.reading() as reader:
            return {(one.kind, one.person) for one in queries.alerts(reader, service.design, now)}

    assert ("missing-rewards", "bob") in kinds(clock())
    assert not {one for one in kinds(clock()) if one[0] in ("no-decision", "no-reward", "fallback")}
    later = (clock.now + timedelta(days=4)).isoformat()
    assert {("no-decision", "ann"), ("no-decision", "bob"), ("no-reward", "ann")} <= kinds(later)

    def failing(self: Bandit, available: Any = None) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(Bandit, "choose", failing)
    service.decide("ann", DecisionRequest(START + timedelta(days=DAYS)), "d12").result()
    assert ("fallback", "ann") in kinds(clock())


@pytest.mark.parametrize(
    ("policy", "least", "alerted"),
    [("round-robin", 0.2, True), ("random", 0.3, False), ("random", 0.5, False)],
    ids=["always at a limit", "never", "no other chance is possible"],
)
def test_chances_at_their_limit_are_reported(
    storage: Storage, clock: Clock, policy: str, least: float, alerted: bool
) -> None:
    """Ten decisions or more, all of them at a limit that another choice would have been away from.

    Round robin by itself has no chance in it: that of every arm is the least or the largest. Cid can only be sent one.
    """
    with opened(design(policy={"id": policy}, limits={"least": least}), storage, clock) as service:
        for name, decisions, why in (("ann", 10, None), ("bob", 9, None), ("cid", 10, {"walk": "driving"})):
            service.enrol(Enrolment(name)).result()
            for k in range(decisions):
                service.decide(name, DecisionRequest(START + timedelta(minutes=k), why), f"k{k}").result()
        with service.storage.reading() as reader:
            found = [(one.kind, one.person) for one in queries.alerts(reader, service.design, clock())]
        assert found == ([("at-limit", "ann")] if alerted else [])


def test_nobody_is_missed_before_the_start(storage: Storage, clock: Clock) -> None:
    with opened(design(), storage, clock) as service:
        for name, start in (("ann", None), ("bob", "2026-03-10"), ("cid", "2026-03-02")):
            service.enrol(Enrolment(name, start)).result()
        for day, expected in ((6, {"ann", "cid"}), (11, {"ann", "cid"}), (14, {"ann", "bob", "cid"})):
            with service.storage.reading() as reader:
                now = (START + timedelta(days=day)).isoformat()
                alerts = queries.alerts(reader, service.design, now)
            assert {one.person for one in alerts} == expected
            assert {one.detail for one in alerts} == {"the app has never asked for a message"}


def test_rewards_that_contradict_the_model_are_logged_and_raise_an_alert(
    service: Service, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Once in the server's log, with every decision in that of the study, until the model fits again."""

    def alerts() -> list[tuple[str | None, str]]:
        with service.storage.reading() as reader:
            found = queries.alerts(reader, service.design, clock())
        return [(one.person, one.detail) for one in found if one.kind == "contradicted"]

    def decided(day: int) -> None:
        service.decide("ann", DecisionRequest(START + timedelta(days=DAYS + day)), f"d{DAYS + day}").result()

    decided(0)
    assert alerts() == []
    monkeypatch.setattr(Bandit, "contradicted", lambda self: [1])
    decided(1)
    decided(2)
    name = service.design.names[1]
    assert alerts() == [("ann", f"rewards contradict the model: {name}; recent rewards count instead")]
    assert [f"'{name}': the rewards of a person contradict the model" in one for one in caplog.messages] == [True]
    monkeypatch.setattr(Bandit, "contradicted", lambda self: [])
    decided(3)
    assert alerts() == []
    assert "the model explains the rewards of a person again" in caplog.messages[-1]
