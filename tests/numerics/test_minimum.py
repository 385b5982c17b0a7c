"""Extremes: the least place of a Chebyshev series, and Newton's step in a box."""

from __future__ import annotations

import numpy as np
import pytest

from rogue_bandits.numerics.chebyshev import least_place
from rogue_bandits.numerics.newton_in_box import newton_step

PARABOLA = np.array([0.0, -1.0, 1.0])  # 2 s² − s − 1, least at 0.25


@pytest.mark.parametrize(("a", "b", "least"), [(-1.0, 1.0, 0.25), (1.0, -1.0, 0.25), (0.5, 1.0, 0.5), (-1.0, 0.0, 0.0)])
def test_the_least_place_is_inside_or_at_an_end(a: float, b: float, least: float) -> None:
    assert least_place(PARABOLA, a, b) == pytest.approx(least, abs=1e-7)


def test_a_step_inside_the_box_solves_the_equations() -> None:
    by, bend, step = np.array([1.0, -2.0, 0.5]), np.array([[4.0, 0, 0], [1.0, 3.0, 0], [0.5, -1.0, 2.0]]), np.empty(3)
    newton_step(by, bend, np.zeros(3), np.full(3, -9.0), np.full(3, 9.0), step)
    assert step == pytest.approx(np.linalg.solve(np.tril(bend) + np.tril(bend, -1).T, by), rel=1e-9)


def test_a_dimension_at_its_bound_does_not_move() -> None:
    by, bend, step = np.array([1.0, 1.0]), np.array([[2.0, 0.0], [1.0, 4.0]]), np.empty(2)
    newton_step(by, bend, np.array([1.0, 0.0]), np.zeros(2), np.ones(2), step)
    assert step == pytest.approx([0.0, 0.25])


def test_a_singular_curvature_has_a_finite_step() -> None:
    step = np.empty(2)
    newton_step(np.ones(2), np.ones((2, 2)), np.zeros(2), np.full(2, -1.0), np.ones(2), step)
    assert np.isfinite(step).all()
    assert step.sum() == pytest.approx(1.0, rel=1e-6)
