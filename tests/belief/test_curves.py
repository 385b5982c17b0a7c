"""The posterior of an unknown curve, against regression with the full covariance matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression, linprog, minimize

import rogue_bandits as rb
from rogue_bandits.belief.contract import add_reward, advance, observe, rewards_count, ticket
from rogue_bandits.belief.curves import CurveBelief, curve_at, curve_prior, upper_curve, value_and_sd
from rogue_bandits.belief.on_curve import place_now
from rogue_bandits.model.problem import problem_of
from rogue_bandits.types import Ticket

Floats = NDArray[np.float64]
LONGEST, SD = 7, 0.3
PRIORS: list[Any] = [rb.SquaredExponential(2.0, 0.8, 0.2), rb.Matern(3.0, 0.8, 0.2), rb.RandomWalk(0.3, 0.8, 0.2)]


def kernel_of(prior: Any, size: int) -> Floats:
    """The covariance by loops, from the formulas in the docstrings."""
    found = np.empty((size, size))
    for i in range(size):
        for j in range(size):
            if isinstance(prior, rb.SquaredExponential):
                found[i, j] = np.exp(-0.5 * (i - j) ** 2 / prior.length**2) * prior.sd**2
            elif isinstance(prior, rb.Matern):
                s = np.sqrt(3.0) * abs(i - j) / prior.length
                found[i, j] = (1.0 + s) * np.exp(-s) * prior.sd**2
            else:
                found[i, j] = prior.sd**2 + min(i, j) * prior.step**2
    return found


def lived(arm: rb.Arm, plays: NDArray[np.bool_], rewards: Floats) -> tuple[CurveBelief, list[int]]:
    """A belief after plays and rewards of one arm, and the place of each reward by counting."""
    belief, places, rested = curve_prior("test", problem_of([arm]), 1), [], 0
    for played, r in zip(plays, rewards, strict=True):
        if played:
            places.append(min(rested, LONGEST))
            observe(belief, 0, 0, ticket(belief, 0, 0), r)
        advance(belief, 0, 0, float(played))
        rested = 0 if played else rested + 1
    assert place_now(belief, 0, 0) == min(rested, LONGEST)
    return belief, places


def curve_and_covariance(belief: CurveBelief) -> tuple[Floats, Floats]:
    """The posterior mean, and the covariance of draws: those of one unit normal at a time span it."""
    size, features = belief.shared.features.shape[2:]
    centre, roots = np.empty(size), np.empty((features, size))
    curve_at(belief, 0, 0, np.zeros(features), centre)
    for a, unit in enumerate(np.eye(features)):
        curve_at(belief, 0, 0, unit, roots[a])
    return centre, (roots - centre).T @ (roots - centre)


@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)
def test_normal_rewards_are_gaussian_process_regression(prior: Any) -> None:
    """m + K_*·(K + sd²·I)⁻¹·(r − m), K − K_*·(K + sd²·I)⁻¹·K_*' over rewards one by one."""
    rng = np.random.default_rng(1)
    plays, rewards = rng.random(60) < 0.3, rng.normal(0.4, 0.5, 60)
    arm = rb.Arm(rb.Recovering(LONGEST, prior), rb.Gaussian(2.0, 0.0, SD))
    belief, places = lived(arm, plays, rewards)
    k, seen = kernel_of(prior, LONGEST + 1), rewards[plays]
    gain = 2.0 * k[:, places] @ np.linalg.inv(4.0 * k[np.ix_(places, places)] + SD**2 * np.eye(len(places)))
    centre, covariance = curve_and_covariance(belief)
    np.testing.assert_allclose(centre, prior.mean + gain @ (seen - 2.0 * prior.mean), atol=1e-6)
    np.testing.assert_allclose(covariance, k - 2.0 * gain @ k[places], atol=1e-6)
    for i in range(LONGEST + 1):
        np.testing.assert_allclose(value_and_sd(belief, 0, 0, i), (centre[i], np.sqrt(covariance[i, i])), atol=1e-12)
    assert rewards_count(belief, 0, 0) == len(places)


