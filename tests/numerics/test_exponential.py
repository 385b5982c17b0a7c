"""The exponential of numbers that are not positive, against the C library's."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from rogue_bandits.numerics.exponential import LOWEST, exp_below


@given(st.floats(LOWEST, 0.0))
def test_it_is_the_exponential(x: float) -> None:
    assert math.isclose(exp_below(x), math.exp(x), rel_tol=1e-12)


def test_what_is_below_its_range_is_nothing() -> None:
    assert exp_below(math.nextafter(LOWEST, -math.inf)) == exp_below(-math.inf) == 0.0
