"""Likelihood-ratio regions: the mixture and the bounds against brute force, and the martingale by enumeration."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import rogue_bandits as rb
from rogue_bandits.belief import contract
from rogue_bandits.belief.evidence import loglik_of
from rogue_bandits.belief.history import belief_from
from rogue_bandits.belief.likelihood_bounds import farthest_theta, farthest_x0, largest_inside, largest_over_pieces
from rogue_bandits.belief.likelihood_region import (
    LikelihoodRegion,
    MeanTowards,
    ThetaTowards,
)
from rogue_bandits.belief.mixture import cell_mean
from rogue_bandits.belief.radius import rule_for
from rogue_bandits.belief.upper_bound import upper_bound_of
from rogue_bandits.types import Floats, mean
from tests.belief.cases import Case, oracle_model, random_case, tilted_case
from tests.interpreted import interpreted as interpreted
from tests.matrix import FULL
from tests.oracles.history import brute_loglik
from tests.theory.adaptive_arm import paths, trajectory

pytestmark = pytest.mark.usefixtures("interpreted")
ALPHA = 0.1
SEEDS = [*range(200)] if FULL else [*range(9), 12, 39]  # all families; the last one has one of the two widest gaps


Box = tuple[tuple[float, float], tuple[float, float]]


class Grid:
    """The log-likelihood of a case on a grid, and the means of its next reward."""

    def __init__(self, case: Case, thetas: int, x0s: int, box: Box | None = None) -> None:
        arm, d = case.arm, case.arm.dynamics
        self.case, self.size, model = case, (thetas, x0s), oracle_model(arm)
        agent = isinstance(arm.rewards, rb.LaplaceAgent)
        lo, hi = (math.log(arm.theta_lo), math.log(arm.theta_hi)) if agent else (arm.theta_lo, arm.theta_hi)
        self.box = box = box or ((lo, hi), (d.lo, d.hi))
        self.y, self.x0 = (
            lo + (hi - lo) * (np.arange(n) + 0.5) / n for (lo, hi), n in zip(box, self.size, strict=True)
        )
        self.theta = np.exp(self.y) if agent else self.y
        self.loglik = np.array([
            brute_loglik(model, case.played, case.rewards, np.full(x0s, theta), self.x0) for theta in self.theta
        ])  # fmt: skip
        self.state = model.walk(self.x0, case.played).states[:, -1]

    def around_the_likeliest(self) -> Grid:
        """A finer grid: some cells of this one on each side of its likeliest point."""
        at = np.unravel_index(int(np.argmax(self.loglik)), self.loglik.shape)
        box = []
        for i, points, (lo, hi), n in zip(at, (self.y, self.x0), self.box, self.size, strict=True):
            reach = 4.0 * (hi - lo) / n
            box.append((max(lo, points[i] - reach), min(hi, points[i] + reach)))
        return Grid(self.case, *self.size, (box[0], box[1]))

    def log_mixture(self) -> float:
        """By the midpoint rule."""
        top = self.loglik.max()
        return float(top + np.log(np.mean(np.exp(self.loglik - top))))

    def largest_mean(self, arm: rb.Arm, inside: NDArray[np.bool_]) -> float:
        """Among the points inside."""
        return max(self.extreme_means(arm, inside))

    def smallest_mean(self, arm: rb.Arm, inside: NDArray[np.bool_]) -> float:
        """Among the points inside."""
        return min(self.extreme_means(arm, inside))

    def extreme_means(self, arm: rb.Arm, inside: NDArray[np.bool_]) -> list[float]:
        """The mean is monotone in theta: its extremes at an x0 are at the first and the last theta inside."""
        return [
            float(mean(arm.rewards, theta, float(self.state[j])))
            for j in np.flatnonzero(inside.any(axis=0)).tolist()
            for theta in self.theta[inside[:, j]][[0, -1]].tolist()
        ]


def seen(case: Case) -> int:
    return int(np.isfinite(case.rewards).sum())


@lru_cache
def case_of(seed: int) -> Case:
    case = random_case(seed) if seed % 4 else tilted_case(seed)
    return case if seen(case) else case_of(seed + 1_000)


@lru_cache
def grid_of(seed: int) -> Grid:
    return Grid(case_of(seed), 801, 301) if seed % 4 else Grid(case_of(seed), 81, 41)  # their oracle is slow


@lru_cache
def region_of(seed: int) -> Any:
    case = case_of(seed)
    belief = belief_from(case.arm, case.played, case.rewards)
    contract.refit(belief, 0, 0, True)
    return contract.region(belief, 0, 0, rule_for(rb.LikelihoodRatioRadius(ALPHA), case.arm), 0.0)


def constant(seed: int) -> float:
    """What a log-likelihood of the region lacks of the oracle's: terms that do not depend on the point."""
    g, grid = region_of(seed), grid_of(seed)
    i, j = np.unravel_index(int(np.argmax(grid.loglik)), grid.loglik.shape)
    return float(grid.loglik[i, j]) - loglik_of(g.arm.rewards, g.seen, float(grid.theta[i]), float(grid.x0[j]))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_bound_of_the_mixture_is_below_it_and_close(seed: int) -> None:
    """The midpoint rule has the integral to some percent. What is lost to the grid of few lines widens the region."""
    found = region_of(seed).least - math.log(ALPHA) + constant(seed)
    expected = grid_of(seed).log_mixture()
    assert found <= expected + 0.05
    assert found >= expected - 3.0


