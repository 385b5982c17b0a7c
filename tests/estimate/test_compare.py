"""Features, folds and choices of the ladder."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.ladder.compare import (
    CONSTANT,
    FADE,
    RECOVERY,
    SHARED,
    WEAR_OUT,
    Candidate,
    choose,
    difference,
    fit_candidate,
    held_out,
)
from rogue_bandits.estimate.ladder.evidence import rung_shares
from rogue_bandits.estimate.ladder.families import GAUSSIAN, possible
from rogue_bandits.estimate.ladder.grids import panels_of
from rogue_bandits.estimate.ladder.half_lives import drawn_half_lives, half_life_interval
from rogue_bandits.estimate.ladder.panel import axis_of, folds_of, half_life_at, panel_of
from rogue_bandits.estimate.ladder.posterior import draw_posterior
from rogue_bandits.estimate.ladder.reported import fit_arm
from rogue_bandits.estimate.ladder.task import ArmTask

QUICK = [Candidate(rung, SHARED) for rung in (CONSTANT, FADE, WEAR_OUT, RECOVERY)]


def trial(people: int, decisions: int, seed: int, drop: float = 0.0, decay: float = 0.8) -> dict[str, Record]:
    """People with levels of their own (0.2) and normal noise (0.15); one decision in three is a sending."""
    rng = np.random.default_rng(seed)
    records = {}
    for i in range(people):
        played = (rng.random(decisions) < 1 / 3).astype(np.float64)
        played[:4] = 1.0
        level, lost, rewards = 0.6 + 0.2 * rng.standard_normal(), 0.0, np.full(decisions, np.nan)
        for t in range(decisions):
            if played[t]:
                rewards[t] = level - lost + 0.15 * rng.standard_normal()
            lost = decay * lost + drop * played[t]
        records[f"p{i}"] = Record(played, rewards)
    return records


def test_loads_are_sums_of_halved_sendings() -> None:
    record = next(iter(trial(1, 30, 1).values()))
    panel = panel_of({"a": record}, half_lives=np.array([0.5, 3.0, np.inf]))
    for k, half_life in enumerate(panel.half_lives):
        for at, load in zip(panel.at, panel.loads[k], strict=True):
            ages = at - np.flatnonzero(record.played[:at]) - 1
            assert load == pytest.approx(float((0.5 ** (ages / half_life)).sum()))
    np.testing.assert_allclose(panel.loads[2], panel.sendings)


def test_folds_are_blocks_that_hide_every_reward_once() -> None:
    panel = panel_of(trial(7, 40, 2))
    fold = folds_of(panel)
    for i in range(7):
        mine = fold[panel.person == i]
        assert set(mine) == {0, 1, 2, 3, 4}
        assert np.count_nonzero(np.diff(mine)) == 4  # each block in one piece


def test_held_out_rewards_are_predicted_without_them() -> None:
    """A reward that is moved far away changes its own prediction, and not the fit that predicts it."""
    panel = panel_of(trial(6, 40, 3))
    parts = GAUSSIAN.components(panel.reward, 0.0)
    moved = parts[0].reward.copy()
    moved[0] += 3.0
    hidden = folds_of(panel) == folds_of(panel)[0]
    before = held_out(Candidate(CONSTANT), panel, parts)
    after = held_out(Candidate(CONSTANT), panel, [parts[0]._replace(reward=moved)])
    others = hidden & (np.arange(hidden.size) > 0)
    np.testing.assert_allclose(before[others], after[others])
    assert after[0] < before[0] - 1.0


def test_the_error_of_a_difference_is_over_people() -> None:
    panel = panel_of(trial(20, 30, 4))
    rng = np.random.default_rng(5)
    d = rng.standard_normal(panel.person.size)
    sums = [d[panel.person == i].sum() for i in range(20)]
    found = difference(d, np.zeros_like(d), panel)
    assert found.by == pytest.approx(d.mean())
    assert found.error == pytest.approx(np.std(sums, ddof=1) * np.sqrt(20) / d.size)
    assert found.needed == pytest.approx(stats.t.ppf(stats.norm.cdf(2.0), 19), rel=0.01)


def test_few_people_are_compared_by_blocks() -> None:
    panel = panel_of(trial(2, 40, 5))
    found = difference(np.ones(panel.person.size), np.zeros(panel.person.size), panel)
    assert found.needed == pytest.approx(stats.t.ppf(stats.norm.cdf(2.0), 9), rel=0.01)
    assert found.clear


def test_a_rung_must_be_clearly_better() -> None:
    panel = panel_of(trial(20, 30, 6))
    rng = np.random.default_rng(7)
    noise = rng.standard_normal(panel.person.size)
    simple, better = Candidate(CONSTANT), Candidate(RECOVERY, SHARED)
    zero = np.zeros_like(noise)
    assert choose({simple: zero, better: noise - noise.mean() + 0.001}, panel).chosen == simple
    assert choose({simple: zero, better: 0.1 * noise - 0.1 * noise.mean() + 0.5}, panel).chosen == better


@pytest.mark.parametrize(("drop", "rung"), [(0.0, CONSTANT), (0.15, RECOVERY)])
def test_the_true_rung_is_chosen(drop: float, rung: str) -> None:
    """The size and the numbers at which pooled fits once missed the truth in all of 12 cases."""
    found = fit_arm(ArmTask(trial(37, 42, 8, drop), "gaussian", candidates=QUICK))
    assert found.rung == rung
    assert found.check.holds
    if rung == RECOVERY:
        assert found.drop[0] <= 0.15 <= found.drop[2]
        assert found.half_life[0] <= 3.106 <= found.half_life[2]
        assert found.probability[RECOVERY] > 0.99
    else:
        assert found.probability[CONSTANT] > 0.5


def test_the_posterior_is_that_of_least_squares_for_one_person() -> None:
    """A single person and a known half-life: the posterior of the slope is Student's t of the regression."""
    record = next(iter(trial(1, 200, 9, drop=0.1).values()))
    panel = panel_of({"a": record}, half_lives=np.array([3.0, 3.0000001]))
    parts = GAUSSIAN.components(panel.reward, 0.0)
    posterior = draw_posterior(fit_candidate(Candidate(RECOVERY, SHARED), panel, parts), panel, draws=20_000)
    slope = posterior.components[0].slope * parts[0].scale
    X = np.stack([np.ones(panel.reward.size), panel.loads[0]], axis=1)
    best, squares, *_ = np.linalg.lstsq(X, panel.reward, rcond=None)
    error = np.sqrt(squares[0] / (len(X) - 2) * np.linalg.inv(X.T @ X)[1, 1])
    assert slope.mean() == pytest.approx(best[1], abs=4.0 * error / np.sqrt(20_000))
    assert slope.std() == pytest.approx(error, rel=0.05)