@pytest.mark.parametrize(
    ("family", "log_partition", "draws"),
    [
        (rb.BernoulliLogit(1.5, 0.0), lambda eta: np.logaddexp(0.0, eta), (0.0, 1.0)),
        (rb.PoissonLog(0.7, 0.0), np.exp, (0.0, 1.0, 2.0, 5.0)),
    ],
    ids=["BernoulliLogit", "PoissonLog"],
)
def test_other_families_have_the_mode_and_its_curvature(family: Any, log_partition: Any, draws: Any) -> None:
    """The mode by a general optimiser over the curve itself, with the inverse covariance; curvature by differences."""
    rng, prior = np.random.default_rng(2), rb.Matern(3.0, 1.2, 0.1)
    plays, rewards = rng.random(80) < 0.4, rng.choice(draws, 80)
    belief, places = lived(rb.Arm(rb.Recovering(LONGEST, prior), family, -3.0, 3.0), plays, rewards)
    precision, seen = np.linalg.inv(kernel_of(prior, LONGEST + 1)), rewards[plays]

    def negative(curve: Floats) -> float:
        eta = family.theta_weight * curve[places]
        off = curve - prior.mean
        return float(0.5 * off @ precision @ off - (seen * eta - log_partition(eta)).sum())

    centre, covariance = curve_and_covariance(belief)
    best = minimize(negative, np.zeros(LONGEST + 1), method="BFGS", options={"gtol": 1e-9})
    assert negative(centre) <= best.fun + 1e-7
    np.testing.assert_allclose(centre, best.x, atol=1e-3)
    step, unit = 1e-3, np.eye(LONGEST + 1)
    hessian = np.array([
        [(negative(centre + step * (a + b)) - negative(centre + step * (a - b)) - negative(centre - step * (a - b))
          + negative(centre - step * (a + b))) / (4.0 * step**2) for b in unit] for a in unit
    ])  # fmt: skip
    np.testing.assert_allclose(covariance, np.linalg.inv(hessian), atol=2e-4)


@pytest.mark.parametrize("rising", [True, False], ids=["recovering", "rotting"])
def test_monotone_draws_are_the_nearest_monotone_curves(rising: bool) -> None:
    """Draws of the prior inside, then scipy's isotonic regression with the posterior precision as weights."""
    rng, inside = np.random.default_rng(5), rb.Matern(2.0, 0.8, 0.2)
    kind = rb.Recovering if rising else rb.Rotting
    free, shaped = (
        curve_prior("test", problem_of([rb.Arm(kind(LONGEST, prior=prior), rb.Gaussian(1.0, 0.0, SD))]), 1)
        for prior in (inside, rb.Monotone(inside))
    )
    for played, r in zip(rng.random(25) < 0.5, rng.normal(0.3, 0.5, 25), strict=True):
        for belief in (free, shaped):
            if played:
                observe(belief, 0, 0, ticket(belief, 0, 0), r)
            advance(belief, 0, 0, float(played))
    np.testing.assert_array_equal(free.personal.centre, shaped.personal.centre)
    features, moved = free.shared.features.shape[3], 0
    for _ in range(20):
        z: Floats = np.asarray(rng.normal(0.0, 1.0, features))
        draw, nearest = np.empty(LONGEST + 1), np.empty(LONGEST + 1)
        curve_at(free, 0, 0, z.copy(), draw)
        curve_at(shaped, 0, 0, z.copy(), nearest)
        weights = free.personal.spread[0, 0] ** -2.0
        expected = isotonic_regression(draw, weights=weights, increasing=rising).x
        np.testing.assert_allclose(nearest, expected, atol=1e-7)
        moved += bool(np.abs(nearest - draw).max() > 0.01)
    assert moved > 10


