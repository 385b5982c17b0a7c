"""The naive method finds what the library finds, up to the width of its grid: to compare their costs is fair."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rogue_bandits as rb
from benchmarks.naive import POINTS, moved, naive_choose, naive_fit, naive_upper_bound, success
from benchmarks.truths import LOGISTIC

LENGTHS = (1, 5, 20, 60, 150)


def history(k: int, length: int) -> tuple[list[bool], list[float]]:
    """Arm k of the paper's logistic truth, played every other time."""
    arm, random = LOGISTIC.arms[k], np.random.default_rng([k, length])
    x, theta = np.array(LOGISTIC.x0[k]), np.array(LOGISTIC.theta[k])
    played, rewards = [], []
    for t in range(length):
        p = t == 0 or bool(random.random() < 0.5)
        played.append(p)
        rewards.append(float(random.random() < success(arm, theta, x)) if p else math.nan)
        x = moved(arm, x, p)
    return played, rewards


def cell(arm: rb.Arm, points: int = POINTS) -> float:
    """How far the natural parameter moves across one cell of the grid."""
    width = float(arm.rewards.theta_weight + arm.rewards.state_weight)
    return width / (points - 1)


@pytest.mark.parametrize("k", [0, 1])
@pytest.mark.parametrize("length", LENGTHS)
def test_the_fits_are_equally_likely(k: int, length: int) -> None:
    arm, (played, rewards) = LOGISTIC.arms[k], history(k, length)
    exact, naive = rb.fit(arm, played, rewards), naive_fit(arm, played, rewards)
    lost = exact.n * cell(arm) ** 2 / 8  # a quadratic whose curvature in the natural parameter is at most 1/4
    assert exact.loglik - lost <= naive.loglik <= exact.loglik + 1e-9


@pytest.mark.parametrize("k", [0, 1])
@pytest.mark.parametrize("length", LENGTHS)
def test_the_upper_bounds_differ_by_at_most_a_cell(k: int, length: int) -> None:
    arm, (played, rewards) = LOGISTIC.arms[k], history(k, length)
    exact = rb.upper_bound(arm, played, rewards)
    assert naive_upper_bound(arm, played, rewards) == pytest.approx(exact, abs=cell(arm) / 4)


def test_a_finer_grid_comes_nearer() -> None:
    arm, (played, rewards) = LOGISTIC.arms[1], history(1, 60)
    exact = rb.upper_bound(arm, played, rewards)
    assert naive_upper_bound(arm, played, rewards, points=250) == pytest.approx(exact, abs=cell(arm, 250) / 4)


def exact_bounds(chosen: list[int], rewards: list[float]) -> list[float]:
    """The library's upper bound of each arm."""
    bounds = []
    for k, arm in enumerate(LOGISTIC.arms):
        own = [r if c == k else math.nan for c, r in zip(chosen, rewards, strict=True)]
        bounds.append(rb.upper_bound(arm, [c == k for c in chosen], own))
    return bounds


def test_it_chooses_as_the_library_does_unless_the_bounds_are_within_a_cell() -> None:
    random, widest = np.random.default_rng(1), max(map(cell, LOGISTIC.arms)) / 4
    chosen, rewards, clear = [0, 1], [1.0, 0.0], 0
    for _ in range(60):
        arm, bounds = naive_choose(LOGISTIC.arms, chosen, rewards), exact_bounds(chosen, rewards)
        if abs(bounds[0] - bounds[1]) > 2 * widest:
            clear += 1
            assert arm == int(np.argmax(bounds))
        chosen.append(arm)
        rewards.append(float(random.random() < 0.64))
    assert clear >= 30


def test_every_arm_is_tried_first() -> None:
    assert naive_choose(LOGISTIC.arms, [], []) == 0
    assert naive_choose(LOGISTIC.arms, [0], [1.0]) == 1
