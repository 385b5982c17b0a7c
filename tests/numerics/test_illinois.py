"""Secants that keep a zero in between find it, wherever it lies."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rogue_bandits.numerics.illinois import Bracket, narrowed, next_point

RISING: dict[str, Callable[[float], float]] = {
    "a line": lambda y: y,
    "a cube": lambda y: y**3,
    "steep, then flat": lambda y: math.atan(50.0 * y),
    "flat, then steep": lambda y: math.expm1(20.0 * y),
}


@pytest.mark.parametrize("name", RISING)
@given(zero=st.floats(0.001, 0.999), mirrored=st.booleans())
def test_the_zero_is_found_and_stays_in_between(name: str, zero: float, mirrored: bool) -> None:
    def f(x: float) -> float:
        return RISING[name](zero - x if mirrored else x - zero)

    a, b = (1.0, 0.0) if mirrored else (0.0, 1.0)
    search = Bracket(a, f(a), b, f(b), 0)
    for step in range(200):
        at = next_point(search, step % 4 == 3)
        assert min(search.a, search.b) <= at <= max(search.a, search.b)
        search = narrowed(search, at, f(at))
        assert f(search.a) <= 0.0 < f(search.b)
        if abs(search.b - search.a) < 1e-9:
            break
    assert search.a == pytest.approx(zero, abs=1e-8)
