"""Fitting a cohort: families, silence, arms with numbers in place of distributions, resumption, bad input."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rogue_bandits.estimate import resume
from rogue_bandits.estimate.data import data_of
from rogue_bandits.estimate.fit import Data, FitTask, Fitted, checked_data, checked_task, fit_cohort, steps_of
from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.ladder.compare import FADE
from rogue_bandits.estimate.ladder.result import ladder_from_plain, ladder_to_plain
from rogue_bandits.estimate.resume import fit_with_checkpoint, read_checkpoint, stamp_of
from rogue_bandits.types import mean, next_state
from tests.estimate.made_up import cohort_of, table, written
from tests.matrix import some_of

QUICK = FitTask(("gaussian",), pool="shared", workers=1)


def records_with(
    draw: Any, people: int = 8, decisions: int = 30, seed: int = 1, arms: int = 2
) -> dict[str, dict[str, Record]]:
    """Two arms in turn, or the first of them, with rewards `draw(rng, number of the person)`."""
    rng = np.random.default_rng(seed)
    found: dict[str, dict[str, Record]] = {}
    for i in range(people):
        rewards = np.array([draw(rng, i) for _ in range(decisions)], dtype=np.float64)
        arm = np.arange(decisions) % 2
        found[f"p{i}"] = {
            name: Record((arm == k).astype(np.float64), np.where(arm == k, rewards, np.nan))
            for k, name in enumerate(("walk", "sleep")[:arms])
        }
    return found


USUAL = Data(records_with(lambda rng, i: rng.normal(5.0, 1.0)))


@pytest.fixture(scope="module")
def usual() -> Fitted:
    """A fit of the usual people."""
    return fit_cohort(USUAL, QUICK)


def half_zero(rng: np.random.Generator, i: int) -> float:
    return 0.0 if rng.random() < 0.4 else float(np.ceil(rng.gamma(2.0, 70.0 + 20.0 * (i % 3))))


@pytest.mark.parametrize(
    ("draw", "families", "best"),
    some_of(
        [
            (half_zero, ("poisson", "gaussian", "zero-inflated"), "zero-inflated"),
            (lambda rng, i: rng.poisson(3.0 + i % 3), ("poisson", "gaussian", "zero-inflated"), "poisson"),
            (lambda rng, i: np.clip(0.8 + rng.laplace(0.0, 0.2), 0.0, 1.0), ("agent", "gaussian"), "agent"),
            (lambda rng, i: rng.normal(5.0, 1.0), ("gaussian", "zero-inflated"), "gaussian"),
        ],
        2,
    ),
)
def test_the_family_that_made_the_rewards_is_chosen_and_reproduces_them(
    draw: Any, families: tuple[str, ...], best: str
) -> None:
    fitted = fit_cohort(Data(records_with(draw, arms=1)), QUICK._replace(families=families))
    assert fitted.family == best
    assert set(fitted.scores) == set(families)
    for ladder in fitted.arms.values():
        assert ladder.check.holds
        assert ladder.check.mean == pytest.approx(ladder.check.model_mean, abs=0.1 * ladder.check.sd)


def test_probabilities_of_0_1_rewards_are_not_halved() -> None:
    """True shares of 95 % and 10 % stay near what was observed."""
    records = records_with(lambda rng, i: float(rng.random() < (0.95 if i % 2 else 0.1)), people=10, decisions=60)
    fitted = fit_cohort(Data(records), QUICK._replace(families=("logit",)))
    for i in range(10):
        seen = records[f"p{i}"]["walk"].seen().mean()
        assert fitted.arms["walk"].persons[f"p{i}"].fresh[1] == pytest.approx(seen, abs=0.12)


def test_a_model_that_does_not_reproduce_the_spread_is_not_reported_as_fitted() -> None:
    records = records_with(half_zero, arms=1)
    assert not fit_cohort(Data(records), QUICK._replace(families=("poisson",))).arms["walk"].check.holds


def test_silence_is_a_level_beside_which_arms_are_weighed() -> None:
    records, rng = USUAL.records, np.random.default_rng(3)
    rests = {name: Record(np.zeros(30), rng.normal(8.0, 1.0, 30)) for name in records}
    fitted = fit_cohort(Data(records, rests), QUICK)
    assert fitted.silence is not None
    assert fitted.silence.fresh[1] == pytest.approx(8.0, abs=0.3)
    assert all(ladder.harm is not None and ladder.harm > 0.99 for ladder in fitted.arms.values())
    below = {name: Record(np.zeros(30), rng.normal(2.0, 1.0, 30)) for name in records}
    walks = {name: {"walk": arms["walk"]} for name, arms in records.items()}
    assert fit_cohort(Data(walks, below), QUICK).arms["walk"].harm == pytest.approx(0.0, abs=0.01)


def test_rests_for_want_of_availability_are_no_silence(tmp_path: Path) -> None:
    rows = [*table(2), "p0,24,walk,0.9", "p0,25,none,0.7"]
    data = data_of(cohort_of(written(tmp_path / "d.csv", rows)))
    assert data.rests is not None
    assert data.rests["p0"].seen()[-1] == 0.7
    assert data.rests["p0"].played.sum() == 0.0


def wearing(seed: int = 2, drop: float = 1.0, decay: float = 0.7) -> dict[str, dict[str, Record]]:
    rng = np.random.default_rng(seed)
    records = {}
    for i in range(20):
        played, lost, rewards = (rng.random(60) < 0.4).astype(np.float64), 0.0, np.full(60, np.nan)
        for t in range(60):
            if played[t]:
                rewards[t] = 5.0 + 0.1 * i - lost + 0.5 * rng.standard_normal()
            lost = decay * lost + drop * played[t]
        records[f"p{i}"] = {"walk": Record(played, rewards)}
    return records


@pytest.fixture(scope="module")
def worn() -> Fitted:
    """A fit of people whose walks wear out and recover."""
    return fit_cohort(Data(wearing()), QUICK)


def test_points_follow_the_medians(worn: Fitted) -> None:
    """An arm with numbers in place of distributions has the mean rewards that the ladder has."""
    ladder, fit = worn.arms["walk"], worn.people["p3"]["walk"]
    person = ladder.persons["p3"]
    assert ladder.rung == "recovery"
    assert fit.dynamics.decay == pytest.approx(0.7, abs=0.05)
    assert mean(fit.rewards, fit.theta, fit.x0) == pytest.approx(person.fresh[1], rel=0.02)
    after = next_state(fit.dynamics, fit.x0, 1.0)
    assert mean(fit.rewards, fit.theta, fit.x0) - mean(fit.rewards, fit.theta, after) == pytest.approx(
        person.drop[1], rel=0.05
    )
    assert fit.enough


def test_the_result_does_not_depend_on_workers_and_is_read_back(usual: Fitted) -> None:
    assert QUICK.workers == 1
    assert fit_cohort(USUAL, QUICK._replace(workers=2)) == usual
    for ladder in usual.arms.values():
        assert ladder_from_plain(ladder_to_plain(ladder)) == ladder


def test_people_who_swap_names_swap_results() -> None:
    records = records_with(lambda rng, i: rng.normal(5.0 + i, 1.0), people=4)
    other = {name: records[f"p{3 - i}"] for i, name in enumerate(records)}
    mine, theirs = (fit_cohort(Data(r), QUICK).arms["walk"].persons for r in (records, other))
    for i in range(4):
        assert mine[f"p{i}"].numbers["level"] == pytest.approx(theirs[f"p{3 - i}"].numbers["level"], abs=0.1)


def test_the_population_can_be_made_a_prior_of(worn: Fitted) -> None:
    block = worn.arms["walk"].population
    assert block["numbers"] == ["fresh", "log_drop", "log_loss", "log_half_life"]
    fresh, log_drop, log_loss, log_half_life = block["mean"]
    assert fresh == pytest.approx(5.95, abs=0.4)
    assert np.exp(log_drop) == pytest.approx(1.0, abs=0.2)
    assert np.exp(log_half_life) == pytest.approx(np.log(0.5) / np.log(0.7), abs=0.4)
    assert np.exp(log_loss) == pytest.approx(1.0 / 0.3, abs=0.6)
    assert np.linalg.eigvalsh(np.array(block["covariance"])).min() > -1e-9
    assert block["no_effect"] + block["no_recovery"] + block["recovery"] == pytest.approx(1.0)
    assert (block["people"], block["decisions"]) == (20, 60)


def test_the_population_of_an_arm_that_wears_out_for_good_has_its_drop() -> None:
    """Hardly any draw recovers: the half-life is the length of the study, and one sending takes away what it does."""
    ladder = fit_cohort(Data(wearing(drop=0.15, decay=1.0)), QUICK).arms["walk"]
    block = ladder.population
    assert ladder.rung == "wear-out"
    assert block["losing"] > 0.99
    _, log_drop, log_loss, log_half_life = block["mean"]
    assert np.exp(log_drop) == pytest.approx(0.15, abs=0.02)
    assert np.exp(log_half_life) == pytest.approx(60.0, rel=0.05)
    assert np.exp(log_loss) * (1.0 - 0.5 ** np.exp(-log_half_life)) == pytest.approx(np.exp(log_drop), rel=0.1)


# ---- resumption ------------------------------------------------------------------------------------------------------
def test_an_interrupted_fit_continues_with_the_arms_that_are_left(
    usual: Fitted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[int]()

    def stopping(*args: Any) -> Any:
        def once(arm: str, ladder: Any) -> None:
            args[3](arm, ladder)
            raise KeyboardInterrupt

        data, task, progress, _, found, scores = args
        return fit_cohort(data, task, progress, once, found, scores)

    with monkeypatch.context() as patch:
        patch.setattr(resume, "fit_cohort", stopping)
        with pytest.raises(KeyboardInterrupt):
            fit_with_checkpoint(USUAL, QUICK, tmp_path, asked.append)
    assert list(read_checkpoint(tmp_path, stamp_of(USUAL, QUICK)).arms) == ["walk"]
    asked.clear()
    assert fit_with_checkpoint(USUAL, QUICK, tmp_path, asked.append) == usual
    assert sum(asked) == steps_of(USUAL, QUICK)
    assert asked[0] == 4  # candidates of the arm that was found
    assert read_checkpoint(tmp_path, stamp_of(USUAL, QUICK._replace(pool="own"))).arms == {}


# ---- bad input -------------------------------------------------------------------------------------------------------
def record(played: list[float], rewards: list[float]) -> Record:
    return Record(np.array(played), np.array(rewards))


@pytest.mark.parametrize(
    ("records", "says"),
    [
        ({}, "a cohort needs at least one person, and there is none"),
        ({"ann": {}}, "person 'ann' needs at least one arm, and has none"),
        ({"ann": {"walk": record([1, 1], [0.5])}}, "person 'ann', arm 'walk' has 2 decisions and 1 rewards"),
        ({"ann": {"walk": record([1] * 3, [0.5, np.inf, 1])}}, "person 'ann', arm 'walk', decision 1, reward must be"),
    ],
)
def test_bad_records_are_refused_by_name(records: Any, says: str) -> None:
    with pytest.raises(ValueError, match="person") as error:
        checked_data(Data(records))
    assert str(error.value).startswith(says)


def test_bad_tasks_are_refused() -> None:
    with pytest.raises(ValueError, match="pool 'some' must be one of shared, partial, own, or None"):
        checked_task(QUICK._replace(pool="some"))
    with pytest.raises(ValueError, match="family 'logits' is unknown, did you mean 'logit'"):
        checked_task(QUICK._replace(families=("logits",)))


def test_silence_that_fades_is_compared_at_the_end_of_the_study() -> None:
    """Not at each person's next decision: those who left early would have the silence of another time than the arm."""
    rng = np.random.default_rng(1)
    records: dict[str, dict[str, Record]] = {}
    rests: dict[str, Record] = {}
    for i in range(12):
        t = np.arange(40 if i % 2 else 12)
        sent = t % 2 == 0
        rewards = 10.0 - 0.2 * t + 1.0 * sent + 0.3 * rng.standard_normal(t.size)  # an arm that is better than silence
        records[f"p{i}"] = {"walk": Record(sent.astype(np.float64), np.where(sent, rewards, np.nan))}
        rests[f"p{i}"] = Record(np.zeros(t.size), np.where(sent, np.nan, rewards))
    fitted = fit_cohort(Data(records, rests), QUICK)
    assert fitted.silence is not None
    assert fitted.silence.rung == FADE
    assert fitted.arms["walk"].harm == pytest.approx(0.0, abs=0.01)