@pytest.mark.parametrize("rising", [True, False], ids=["recovering", "rotting"])
def test_monotone_upper_bounds_are_the_least_that_the_others_allow(rising: bool) -> None:
    """The largest value at each place of a monotone curve below all bounds, by linear programming."""
    kind, wide = rb.Recovering if rising else rb.Rotting, 1.3
    prior = rb.Monotone(rb.RandomWalk(0.3, 0.8, 0.2))
    belief = curve_prior("test", problem_of([rb.Arm(kind(LONGEST, prior=prior), rb.Gaussian(1.0, 0.0, SD))]), 1)
    for played, r in zip([1, 0, 1, 1, 0, 0, 1, 1], [0.9, 0, -0.5, 0.1, 0, 0, 0.4, -0.2], strict=True):
        if played:
            observe(belief, 0, 0, ticket(belief, 0, 0), r)
        advance(belief, 0, 0, float(played))
    found = np.empty(LONGEST + 1)
    upper_curve(belief, 0, 0, wide, found)
    bounds = [np.dot(value_and_sd(belief, 0, 0, i), (1.0, wide)) for i in range(LONGEST + 1)]
    steps = (np.eye(LONGEST + 1)[:-1] - np.eye(LONGEST + 1)[1:]) * (1.0 if rising else -1.0)
    for i in range(LONGEST + 1):
        best: Any = linprog(-np.eye(LONGEST + 1)[i], steps, np.zeros(LONGEST), bounds=[(None, b) for b in bounds])
        assert found[i] == pytest.approx(-best.fun, abs=1e-9)


def test_late_rewards_count_as_those_in_time() -> None:
    rng = np.random.default_rng(3)
    plays, rewards = rng.random(30) < 0.5, rng.normal(0.0, 1.0, 30)
    arm = rb.Arm(rb.Recovering(LONGEST, PRIORS[1]), rb.Gaussian(1.0, 0.0, SD))
    in_time, _ = lived(arm, plays, rewards)
    late = curve_prior("test", problem_of([arm]), 1)
    tickets: list[tuple[Ticket, float]] = []
    for played, r in zip(plays, rewards, strict=True):
        if played:
            tickets.append((ticket(late, 0, 0), r))
        advance(late, 0, 0, float(played))
    for token, r in reversed(tickets):
        add_reward(late, 0, 0, token, r)
    observe(late, 0, 0, *tickets[0])  # one reward twice, in both
    observe(in_time, 0, 0, *tickets[0])
    for one, other in zip(curve_and_covariance(late), curve_and_covariance(in_time), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)


def test_before_any_reward_it_is_the_prior() -> None:
    prior = PRIORS[0]
    belief = curve_prior("test", problem_of([rb.Arm(rb.Rotting(LONGEST, prior=prior), rb.Gaussian(1.0, 0.0, SD))]), 1)
    centre, covariance = curve_and_covariance(belief)
    np.testing.assert_allclose(centre, prior.mean)
    np.testing.assert_allclose(covariance, kernel_of(prior, LONGEST + 1), atol=1e-6)


def test_arms_of_different_lengths_are_as_alone() -> None:
    """Shorter curves and fewer features are filled up, which changes nothing."""
    short = rb.Arm(rb.Recovering(3, rb.Matern(6.0, 0.5)), rb.Gaussian(1.0, 0.0, SD))
    long = rb.Arm(rb.Recovering(LONGEST, PRIORS[1]), rb.Gaussian(1.0, 0.0, SD))
    alone, both = curve_prior("test", problem_of([short]), 1), curve_prior("test", problem_of([long, short]), 1)
    for r in (0.5, -0.2, 0.7):
        observe(alone, 0, 0, ticket(alone, 0, 0), r)
        observe(both, 0, 1, ticket(both, 0, 1), r)
        advance(alone, 0, 0, 0.0)
        advance(both, 0, 1, 0.0)
    for i in range(4):
        np.testing.assert_allclose(value_and_sd(alone, 0, 0, i), value_and_sd(both, 0, 1, i), atol=1e-12)


@pytest.mark.parametrize(
    ("arm", "says"),
    [
        (rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.Gaussian(1.0, 1.0, 1.0)), "it must be Recovering or Rotting"),
        (rb.Arm(rb.Recovering(3), rb.BernoulliProbit(1.0, 0.0)), "they must be an exponential family"),
    ],
)
def test_refused_by_name(arm: rb.Arm, says: str) -> None:
    with pytest.raises(ValueError, match=f"rgp-ts, arm 0: .*{says}"):
        curve_prior("rgp-ts", problem_of([arm]), 1)