def test_half_lives_are_drawn_in_proportion_to_their_weights() -> None:
    """Equal weights: half of the draws never recover, the others are even along the grid."""
    panel = panel_of(trial(2, 30, 9), half_lives=np.array([1.0, 2.0, 4.0, 8.0, np.inf]))
    drawn, place = drawn_half_lives(panel, np.full(5, 0.2), 20_000, np.random.default_rng(1), before=0.5)
    assert (drawn < 2.0).mean() == pytest.approx(0.5 * 0.25, abs=0.02)
    assert (drawn < 8.0).mean() == pytest.approx(0.5 * 0.75, abs=0.02)
    assert np.isinf(drawn).mean() > 0.5
    assert set(place) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize(("centre", "sd"), [(6.0, 0.6), (6.5, 0.6), (7.3, 1.5)])
def test_a_density_as_narrow_as_the_grid_is_not_made_wider(centre: float, sd: float) -> None:
    """The points drawn have the mean and the spread of the density, though only two or three of them weigh anything."""
    panel = panel_of(trial(2, 30, 9), half_lives=np.append(np.linspace(1.0, 8.0, 14), np.inf))
    weight = stats.norm.pdf(np.arange(15.0), centre, sd)
    drawn, place = drawn_half_lives(panel, weight, 40_000, np.random.default_rng(2), before=0.0)
    assert place.mean() == pytest.approx(centre, abs=0.03)
    assert place.std() == pytest.approx(sd, rel=0.03)
    assert np.abs(np.interp(drawn, panel.half_lives[:-1], np.arange(14.0)) - place).max() <= 1.0  # beside each other