@lru_cache
def inside_of(seed: int) -> tuple[Grid, NDArray[np.bool_]]:
    """A grid that has points inside the region, and which they are."""
    grid, least = grid_of(seed), region_of(seed).least + constant(seed) + 1e-9
    while not (grid.loglik >= least).any():
        grid = grid.around_the_likeliest()
    return grid, grid.loglik >= least


@pytest.mark.parametrize("seed", SEEDS)
def test_no_point_of_the_region_has_a_larger_mean_or_theta(seed: int) -> None:
    g, (grid, inside) = region_of(seed), inside_of(seed)
    spread, found = contract.mean_range(g.arm), upper_bound_of(g)
    largest = grid.largest_mean(g.arm, inside)
    assert largest - 1e-5 * spread <= found <= largest + 0.03 * spread
    thetas = grid.theta[inside.any(axis=1)]
    range_theta = g.arm.theta_hi - g.arm.theta_lo
    highest, lowest = largest_inside(ThetaTowards(g.arm, 1.0), g), -largest_inside(ThetaTowards(g.arm, -1.0), g)
    assert highest >= thetas.max() - 1e-6 * range_theta
    assert lowest <= thetas.min() + 1e-6 * range_theta
    lower = -largest_inside(MeanTowards(g.arm, -1.0), g)
    smallest = grid.smallest_mean(g.arm, inside)
    assert smallest - 0.03 * spread <= lower <= smallest + 1e-5 * spread
    # A grid misses at most its resolution, and thin ends of the region.
    assert highest <= thetas.max() + 0.02 * range_theta
    assert lowest >= thetas.min() - 0.02 * range_theta


@pytest.mark.parametrize("seed", SEEDS)
def test_the_ends_of_x0_are_those_of_a_grid(seed: int) -> None:
    g, (grid, inside) = region_of(seed), inside_of(seed)
    x0s = grid.x0[inside.any(axis=0)]
    width = g.arm.dynamics.hi - g.arm.dynamics.lo
    first, last = farthest_x0(g, -1.0), farthest_x0(g, 1.0)
    assert x0s.min() - 0.03 * width <= first <= x0s.min() + 1e-6 * width
    assert x0s.max() - 1e-6 * width <= last <= x0s.max() + 0.03 * width


