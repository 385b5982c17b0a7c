"""Minimisation in a box: minima inside, at bounds and at kinks, interpreted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from rogue_bandits.numerics.nelder_mead import minimise, objective
from rogue_bandits.types import Floats

LO, HI, SIZES = np.full(2, -2.0), np.full(2, 2.0), np.array([0.1, 0.02])


class Valley(NamedTuple):
    """Rosenbrock's function, with its minimum at (1, 1)."""

    steepness: float


class Kinked(NamedTuple):
    """|p0 − 3| + |p1 − 0.5|, infinite where p1 is above a limit."""

    limit: float


@objective.register(Valley)
def valley(problem: Valley, p: Floats) -> float:
    return float((1.0 - p[0]) ** 2 + problem.steepness * (p[1] - p[0] ** 2) ** 2)


@objective.register(Kinked)
def kinked(problem: Kinked, p: Floats) -> float:
    return abs(p[0] - 3.0) + abs(p[1] - 0.5) if p[1] <= problem.limit else np.inf


def test_a_curved_valley_is_followed() -> None:
    best, least = minimise(Valley(100.0), np.array([-1.2, 1.0]), np.arange(2), LO, HI, SIZES, 1e-12)
    assert best == pytest.approx([1.0, 1.0], abs=1e-3)
    assert least == valley(Valley(100.0), best)


def test_a_minimum_at_a_bound_and_a_kink() -> None:
    best, _ = minimise(Kinked(1.0), np.array([0.0, 0.0]), np.arange(2), LO, HI, SIZES, 1e-12)
    assert best == pytest.approx([2.0, 0.5], abs=1e-5)


def test_what_is_not_free_stays() -> None:
    best, _ = minimise(Valley(1.0), np.array([0.3, 0.0]), np.array([1]), LO, HI, SIZES, 1e-12)
    assert best == pytest.approx([0.3, 0.09], abs=1e-5)
    assert minimise(Kinked(1.0), np.array([0.3, 0.2]), np.arange(0), LO, HI, SIZES, 1e-12)[0].tolist() == [0.3, 0.2]


def test_infinite_values_end_the_search() -> None:
    best, least = minimise(Kinked(-9.0), np.zeros(2), np.arange(2), LO, HI, SIZES, 1e-12)
    assert (best.tolist(), least) == ([0.0, 0.0], np.inf)
