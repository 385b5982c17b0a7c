"""The numbers and sentences of the page, against the log and against what they should say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.online.explanation import Explanation
from rogue_bandits.policies.explain import Interval, Row
from rogue_bandits.study import events as kinds
from rogue_bandits.study import queries
from rogue_bandits.study.events import LogEvent, event_of
from rogue_bandits.study.page.attention import MEANINGS, by_kind, meaning
from rogue_bandits.study.page.next_choice import ArmNow, arms_now, sentences, short_reason
from rogue_bandits.study.page.projection import course, dynamics_of, recovery, wear_out
from rogue_bandits.study.page.study import balanced, moving_means
from rogue_bandits.study.queries import Alert, ArmTotal, DayArm
from rogue_bandits.study.service import Service
from tests.interpreted import interpreted as interpreted
from tests.study.page_study import ARMS, NAMES, lived_study, page_design

NOW = "2026-03-10T08:00:00+00:00"
WALK, CALL, BREATHE = (str(arm["name"]) for arm in ARMS)


# ---- queries ---------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    path: Path = tmp_path_factory.mktemp("numbers") / "study.db"
    with lived_study(path, page_design(policy={"id": "random"}), NAMES[:9], 12).service as made:
        yield made


@pytest.fixture(scope="module")
def log(service: Service) -> list[LogEvent]:
    with service.storage.reading() as reader:
        return [event_of(row) for row in reader.events()]


def test_balance_is_that_of_the_log(service: Service, log: list[LogEvent]) -> None:
    made = [event.body for event in log if event.kind == kinds.DECIDED and event.body["arm"] is not None]
    with service.storage.reading() as reader:
        found = queries.by_arm(reader, service.design)
    for k, arm in enumerate(service.design.names):
        probabilities = [body["probabilities"][k] for body in made]
        assert found[k].available == sum(body["available"][k] for body in made)
        assert found[k].chosen == sum(body["arm"] == arm for body in made)
        assert found[k].expected == pytest.approx(sum(probabilities))
        assert found[k].variance == pytest.approx(sum(p * (1 - p) for p in probabilities))
        assert abs(found[k].chosen - found[k].expected) < 5.0 * found[k].variance ** 0.5


def test_curves_are_those_of_the_log(service: Service, log: list[LogEvent]) -> None:
    rewards = {(e.pid, e.body["number"]): e.body["value"] for e in log if e.kind == kinds.REWARDED}
    played: dict[str, list[Any]] = defaultdict(list)
    for event in log:
        if event.kind == kinds.DECIDED:
            played[event.pid].append(event.body["arm"])
    rest, plays = defaultdict(list), defaultdict(list)
    for pid, arms in played.items():
        for number, arm in enumerate(arms):
            value = rewards.get((pid, number))
            if arm is None or value is None:
                continue
            before = [k for k in range(number) if arms[k] == arm]
            if before:
                rest[arm, number - before[-1]].append(value)
            run = next((k for k in range(1, number + 1) if arms[number - k] != arm), number + 1) - 1
            plays[arm, run].append(value)
    with service.storage.reading() as reader:
        for found, expected in (
            (queries.after_rest(reader, service.design, 100), rest),
            (queries.after_plays(reader, service.design, 100), plays),
        ):
            assert {(one.arm, one.x): one.rewards for one in found} == {key: len(v) for key, v in expected.items()}
            for one in found:
                assert one.mean == pytest.approx(sum(expected[one.arm, one.x]) / one.rewards)


def test_people_are_the_same_in_pages_and_as_a_whole(service: Service) -> None:
    with service.storage.reading() as reader:
        everybody = queries.people(reader)
        paged = [row for k in range(0, 12, 2) for row in queries.people(reader, limit=2, offset=k)]
        assert paged == everybody
        assert queries.count_people(reader) == len(everybody) == 9
        assert queries.people_by_pid(reader, [row.pid for row in reversed(everybody)]) == everybody
        assert queries.people_by_pid(reader, []) == queries.people_by_pid(reader, ["nobody"]) == []
        found = queries.people(reader, search="i")
        assert [row.person for row in found] == sorted(name for name in NAMES[:9] if "i" in name.lower())
        assert queries.count_people(reader, "active", "i") == len(found)
        assert all(queries.count_people(reader, search=odd) == 0 for odd in ("%", "_", "!", "a%"))
        for row in everybody:
            past = queries.decisions_of(reader, service.design, row.pid)
            assert (row.decisions, row.rests) == (len(past), sum(one.arm is None for one in past))
            assert row.rewards == sum(one.reward is not None for one in past)


# ---- sentences -------------------------------------------------------------------------------------------------------
def arm(name: str, probability: float, reward: float | None, last: str | None = None) -> ArmNow:
    spread = None if reward is None else Interval(reward, reward - 0.1, reward + 0.1)
    return ArmNow(name, probability, None, spread, 3, last, False)


def plain(words: str) -> str:
    return words.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("arms", "policy", "expected", "short"),
    [
        (
            [arm(WALK, 0.7, 0.6, "2026-03-07T08:00:00+00:00"), arm(CALL, 0.3, 0.4)], "random",
            "Go for a walk has the largest expected reward now: 0.6 (probably 0.5 to 0.7), against 0.4 for Call a "
            "friend. It was last sent 3 days ago.", "it has the largest expected reward: 0.6",
        ),
        (
            [arm(WALK, 0.3, 0.6), arm(CALL, 0.7, 0.5)], "plan-ts",
            "Go for a walk has a slightly larger expected reward now (0.6 against 0.5), but the policy plans ahead, "
            "and begins with Call a friend. It was never sent before.",
            "best as the start of a plan for the coming days",
        ),
        (
            [arm(WALK, 0.3, 0.6), arm(CALL, 0.7, 0.5)], "random",
            "Go for a walk has a slightly larger expected reward now (0.6 against 0.5), but the policy still learns, "
            "and tries Call a friend. It was never sent before.",
            "the policy still explores messages whose rewards are uncertain",
        ),
        (
            [arm(WALK, 0.5, 0.6), arm(CALL, 0.5, 0.5)], "random",
            "All are about equally likely: the rewards so far do not favour one of them.",
            "all messages are about equally likely",
        ),
    ],
    ids=["best now", "plan", "exploration", "equal"],
)  # fmt: skip
def test_why_the_next_message_is_likely(arms: list[ArmNow], policy: str, expected: str, short: str) -> None:
    design = page_design(policy={"id": policy})
    chances, why, limit = map(plain, sentences(design, arms, NOW))
    likely, other = sorted(arms, key=lambda one: -(one.probability or 0.0))
    assert f"{likely.name} with {likely.probability:.0%}".replace("%", " %") in chances
    assert chances.endswith(f"{other.name} with {other.probability:.0%}.".replace("%", " %"))
    assert why == expected
    assert limit.startswith("Every message keeps a chance of at least 13 %")
    assert short_reason(design, arms) == short


def test_one_message_and_none_that_is_known() -> None:
    design = page_design(policy={"id": "random"})
    assert sentences(design, [arm(WALK, 1.0, 0.5), arm(CALL, 0.0, 0.7)], NOW) == [
        "The next message is Go for a walk: no other one is available."
    ]
    silent = Explanation(3, (WALK, CALL, BREATHE), 0, (), "")
    arms = arms_now(design, silent, {})
    assert all(one[1:6] == (None,) * 5 for one in arms)
    assert "cannot be said now" in sentences(design, arms, NOW)[0]


def test_the_arm_that_will_be_drawn_is_not_reported() -> None:
    design = page_design(policy={"id": "random"})
    rows = (Row("probability", (0.2, 0.5, 0.3)), Row("mean reward, fitted", (0.3, 0.2, float("nan"))))
    pages = [
        sentences(design, arms_now(design, Explanation(3, design.names, drawn, rows, f"plays {drawn}"), {}), NOW)
        for drawn in range(3)
    ]
    assert pages[0] == pages[1] == pages[2]


def test_rewards_are_in_the_units_that_are_reported() -> None:
    design = page_design(policy={"id": "random"}, rewards={"family": "BernoulliLogit", "scale": 100.0})
    found = Explanation(0, design.names, 0, (Row("mean reward", (Interval(0.5, 0.4, 0.6),) * 3),), "")
    assert arms_now(design, found, {})[0].reward == pytest.approx((50.0, 40.0, 60.0))


# ---- charts ----------------------------------------------------------------------------------------------------------
def test_courses_end_at_the_fixed_points() -> None:
    d = ClippedAffine(decay=0.7, pull=-0.2, drift=0.27)
    fresh, worn = 0.27 / 0.3, 0.07 / 0.3
    assert wear_out(d)[0] == pytest.approx(fresh)
    assert recovery(d)[0] == pytest.approx(worn)
    after = [worn + (fresh - worn) * 0.7**k for k in range(15)]
    assert wear_out(d) == pytest.approx(after)
    assert recovery(d) == pytest.approx([fresh + worn - x for x in after])


def test_learned_dynamics_are_the_medians(interpreted: None) -> None:
    plain = {"source": "learned", "prior": {"half_life": [0.5, 20.0]}}
    tables = [{"name": name, "rewards": {"theta_weight": 2.0, "state_weight": 2.5}} for name in (WALK, CALL)]
    design = page_design(dynamics=plain, arms=tables)
    rows = tuple(
        Row(name, (Interval(middle, 0.0, 9.0), float("nan")))
        for name, middle in (("level when fresh", 0.8), ("one play takes", 0.3), ("half-life", 2.0))
    )
    found = Explanation(0, (WALK, CALL), 0, rows, "")
    d = dynamics_of(design.arms[0], found, 0)
    assert d is not None
    states = course(d, 0.2, 0.0, 2)
    assert 0.8 - states[-1] == pytest.approx((0.8 - 0.2) / 2.0)  # half of the way after the half-life
    assert course(d, 0.8, 0.0, 1)[1] - course(d, 0.8, 1.0, 1)[1] == pytest.approx(0.3)
    assert dynamics_of(design.arms[1], found, 1) is None
    assert dynamics_of(design.arms[0], Explanation(0, (WALK,), 0, (), ""), 0) is None


def test_moving_means_weigh_days_by_their_rewards() -> None:
    days = [f"2026-03-{k:02d}" for k in range(1, 11)]
    rows = [DayArm(day, WALK, 5, k, float(k) if k else None) for k, day in enumerate(days)]
    means = moving_means(rows, days)
    assert means[days[0]] is None
    assert means[days[1]] == 1.0
    assert means[days[9]] == pytest.approx(sum(k * k for k in range(3, 10)) / sum(range(3, 10)))
    later = moving_means(rows, [*days, "2026-03-16", "2026-03-20"])  # days without data are days
    assert later["2026-03-16"] == pytest.approx(9.0)
    assert later["2026-03-20"] is None


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        (110, "as expected"),
        (70, "a little unusual: chance alone does this about once in 370"),
        (150, "not as expected"),
    ],
)
def test_verdicts_on_balance(chosen: int, words: str) -> None:
    found = balanced(ArmTotal(WALK, 200, chosen, 100.0, 100.0, 0, None, 0, 0, 0))
    assert found.errors == pytest.approx((chosen - 100) / 10)
    assert found.verdict.startswith(words)
    assert balanced(ArmTotal(WALK, 0, 0, 0.0, 0.0, 0, None, 0, 0, 0)).verdict == "as expected"


def test_alerts_have_a_meaning() -> None:
    alerts = [Alert(kind, None, f"{k}", "", None) for k, kind in enumerate([*MEANINGS, "fallback", "something-new"])]
    assert dict(by_kind(alerts)) == {**dict.fromkeys(MEANINGS, 1), "fallback": 2, "something-new": 1}
    assert meaning("something-new").title == "Something new"
