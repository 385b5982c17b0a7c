"""Arms of a cohort that are put together: alike or not, in advice and in draws."""

from __future__ import annotations

import numpy as np
import pytest

from rogue_bandits.estimate import fit
from rogue_bandits.estimate.advise import advise
from rogue_bandits.estimate.data import data_of
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.fit import Data, FitTask, arm_task, fit_cohort
from rogue_bandits.estimate.history import Cohort, History, Record
from rogue_bandits.estimate.ladder.compare import CONSTANT, Candidate
from rogue_bandits.estimate.ladder.reported import fit_arm
from rogue_bandits.report.cohort.verdict import verdicts
from rogue_bandits.types import Floats

DECISIONS, ARMS = 36, ["walk", "sleep", "eat"]
QUICK = FitTask(("gaussian",), pool="shared", workers=1)


@pytest.fixture
def constants(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare nothing with the constant: in a quarter of the time."""
    monkeypatch.setattr(fit, "CANDIDATES", [Candidate(CONSTANT)])


def trial(
    apart: Floats, own: float = 0.0, people: int = 15, family: str = "gaussian", rests: bool = False, wear: float = 0.0
) -> Cohort:
    """People whose levels differ by 1, with arms apart on average and for each person."""
    rng, histories = np.random.default_rng(12), {}
    n = len(apart)
    for i in range(people):
        levels = rng.standard_normal() + apart + own * rng.standard_normal(n)
        sent = rng.permutation(np.arange(DECISIONS) % n) - int(rests)
        mean = levels[sent] - wear * rng.random() * np.arange(DECISIONS) / n
        rewards = mean + rng.standard_normal(DECISIONS)
        if family == "logit":
            rewards = (rng.random(DECISIONS) < 1.0 / (1.0 + np.exp(-mean))).astype(np.float64)
        yes, unknown = np.ones(DECISIONS, dtype=np.bool_), np.full(DECISIONS, np.nan)
        none = np.zeros((DECISIONS, 0))
        histories[f"p{i}"] = History(0, DECISIONS, np.arange(DECISIONS), sent, rewards, yes, unknown, none)
    return Cohort("made up", "reward", 1.0, ARMS[: n - int(rests)], histories, [], family)


def advised(cohort: Cohort) -> list[bool]:
    people = People(cohort, fit_cohort(data_of(cohort), QUICK._replace(families=(cohort.family,))))
    found = [advise(people, name) for name in cohort.people]
    return [one is not None and one.supported for one in found]


@pytest.mark.usefixtures("constants")
@pytest.mark.parametrize("family", ["gaussian", "logit"])
def test_no_choice_is_supported_between_arms_that_are_alike(family: str) -> None:
    assert not any(advised(trial(np.zeros(3), family=family)))


@pytest.mark.usefixtures("constants")
def test_choices_between_arms_that_differ_are_supported() -> None:
    assert all(advised(trial(np.array([0.0, 0.0, 1.5]))))
    assert np.mean(advised(trial(np.zeros(3), own=1.5))) > 0.5


@pytest.mark.usefixtures("constants")
def test_one_person_alone_has_levels_of_arms_that_are_drawn_together() -> None:
    alike, apart = (trial(np.array([0.0, 0.0, x]), people=1) for x in (0.0, 3.0))
    assert advised(alike) == [False]
    assert advised(apart) == [True]


def test_an_arm_by_itself_is_fitted_as_before() -> None:
    data = data_of(trial(np.zeros(3)))
    only = Data({name: {"walk": arms["walk"]} for name, arms in data.records.items()})
    assert fit_cohort(only, QUICK).arms["walk"] == fit_arm(arm_task(only, QUICK, "gaussian", "walk", 0))


def test_people_who_share_nothing_keep_their_own_levels() -> None:
    data, task = data_of(trial(np.zeros(2), people=6, wear=2.0)), QUICK._replace(pool="own")
    for k, (arm, ladder) in enumerate(fit_cohort(data, task).arms.items()):
        assert ladder.pool == "own"
        single = fit_arm(arm_task(data, task, "gaussian", arm, k))
        for name, own in ladder.persons.items():
            assert own[:5] == single.persons[name][:5]


@pytest.mark.usefixtures("constants")
def test_intervals_of_a_level_are_shorter_than_those_of_an_arm_by_itself() -> None:
    data = data_of(trial(np.zeros(3)))
    together = fit_cohort(data, QUICK).arms
    for k, arm in enumerate(ARMS):
        single = fit_arm(arm_task(data, QUICK, "gaussian", arm, k))
        widths = [np.mean([p.fresh[2] - p.fresh[0] for p in one.persons.values()]) for one in (together[arm], single)]
        assert widths[0] < 0.8 * widths[1]


@pytest.mark.usefixtures("constants")
def test_silence_like_the_arms_is_no_harm_and_none_is_claimed() -> None:
    alike = fit_cohort(data_of(trial(np.zeros(3), rests=True)), QUICK)
    above = fit_cohort(data_of(trial(np.array([0.0, 0.0, 1.5]), rests=True)), QUICK)
    assert alike.silence is not None
    for arm in ("walk", "sleep"):
        assert 0.1 < (alike.arms[arm].harm or 0.0) < 0.9
        assert (above.arms[arm].harm or 0.0) > 0.95


@pytest.mark.usefixtures("constants")
@pytest.mark.parametrize(("family", "value"), [("logit", 0.0), ("logit", 1.0), ("poisson", 0.0)])
def test_an_arm_at_the_edge_keeps_a_level_at_the_edge(family: str, value: float) -> None:
    """Its likelihood is flat at its own mode, and steep near the levels of the other arms."""
    rng = np.random.default_rng(3)
    records = {}
    for i in range(12):
        mean = 0.5 + 0.1 * rng.standard_normal()
        each = rng.poisson(2.0 * mean, (2, 15)) if family == "poisson" else rng.random((2, 15)) < mean
        arms = dict(zip(ARMS, [*each.astype(np.float64), np.full(15, value)], strict=True))
        records[f"p{i}"] = {arm: Record(np.ones(15), rewards) for arm, rewards in arms.items()}
    found = fit_cohort(Data(records), QUICK._replace(families=(family,))).arms
    for person in found["eat"].persons.values():
        assert person.now[10] == pytest.approx(value, abs=0.05)
    assert found["eat"].now[10] == pytest.approx(value, abs=0.03)
    assert found["walk"].now[10] == pytest.approx(np.mean([r["walk"].rewards for r in records.values()]), abs=0.1)


def test_levels_at_the_loads_of_the_data_are_no_less_certain_than_by_the_arm_alone() -> None:
    """One arm fades and was sent late, the other is constant: levels at time 0 follow from the other arm."""
    rng, n = np.random.default_rng(7), 30
    records: dict[str, dict[str, Record]] = {}
    for i in range(12):
        level, late = rng.standard_normal(), np.arange(n) >= n // 2
        fading = level - 6.0 * np.arange(n) / (n - 1) + rng.standard_normal(n)
        steady = level + rng.standard_normal(n)
        records[f"p{i}"] = {
            "walk": Record(late.astype(np.float64), np.where(late, fading, np.nan)),
            "sleep": Record((~late).astype(np.float64), np.where(late, np.nan, steady)),
        }
    data = Data(records)
    together = fit_cohort(data, QUICK).arms["walk"]
    single = fit_arm(arm_task(data, QUICK, "gaussian", "walk", 0))
    assert together.rung == single.rung == "fade"
    for ends in ("fresh", "worn"):
        width = [getattr(one, ends)[2] - getattr(one, ends)[0] for one in (together, single)]
        assert width[0] < 1.02 * width[1]


@pytest.mark.usefixtures("constants")
def test_zero_inflated_arms_with_and_without_zeros_are_put_together() -> None:
    rng, records = np.random.default_rng(4), {}
    for i in range(10):
        size = np.exp(0.5 + 0.3 * rng.standard_normal() + 0.4 * rng.standard_normal((2, 20)))
        size[0] *= rng.random(20) < 0.6
        records[f"p{i}"] = {arm: Record(np.ones(20), one) for arm, one in zip(ARMS, size, strict=False)}
    found = fit_cohort(Data(records), QUICK._replace(families=("zero-inflated",))).arms
    for arm in ARMS[:2]:
        assert found[arm].check.holds
        seen = np.mean([arms[arm].rewards for arms in records.values()])
        assert found[arm].now[10] == pytest.approx(seen, rel=0.1)


@pytest.mark.usefixtures("constants")
def test_arms_that_are_far_apart_keep_their_means() -> None:
    rng = np.random.default_rng(5)
    for apart in (1e3, 1e6, 1e9):
        records = {
            f"p{i}": {"walk": Record(np.ones(9), rng.standard_normal(9)),
                      "sleep": Record(np.ones(9), apart + rng.standard_normal(9))}
            for i in range(6)
        }  # fmt: skip
        found = fit_cohort(Data(records), QUICK).arms
        assert found["walk"].now[10] == pytest.approx(0.0, abs=0.7)
        assert found["sleep"].now[10] == pytest.approx(apart, abs=0.7)


def test_a_zero_inflated_arm_without_rewards_above_0_is_refused_and_the_family_not_chosen() -> None:
    rng = np.random.default_rng(6)
    records = {
        f"p{i}": {
            "walk": Record(np.ones(12), 1.5 * rng.poisson(1.0, 12).astype(np.float64)),
            "sleep": Record(np.ones(12), np.zeros(12)),
        }
        for i in range(5)
    }
    says = "arm 'sleep' has 0 rewards above 0: family zero-inflated needs 10 or more of each arm"
    with pytest.raises(ValueError, match=says):
        fit_cohort(Data(records), QUICK._replace(families=("zero-inflated",)))
    assert fit_cohort(Data(records), QUICK._replace(families=("gaussian", "zero-inflated"))).family == "gaussian"


def test_a_strong_loss_beside_silence_is_a_loss() -> None:
    """0/1 rewards: levels that are pulled to silence take the slope along, and stay where the likelihood is."""
    rng, histories, n = np.random.default_rng(4), {}, 600
    for name in ("ann", "ben", "cleo"):
        x, sent, rewards = 1.0, np.full(n, -1), np.zeros(n)
        for t in range(n):
            one = rng.random() < 0.5
            mean = 1.0 / (1.0 + np.exp(2.0 - 4.0 * x)) if one else 0.3
            sent[t], rewards[t] = int(one) - 1, float(rng.random() < mean)
            x = min(1.0, max(0.0, 0.8 * x - 0.5 * one + 0.2))
        yes, unknown, none = np.ones(n, dtype=np.bool_), np.full(n, np.nan), np.zeros((n, 0))
        histories[name] = History(0, n, np.arange(n), sent, rewards, yes, unknown, none)
    cohort = Cohort("made up", "reward", 1.0, ["walk"], histories, [], "logit")
    people = People(cohort, fit_cohort(data_of(cohort), QUICK._replace(families=("logit",))))
    walk = people.fitted.arms["walk"]
    assert next(iter(verdicts(people))).startswith("The data show that walk wears out and recovers ")
    low, _, high = walk.fresh
    assert low < 1.0 / (1.0 + np.exp(-2.0)) < high
    low, _, high = walk.half_life
    assert low < np.log(0.5) / np.log(0.8) < high
