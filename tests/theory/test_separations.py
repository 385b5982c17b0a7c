"""Epsilon_a and delta_a against a search over points that goes through the plays one by one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.types import kl, mean, next_state
from tests.matrix import FULL, some_of

PAIRS = 600 if FULL else 50
LOGIT = [
    rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6)),
    rb.Arm(rb.ClippedAffine(0.7, -1.2, 0.5), rb.BernoulliLogit(0.7, 0.3)),
]
SLOW = [
    rb.Arm(rb.ClippedAffine(0.9, -0.1, 0.02, -1.0, 1.0), rb.BernoulliLogit(1.0, 2.0), -1.0, 1.0),
    rb.Arm(rb.ClippedAffine(-0.8, -0.2, 0.3, -1.0, 1.0), rb.BernoulliLogit(-1.5, 1.0), -1.0, 1.0),
]
NORMAL = [
    rb.Arm(rb.ClippedAffine(1.0, -0.05, 0.03), rb.Gaussian(1.0, 2.0, 0.5)),
    rb.Arm(rb.ClippedAffine(0.5, -0.2, 0.3), rb.Gaussian(0.5, -1.0, 0.8)),
]
AGENT = [
    rb.Arm(rb.ClippedAffine(0.8, -0.3, 0.2), rb.LaplaceAgent(), 0.1, 1.0),
    rb.Arm(rb.ClippedAffine(0.9, -0.2, 0.1), rb.LaplaceAgent(), 0.05, 0.5),
]
CASES = [
    (rb.Truth(LOGIT, [0.5, 0.7], [0.1, 0.3]), [1, 0, 0, 1, 1, 0, 1, 0, 1]),
    (rb.Truth(SLOW, [0.5, -0.7], [0.4, -0.3]), [0, 1, 1, 0, 0, 1, -1, 0, 1, 1, 0]),
    (rb.Truth(NORMAL, [0.5, 0.7], [0.1, 0.3]), [0, 0, 1, 0, 1, 1]),
    (rb.Truth(AGENT, [0.4, 0.1], [0.3, 0.6]), [1, 0, 1, 1, 0, 0, 1]),
]
Point = tuple[float, float]


def path(arm: rb.Arm, x0: float, plays: list[int], k: int) -> list[float]:
    """The states of an arm, decision by decision, and the next."""
    states = [x0]
    for played in plays:
        states.append(next_state(arm.dynamics, states[-1], float(played == k)))
    return states


def brute_epsilon(truth: rb.Truth, plays: list[int]) -> list[float]:
    """The least difference of means from another arm, over the decisions."""
    paths = [path(arm, x0, plays, k) for k, (arm, x0) in enumerate(zip(truth.arms, truth.x0, strict=True))]
    means = [
        [mean(arm.rewards, theta, x) for x in states[:-1]]
        for arm, theta, states in zip(truth.arms, truth.theta, paths, strict=True)
    ]
    every = range(len(means))
    return [
        min(abs(a - b) for j in every if j != k for a, b in zip(means[k], means[j], strict=True) if a != b)
        for k in every
    ]


def brute_delta(arm: rb.Arm, start: Point, plays: list[int], k: int, gap: float) -> float:
    """Try a grid of (theta, x0), then finer ones around the best point there was."""
    f, d, truth = arm.rewards, arm.dynamics, path(arm, start[1], plays, k)
    times = [t for t, played in enumerate(plays) if played == k]

    def cost(theta: float, states: list[float]) -> float:
        if abs(mean(f, theta, states[-1]) - mean(f, start[0], truth[-1])) < gap * (1 - 1e-12):
            return math.inf
        return sum(kl(f, start[0], truth[t], theta, states[t]) for t in times) / len(times)

    width = np.array([arm.theta_hi - arm.theta_lo, d.hi - d.lo]) / 2
    centre = np.array([arm.theta_lo + arm.theta_hi, d.lo + d.hi]) / 2
    best, points = math.inf, 41
    for _ in range(16):
        thetas = np.clip(np.linspace(centre[0] - width[0], centre[0] + width[0], points), arm.theta_lo, arm.theta_hi)
        x0s = np.clip(np.linspace(centre[1] - width[1], centre[1] + width[1], points), d.lo, d.hi)
        paths = [(x0, path(arm, x0, plays, k)) for x0 in np.unique(x0s).tolist()]
        found = min((cost(theta, states), theta, x0) for theta in np.unique(thetas).tolist() for x0, states in paths)
        if found[0] < best:
            best, centre = found[0], np.array(found[1:])
        width, points = width / 1.7, 17
    return best


@pytest.mark.parametrize(("truth", "plays"), CASES)
def test_epsilon_and_delta_are_those_of_a_search(truth: rb.Truth, plays: list[int]) -> None:
    found = rb.theory.separation(truth, plays)
    assert found.epsilon == pytest.approx(brute_epsilon(truth, plays))
    assert found.plays == [plays.count(0), plays.count(1)]
    for k, arm in enumerate(truth.arms):
        searched = brute_delta(arm, (truth.theta[k], truth.x0[k]), plays, k, found.epsilon[k] / 2)
        assert found.delta[k] == pytest.approx(searched, rel=2e-2, abs=1e-9)
        assert found.delta[k] <= searched * (1 + 1e-6) + 1e-12


@pytest.mark.parametrize(("truth", "plays"), some_of(CASES, 2))
def test_no_pair_is_farther_than_the_truth_and_random_pairs_are_not_nearer(truth: rb.Truth, plays: list[int]) -> None:
    one, pairs = rb.theory.separation(truth, plays), rb.theory.separation_of_pairs(truth, plays)
    assert pairs.epsilon == one.epsilon
    rng = np.random.default_rng(1)
    for k, arm in enumerate(truth.arms):
        assert pairs.delta[k] <= one.delta[k]
        times, close = [t for t, played in enumerate(plays) if played == k], math.inf
        lo, hi = (arm.theta_lo, arm.dynamics.lo), (arm.theta_hi, arm.dynamics.hi)
        for p, q in zip(rng.uniform(lo, hi, (PAIRS, 2)), rng.uniform(lo, hi, (PAIRS, 2)), strict=True):
            a, b = path(arm, float(p[1]), plays, k), path(arm, float(q[1]), plays, k)
            f, theta, theta2 = arm.rewards, float(p[0]), float(q[0])
            if abs(mean(f, theta, a[-1]) - mean(f, theta2, b[-1])) >= one.epsilon[k] / 2:
                close = min(close, sum(kl(f, theta, a[t], theta2, b[t]) for t in times) / len(times))
        assert pairs.delta[k] <= close * 1.05 + 1e-12


def test_one_reward_cannot_tell_theta_from_x0() -> None:
    """Played once, at its first state: some (theta, x0) gives the same mean then, and another now."""
    truth = rb.Truth(LOGIT, [0.5, 0.7], [0.4, 0.5])
    assert rb.theory.separation(truth, [0, 1, -1]).delta[0] == 0.0


def test_without_a_play_there_is_no_delta_and_without_a_difference_no_epsilon() -> None:
    truth = rb.Truth([LOGIT[0], LOGIT[0]], [0.5, 0.5], [0.1, 0.1])
    found = rb.theory.separation(truth, [-1, -1])
    assert (found.epsilon, found.delta, found.plays) == ([math.inf, math.inf], [0.0, 0.0], [0, 0])
    alone = rb.theory.separation(rb.Truth([LOGIT[0]], [0.5], [0.1]), [0, 0])
    assert (alone.epsilon, alone.delta) == ([math.inf], [math.inf])


def test_delta_settles_as_plays_go_on() -> None:
    """Once x0 is forgotten, delta is an average over plays at a few states in turn: it no longer moves by much."""
    truth, cycle = rb.Truth(LOGIT, [0.5, 0.7], [0.1, 0.3]), [1, 0, 1, 1, 0, 1, 1]
    near, far = (rb.theory.separation(truth, cycle * n).delta for n in (100, 200))
    assert far == pytest.approx(near, rel=1e-2)


@pytest.mark.parametrize(
    ("truth", "plays", "message"),
    [
        (CASES[0][0]._replace(theta=[0.5, 1.7]), [0], "truth of arm 1, theta 1.7 must be from 0.0 to 1.0"),
        (CASES[0][0]._replace(x0=[-0.5, 0.7]), [0], "truth of arm 0, x0 -0.5 must be from 0.0 to 1.0"),
        (CASES[0][0], [], "must be a list of arm numbers, one or more"),
        (CASES[0][0], [0.5], "must be a list of arm numbers, one or more"),
        (CASES[0][0], [0, 2], "decision 1: arm 2 must be from 0 to 1, or -1 for none"),
    ],
)
def test_bad_input_is_refused_in_words(truth: rb.Truth, plays: Any, message: str) -> None:
    for measure in (rb.theory.separation, rb.theory.separation_of_pairs):
        with pytest.raises(ValueError, match=message):
            measure(truth, plays)


def test_coupled_arms_are_refused() -> None:
    arm = rb.Arm(rb.Coupled(0.5, (-0.25, -1.0), 0.5), rb.BernoulliLogit(0.4, 0.6))
    with pytest.raises(TypeError, match="separation is not defined for Coupled dynamics"):
        rb.theory.separation(rb.Truth([arm, arm], [0.5, 0.7], [0.1, 0.3]), [0, 1])
