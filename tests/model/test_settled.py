"""Sums of settled rewards say what the rewards say one by one."""

from __future__ import annotations

import math
from functools import cache
from itertools import product

import numpy as np
import pytest

from rogue_bandits.types import (
    Potential,
    coordinate,
    information,
    kl,
    kl_and_slopes,
    loglik,
    potential,
    settled_kl,
    settled_loglik,
    statistics,
    theta_at,
)
from tests.matrix import pairs_of
from tests.model.families import TWINS, Twin, rewards_of
from tests.oracles.integration import derivative

THETAS = (0.1, 0.15, 0.4, 0.9)
REWARDS = 25

every_twin = pytest.mark.parametrize("twin", TWINS, ids=str)


def seen_states(seed: int) -> list[float]:
    rng = np.random.default_rng(seed)
    return [0.0, 1.0, *map(float, rng.random(REWARDS - 2))]


@cache
def w_at(kind: str, twin: Twin, states: tuple[float, ...], theta: float) -> Potential:
    """W summed exactly, its derivatives from differences. Families with the same numbers are equal, but for `kind`."""

    def value(th: float) -> float:
        return math.fsum(potential(twin.family, th, x) for x in states)

    def slope(th: float) -> float:
        return derivative(value, th, 1e-3 * theta)

    return Potential(value(theta), slope(theta), derivative(slope, theta, 1e-2 * theta))


@every_twin
@pytest.mark.parametrize("theta", THETAS)
def test_settled_loglik_is_the_sum(twin: Twin, theta: float) -> None:
    states, rng = seen_states(1), np.random.default_rng(2)
    rewards = [float(r) for r in rng.choice(rewards_of(twin), REWARDS)]
    each = [statistics(twin.family, x, r) for x, r in zip(states, rewards, strict=True)]
    s1, s2, s3 = (math.fsum(column) for column in zip(*each, strict=True))
    w = math.fsum(potential(twin.family, theta, x) for x in states)
    exact = math.fsum(loglik(twin.family, theta, x, r) for x, r in zip(states, rewards, strict=True))
    assert settled_loglik(twin.family, theta, s1, s2, s3, w) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(("twin", "thetas"), pairs_of(TWINS, [*product(THETAS, THETAS)], 5), ids=str)
def test_settled_kl_is_the_sum(twin: Twin, thetas: tuple[float, float]) -> None:
    theta, theta2 = thetas
    f, states = twin.family, tuple(seen_states(3))
    at, at2 = (w_at(type(f).__name__, twin, states, each) for each in (theta, theta2))
    settled = settled_kl(f, theta, at, theta2, at2)
    exact = (
        math.fsum(kl(f, theta, x, theta2, x) for x in states),
        math.fsum(kl_and_slopes(f, theta, x, theta2, x)[1] for x in states),
        math.fsum(information(f, theta2, x)[0] for x in states),
    )
    assert settled == pytest.approx(exact, rel=1e-5, abs=1e-6)


@every_twin
@pytest.mark.parametrize("theta", THETAS)
def test_theta_at_inverts_coordinate(twin: Twin, theta: float) -> None:
    assert theta_at(twin.family, coordinate(twin.family, theta)) == pytest.approx(theta, rel=1e-15)