def test_a_half_life_is_drawn_beside_its_point_also_where_there_are_two_modes() -> None:
    panel = panel_of(trial(2, 30, 9), half_lives=np.append(np.linspace(1.0, 8.0, 14), np.inf))
    weight = 0.3 * stats.norm.pdf(np.arange(15.0), 3.0, 0.35) + 0.7 * stats.norm.pdf(np.arange(15.0), 9.0, 1.5)
    drawn, place = drawn_half_lives(panel, weight, 20_000, np.random.default_rng(3), before=0.0)
    inner = place < 13  # beyond, half-lives have no end
    beside = np.interp(drawn[inner], panel.half_lives[:-1], np.arange(14.0)) - place[inner]
    assert np.abs(beside).max() <= 0.6  # half a step, and what the scales differ by between points


def test_the_interval_of_a_half_life_is_where_the_density_is_highest() -> None:
    """A normal density along the grid: the same interval as its quantiles; cut off at its peak: up to no recovery."""
    panel = panel_of(trial(2, 30, 9), half_lives=np.append(np.linspace(1.0, 8.0, 14), np.inf))
    place = np.arange(15.0)
    low, middle, high = half_life_interval(panel, stats.norm.pdf(place, 6.0, 1.5), math.inf)
    ends = half_life_at(np.array([6.0 - 1.5 * 1.96, 6.0, 6.0 + 1.5 * 1.96]), panel.half_lives)
    np.testing.assert_allclose([low, middle, high], ends, rtol=0.03)
    low, _, high = half_life_interval(panel, stats.norm.pdf(place, 14.0, 2.0), math.inf)
    assert high == np.inf
    assert low == pytest.approx(float(half_life_at(np.array([14.0 - 2.0 * 1.96]), panel.half_lives)[0]), rel=0.05)


@pytest.mark.parametrize(("degrees", "reaches_plateau"), [(0, True), (3, True), (100, False), (math.inf, False)])
def test_the_interval_has_no_half_lives_that_a_test_rejects(degrees: float, reaches_plateau: bool) -> None:
    """A peak above a plateau whose likelihood ratio has p = 0.014: with 3 degrees of freedom p is 0.09."""
    panel = panel_of(trial(2, 30, 9), half_lives=np.append(np.linspace(1.0, 8.0, 14), np.inf))
    weight = np.maximum(np.exp(-3.0), np.exp(-0.5 * (np.arange(15.0) - 4.0) ** 2 / 0.6**2))
    p = 2.0 * (stats.norm.sf(np.sqrt(6.0)) if math.isinf(degrees) else stats.t.sf(np.sqrt(6.0), max(degrees, 1)))
    assert reaches_plateau == (p > 0.05)
    low, middle, high = half_life_interval(panel, weight, degrees)
    assert (high > half_life_at(np.array([6.0]), panel.half_lives)[0]) == reaches_plateau
    assert low <= middle <= high


def test_half_lives_weigh_as_much_as_they_can_be_told_apart() -> None:
    """The prior is even in the angle between loads: the brute-force length of the curve, on a finer grid."""
    records = trial(6, 40, 14)
    axis = axis_of(records)
    half_lives = 40.0 / np.expm1(np.linspace(np.log1p(80.0), 1e-9, 4001))
    loads = panel_of(records, half_lives=half_lives).loads
    person = panel_of(records).person
    for i in range(6):
        loads[:, person == i] -= loads[:, person == i].mean(1, keepdims=True)
    direction = loads / np.sqrt((loads**2).sum(1, keepdims=True))
    angle = 2.0 * np.arcsin(0.5 * np.sqrt((np.diff(direction, axis=0) ** 2).sum(1)))
    along = np.append(0.0, np.cumsum(angle)) / angle.sum()
    expected = np.interp(np.log(axis.half_lives[1:-1]), np.log(half_lives), along)
    np.testing.assert_allclose(axis.before[1:-1], expected, atol=0.01)
    assert axis.before[np.searchsorted(axis.half_lives, 40.0)] > 0.75  # longer than the study: little weight


