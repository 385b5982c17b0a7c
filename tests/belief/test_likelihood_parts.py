"""Likelihood-ratio regions of two separate parts, as of rewards that contradict the dynamics: both are found.

The state stays as it is while the arm is played, and rests lift it to its bound from some x0 on. From there the rewards
after the rests do not depend on x0; their level is chosen so that the best x0 on each side are about as likely.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief.contract import refit
from rogue_bandits.belief.history import belief_from
from rogue_bandits.belief.lines import line_region
from rogue_bandits.belief.radius import rule_for
from rogue_bandits.types import Floats
from tests.belief.cases import oracle_model
from tests.interpreted import interpreted as interpreted
from tests.matrix import FULL, some_of
from tests.oracles.history import brute_loglik

pytestmark = pytest.mark.usefixtures("interpreted")
ALPHA = 0.05
SEEDS = [*range(200)] if FULL else [25, 120, 162]  # the likelier part is the upper one or the lower one


class Contradiction(NamedTuple):
    """An arm with its history, and the points of a fine grid that are inside the region."""

    arm: rb.Arm
    played: list[float]
    rewards: list[float]
    x0: Floats  # inside with some theta
    means: Floats  # of the next reward, inside
    likely: Floats  # x0 inside with some theta, by the lower bound of the mixture that the library has in its place


@cache
def contradiction(seed: int) -> Contradiction:
    rng = np.random.default_rng(seed)
    step, rests, weight = float(rng.uniform(0.05, 0.15)), int(rng.integers(3, 8)), float(rng.uniform(3.0, 9.0))
    theta, scale = float(rng.choice([0.001, 0.05])), float(rng.uniform(0.1, 0.5))
    arm = rb.Arm(rb.ClippedAffine(1.0, -step, step), rb.Gaussian(1.0, weight, scale), -theta, theta)
    before, after = (int(n) for n in rng.integers(5, 80, 2))
    first = weight * rng.uniform(max(0.5, 1.0 - step * rests), 1.0)
    # Squared errors: after·(weight − later)² at the bound; before·after/(before + after)·(lifted − later)² below it.
    ratio, lifted = math.sqrt(before / (before + after)), first + weight * step * rests
    later = (weight - ratio * lifted) / (1.0 - ratio) + 0.02 * rng.normal()
    played = [1.0] * before + [0.0] * rests + [1.0] * after
    rewards = [first] * before + [math.nan] * rests + [later] * after
    return Contradiction(arm, played, rewards, *inside(arm, played, rewards))


def least_loglik(arm: rb.Arm, played: list[float], rewards: list[float]) -> float:
    """The log-likelihood at the edge of the region, which has a lower bound in place of the mixture."""
    belief = belief_from(arm, played, rewards)
    refit(belief, 0, 0, True)
    region = line_region(belief, 0, 0, rule_for(rb.LikelihoodRatioRadius(ALPHA), arm), math.log(len(played) + 1))
    return float(region.least)


def inside(arm: rb.Arm, played: list[float], rewards: list[float]) -> tuple[Floats, Floats, Floats]:
    model, x0, thetas = oracle_model(arm), np.linspace(0.0, 1.0, 2_001), np.linspace(arm.theta_lo, arm.theta_hi, 21)
    loglik = np.array([brute_loglik(model, played, rewards, np.full(x0.size, theta), x0) for theta in thetas])
    top = loglik.max()
    mixture = top + math.log(np.mean(np.exp(loglik - top)))
    held = loglik >= mixture + math.log(ALPHA) + 0.02  # the sum over the grid may be above the integral
    means = thetas[:, None] + arm.rewards.state_weight * model.walk(x0, played).states[:, -1]
    likely = loglik >= least_loglik(arm, played, rewards) - 0.02
    return x0[held.any(axis=0)], means[held], x0[likely.any(axis=0)]


@pytest.mark.parametrize("seed", SEEDS)
def test_both_parts_are_inside_the_intervals(seed: int) -> None:
    case = contradiction(seed)
    _, x0, means = rb.fit_intervals(case.arm, case.played, case.rewards, ALPHA)
    assert x0[0] <= case.x0.min() + 1e-6
    assert x0[1] >= case.x0.max() - 1e-6
    assert means[0] <= case.means.min() + 1e-6
    assert means[1] >= case.means.max() - 1e-6
    assert x0[0] >= case.likely.min() - 1e-3  # two steps of the grid
    assert x0[1] <= case.likely.max() + 1e-3


def test_the_cases_have_two_parts() -> None:
    """Otherwise they would prove nothing."""
    parts = [1 + int((np.diff(contradiction(seed).x0) > 0.01).sum()) for seed in SEEDS]
    assert sum(n == 2 for n in parts) >= (40 if FULL else len(SEEDS))


@pytest.mark.parametrize(("rests", "at", "before", "after"), some_of([(5, 0.6571, 50, 132), (3, 0.7651, 72, 185)], 1))
def test_both_parts_of_an_agent_are_inside(rests: int, at: float, before: int, after: int) -> None:
    """Its likeliest theta is the mean deviation S/n, and n·log S is not convex: lines through samples do not bound it.

    Rests lift x0 by 0.05 each, and to 1 from `bound` on. The rewards agree with x0 = `at` after the rests, and with one
    beyond `bound` before them, about as well.
    """
    arm = rb.Arm(rb.ClippedAffine(1.0, -0.05, 0.05), rb.LaplaceAgent(), 0.01, 1.0)
    bound, lifted = 1.0 - 0.05 * rests, at + 0.05 * rests
    first = at + after * (bound - at) / before + 0.0005
    played = [1.0] * before + [0.0] * rests + [1.0] * after
    rewards = [first] * before + [math.nan] * rests + [lifted] * after
    n = before + after

    def likeliest(x0: float) -> float:
        deviations = before * abs(first - x0) + after * abs(lifted - min(x0 + 0.05 * rests, 1.0))
        return -n * math.log(2.0 * deviations / n) - n

    assert likeliest(first) - 1.0 < likeliest(at) < likeliest(first)
    low, high = rb.fit_intervals(arm, played, rewards, ALPHA).x0
    assert low < at < bound < first < high
