"""States stay in bounds, and a line composed step by step is the recursion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine, first_line, is_settled, slope_at, state_on_line
from rogue_bandits.types import Line, next_line, next_state
from tests import oracles

decays = st.one_of(st.sampled_from([-1.0, -0.9, 0.0, 0.3, 0.99, 1.0]), st.floats(-1.0, 1.0))
moves = st.one_of(st.just(0.0), st.floats(-2.0, 2.0))
ends = st.tuples(st.floats(-3.0, 3.0), st.one_of(st.just(0.0), st.floats(0.01, 3.0)))
dynamics = st.builds(lambda decay, pull, drift, end: ClippedAffine(decay, pull, drift, end[0], end[0] + end[1]),
                     decays, moves, moves, ends)  # fmt: skip
histories = st.lists(st.sampled_from([0.0, 1.0]), max_size=40)
fractions = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0.0, 1.0))


def start(d: ClippedAffine, fraction: float) -> float:
    return min(d.lo + fraction * (d.hi - d.lo), d.hi)


def line_after(d: ClippedAffine, played: list[float]) -> Line:
    line = first_line(d)
    for played_t in played:
        line = next_line(d, line, played_t)
    return line


@given(dynamics, histories, fractions)
def test_states_stay_in_bounds_and_follow_the_recursion(d: ClippedAffine, played: list[float], at: float) -> None:
    x = start(d, at)
    for played_t, x_tp1 in zip(played, oracles.states(*d, x, played)[1:], strict=True):
        x = next_state(d, x, played_t)
        assert d.lo <= x <= d.hi
        assert x == pytest.approx(float(x_tp1), abs=1e-15)


@given(dynamics, histories, fractions)
def test_a_line_is_the_recursion_for_every_x0(d: ClippedAffine, played: list[float], at: float) -> None:
    x0, line = start(d, at), first_line(d)
    for played_t, x_tp1 in zip(played, oracles.states(*d, x0, played)[1:], strict=True):
        line = next_line(d, line, played_t)
        assert d.lo <= line.lo <= line.hi <= d.hi
        # Rounding grows with the free offset, at most |pull| + |drift| + |x| a step.
        assert state_on_line(line, x0) == pytest.approx(float(x_tp1), abs=1e-15 * (10.0 + 7.0 * len(played)))


@given(dynamics, histories, fractions)
def test_settled_means_that_both_ends_agree(d: ClippedAffine, played: list[float], at: float) -> None:
    line = line_after(d, played)
    low, high, middle = oracles.states(*d, np.array([d.lo, d.hi, start(d, at)]), played)[:, -1]
    scale = max(abs(d.lo), abs(d.hi))
    if is_settled(d, line):
        assert abs(high - low) <= 1e-14 * scale + 1e-15 * (10.0 + 7.0 * len(played))
        assert state_on_line(line, start(d, at)) == pytest.approx(float(middle), abs=1e-15 * (10.0 + 7.0 * len(played)))
    elif d.decay not in (-1.0, 1.0):
        # The spread of a line that has not settled is a true one: rounding has not kept it open.
        assert abs(d.decay) ** len(played) * (d.hi - d.lo) >= 1e-16 * scale


@given(dynamics, histories, st.floats(0.001, 0.999))
def test_the_slope_is_that_of_the_recursion(d: ClippedAffine, played: list[float], at: float) -> None:
    x0, step = start(d, at), 1e-6 * (d.hi - d.lo)
    line = line_after(d, played)
    before, here, after = oracles.states(*d, np.array([x0 - step, x0, x0 + step]), played)[:, -1]
    left, right = here - before, after - here
    if step > 0.0 and abs(left - right) <= 1e-9 * step:  # no kink nearby
        assert slope_at(line, x0, d.lo, d.hi) == pytest.approx(float(after - before) / (2.0 * step), abs=1e-6)


@given(dynamics, histories, st.sampled_from([0.0, 1.0]))
def test_at_the_bounds_of_x0_the_slope_is_taken_from_inside(d: ClippedAffine, played: list[float], at: float) -> None:
    line, x0 = line_after(d, played), start(d, at)
    exact = oracles.slopes(*d, x0, played)[-1]
    after = oracles.slopes(*d, x0 + (1e-6 if at == 0.0 else -1e-6) * (d.hi - d.lo), played)[-1]
    if exact == after and not is_settled(d, line):  # no kink nearby
        assert slope_at(line, x0, d.lo, d.hi) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("rests", range(60))
def test_the_slope_at_a_bound_shrinks_to_nothing(rests: int) -> None:
    """While the line shrinks, x0 = hi stays at its upper end, and lower x0 still lead lower."""
    d = ClippedAffine(decay=0.6, pull=0.0, drift=0.01, lo=0.0, hi=3.0)
    slope = slope_at(line_after(d, [0.0] * rests), d.hi, d.lo, d.hi)
    assert slope == pytest.approx(0.6**rests if 3.0 * 0.6**rests > 1e-14 else 0.0, abs=1e-14)


def test_at_a_kink_between_the_bounds_the_slope_is_0() -> None:
    d = ClippedAffine(decay=1.0, pull=-0.5, drift=0.0)  # a play takes every x0 up to 0.5 down to 0
    line = line_after(d, [1.0])
    assert [slope_at(line, x0, 0.0, 1.0) for x0 in (0.0, 0.4, 0.5, 0.5 + 1e-6, 1.0)] == [0.0, 0.0, 0.0, 1.0, 1.0]