def test_probabilities_of_rungs_sum_to_one() -> None:
    panels, parts = panels_of(ArmTask(trial(10, 30, 10), "gaussian"))
    fits = {c.rung: fit_candidate(c, panels.near, parts) for c in QUICK}
    held = {c.rung: held_out(c, panels.near, parts) for c in QUICK}
    assert sum(rung_shares(fits, held, panels).probabilities().values()) == pytest.approx(1.0)


def test_people_who_disagree_make_probabilities_less_certain() -> None:
    """The same evidence, once from people who agree on the rungs and once from people who do not."""
    panels, parts = panels_of(ArmTask(trial(20, 30, 12, drop=0.05), "gaussian"))
    panel = panels.near
    fits = {c.rung: fit_candidate(c, panel, parts) for c in QUICK}
    alike = {c.rung: np.zeros(panel.person.size) for c in QUICK}
    signs = np.where(panel.person % 2 == 0, 1.0, -1.0)
    apart = {rung: 0.5 * signs * (rung == RECOVERY) for rung in alike}
    sure, unsure = (rung_shares(fits, held, panels).probabilities()[RECOVERY] for held in (alike, apart))
    assert sure > 0.9
    assert 0.4 < unsure < sure - 0.05


def test_covariates_of_the_level_are_allowed_for() -> None:
    """A weekday that is worth 0.5 is found, and hides no constant behind a fade."""
    records = trial(20, 42, 11)
    week = {name: (np.arange(42) % 7 == 0).astype(np.float64)[:, None] for name in records}
    shifted = {name: Record(r.played, r.rewards + 0.5 * week[name][:, 0]) for name, r in records.items()}
    panel = panel_of(shifted, week)
    parts = GAUSSIAN.components(panel.reward, 0.0)
    fit = fit_candidate(Candidate(CONSTANT), panel, parts)
    assert fit.populations[0].mean[0, 1] * parts[0].scale == pytest.approx(0.5, abs=0.06)
    found = fit_arm(ArmTask(shifted, "gaussian", covariates=week, candidates=QUICK))
    assert found.rung == CONSTANT
    assert found.check.sd == pytest.approx(found.check.model_sd, rel=0.1)
    low, middle, high = found.effects[0]
    assert low < 0.5 < high
    assert middle == pytest.approx(0.5, abs=0.06)
    mondays = panel.at[panel.person == 0] % 7 == 0
    fitted = np.array(found.persons["p0"].fitted)
    assert fitted[mondays].mean() - fitted[~mondays].mean() == pytest.approx(0.5, abs=0.06)


def test_a_covariate_that_an_arm_never_saw_vary_changes_nothing() -> None:
    """An arm may have been sent on one weekday only: the level is that of the weekday."""
    records = trial(12, 30, 13)
    without = fit_arm(ArmTask(records, "gaussian", candidates=QUICK))
    for value in (0.0, -0.7):
        week = {p: np.full((30, 1), value) for p in records}
        none = fit_arm(ArmTask(records, "gaussian", covariates=week, candidates=QUICK))
        expected = [c.held_out for c in without.compared]
        np.testing.assert_allclose([c.held_out for c in none.compared], expected, atol=1e-6)
        assert none.effects == [[]]


def test_families_that_are_possible() -> None:
    assert possible(np.array([0.0, 1.0, 1.0])) == ["logit"]
    assert possible(np.array([0.0, 150.0, 3000.0])) == ["poisson", "gaussian", "zero-inflated"]
    assert possible(np.array([0.0, 0.25])) == ["agent", "gaussian", "zero-inflated"]