@pytest.mark.parametrize("seed", [0, 10, 13, 24, 35])  # in the last four a sample rounds to outside
def test_the_ends_of_an_x0_that_is_known_well(seed: int) -> None:
    """A state that hardly changes, so that rewards are θ + 5·x0 and noise: the profile over θ, by hand.

    The region is narrower than the distance between two samples of the search.
    """
    arm = rb.Arm(rb.ClippedAffine(1.0, 0.0, 0.0), rb.Gaussian(1.0, 5.0, 0.3), -0.1, 0.1)
    rng = np.random.default_rng(seed)
    rewards = rng.uniform(-0.1, 0.1) + 5.0 * rng.uniform(0.05, 0.2) + 0.3 * rng.normal(size=60)
    belief = belief_from(arm, [1.0] * 60, rewards.tolist())
    contract.refit(belief, 0, 0, True)
    g = contract.region(belief, 0, 0, rule_for(rb.LikelihoodRatioRadius(0.05), arm), 0.0)
    beta = contract.log_likelihood(belief, 0, 0, g.local_fit.theta, np.array([g.local_fit.x0])) - g.least
    # log L is −n·(θ + 5·x0 − mean)²/2σ² and a constant; θ takes up to 0.1 of the difference.
    half = (0.1 + 0.3 * math.sqrt(2.0 * beta / 60)) / 5.0
    centre = rewards.mean() / 5.0
    assert farthest_x0(g, -1.0) == pytest.approx(max(0.0, centre - half), abs=1e-7)
    assert farthest_x0(g, 1.0) == pytest.approx(centre + half, abs=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_alternating_between_theta_and_x0_finds_what_the_search_over_x0_finds(seed: int) -> None:
    """Two searches for the same number, of which policies use the faster one."""
    g = region_of(seed)
    for sign, end in ((1.0, g.arm.theta_hi), (-1.0, g.arm.theta_lo)):
        slow = sign * largest_over_pieces(ThetaTowards(g.arm, sign), g)
        range_theta = g.arm.theta_hi - g.arm.theta_lo
        assert sign * farthest_theta(g, end) >= sign * slow - 1e-7 * range_theta
        if seen(case_of(seed)) >= 8:
            assert farthest_theta(g, end) == pytest.approx(slow, abs=1e-6 * range_theta)


def test_the_ends_of_theta_are_on_the_edge_of_the_level_set() -> None:
    """Known x0, so that the region is an interval: the log-likelihood at its ends is `least`, by hand."""
    arm = rb.Arm(rb.ClippedAffine(0.0, 0.0, 0.3, lo=0.3, hi=0.3), rb.Gaussian(1.0, 1.0, sd=0.5), -3.0, 3.0)
    rewards = [0.4, 1.1, 0.2, 0.9, 1.3, -0.2]
    lo, hi = rb.fit_intervals(arm, [1] * 6, rewards, alpha=0.2).theta
    grid = np.linspace(-3.0, 3.0, 2_000_001)
    loglik = np.zeros(grid.size)
    for r in rewards:
        loglik -= (r - grid - 0.3) ** 2 / (2 * 0.25)
    mixture = math.log(np.trapezoid(np.exp(loglik), grid) / 6.0)
    inside = grid[loglik >= mixture - math.log(5.0)]
    assert lo == pytest.approx(inside.min(), abs=0.01)
    assert hi == pytest.approx(inside.max(), abs=0.01)
    assert lo <= inside.min() + 1e-6
    assert hi >= inside.max() - 1e-6
    assert rb.fit_intervals(arm, [1] * 6, rewards, alpha=0.2).mean == pytest.approx((lo + 0.3, hi + 0.3))


def test_a_cell_has_no_less_than_its_bound() -> None:
    """Against a fine sum of exp(bilinear)."""
    rng = np.random.default_rng(1)
    u = (np.arange(400) + 0.5) / 400
    for corners in rng.normal(scale=3.0, size=(50, 4)).tolist():
        a, b, c, d = corners
        fine = np.exp(np.outer(1 - u, (1 - u) * a + u * b) + np.outer(u, (1 - u) * c + u * d)).mean()
        low, high = 0.5 * (a + b), 0.5 * (c + d)
        assert 0.05 * fine < cell_mean(low, math.exp(low), high, math.exp(high)) <= fine * (1 + 1e-5)


def test_the_mixture_over_the_likelihood_of_the_truth_has_mean_1_for_adaptive_plays() -> None:
    """The martingale of the proof: all paths of an arm whose plays depend on its rewards, a prior of 5 × 5 points."""
    arm, truth = rb.Arm(rb.ClippedAffine(0.9, -0.3, 0.1, -1.0, 1.0), rb.BernoulliLogit(2.0, 3.0), -1.0, 1.0), (0.3, 0.8)
    prior = [(theta, x0) for theta in np.linspace(-1, 1, 5) for x0 in np.linspace(-1, 1, 5)]
    total, unlikely = 0.0, 0.0
    for path in paths(arm, truth, 8):
        mixture = float(np.mean([likelihood(arm, path.plays, point) for point in prior]))
        ratio = mixture / likelihood(arm, path.plays, truth)
        total += path.probability * ratio
        unlikely += path.probability * (ratio >= 1 / ALPHA)
    assert total == pytest.approx(1.0, abs=1e-12)
    assert unlikely <= ALPHA


def likelihood(arm: rb.Arm, plays: Any, point: tuple[float, float]) -> float:
    states = np.array(trajectory(arm, plays, point[1]))
    p: Floats = 1 / (1 + np.exp(-2.0 * point[0] - 3.0 * states))
    return float(np.prod([q if play.reward else 1 - q for q, play in zip(p, plays, strict=True)]))


@pytest.mark.verify
def test_the_region_holds_the_truth_at_all_times_with_the_probability_it_says() -> None:
    """Exactly: every path of 7 rewards, plays adaptive, the regions as the library computes them after each reward."""
    arm = rb.Arm(rb.ClippedAffine(0.9, -0.3, 0.1, -1.0, 1.0), rb.BernoulliLogit(2.0, 3.0), -1.0, 1.0)
    truth, often, lost = (0.9, -0.9), 0.5, 0.0
    rule = rule_for(rb.LikelihoodRatioRadius(often), arm)
    for path in paths(arm, truth, 7):
        belief, failed, last = belief_from(arm, [], []), False, -1
        belief = belief._replace(personal=contract.with_places(belief.personal, 8))
        for play in path.plays:
            for _ in range(last + 1, play.decision):
                contract.advance(belief, 0, 0, 0.0)
            contract.observe(belief, 0, 0, contract.ticket(belief, 0, 0), play.reward)
            contract.advance(belief, 0, 0, 1.0)
            last = play.decision
            likely = contract.log_likelihood(belief, 0, 0, truth[0], np.array([truth[1]]))
            failed = failed or likely < contract.region(belief, 0, 0, rule, 0.0).least
        lost += path.probability * failed
    assert 0.05 < lost <= often


def test_before_the_first_reward_everything_is_inside() -> None:
    arm = rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6))
    nan = math.nan
    least, most = 0.5, 1 / (1 + math.exp(-1.0))
    found = rb.fit_intervals(arm, [0], [nan])
    assert (found.theta, found.x0) == ((0.0, 1.0), (0.0, 1.0))
    # After a rest the state is 0.6·x0 + 0.5, and all of [0.5, 1] is possible.
    assert found.mean == pytest.approx((1 / (1 + math.exp(-0.6 * 0.5)), most))
    assert least < found.mean[0]
    assert rb.upper_bound(arm, [0], [nan], rb.LikelihoodRatioRadius()) == pytest.approx(1 / (1 + math.exp(-1.0)))


def test_what_it_is_not_for_is_refused_by_name() -> None:
    line = rb.ClippedAffine(0.6, -1.0, 0.5)
    with pytest.raises(TypeError, match="BernoulliProbit: it is for exponential families and LaplaceAgent"):
        rule_for(rb.LikelihoodRatioRadius(), rb.Arm(line, rb.BernoulliProbit(1.0, 1.0)))
    with pytest.raises(TypeError, match="under Saturating the state is not a clipped line"):
        rule_for(rb.LikelihoodRatioRadius(), rb.Arm(rb.Saturating(0.5, 1.0, 0.5), rb.BernoulliLogit(1.0, 1.0)))
    with pytest.raises(ValueError, match=r"alpha 1\.5"):
        rule_for(rb.LikelihoodRatioRadius(1.5), rb.Arm(line, rb.BernoulliLogit(1.0, 1.0)))
    assert isinstance(region_of(1), LikelihoodRegion)
