"""Quantiles of Student's t against scipy."""

from __future__ import annotations

import pytest
from scipy import stats

from rogue_bandits.numerics.student import student_quantile


@pytest.mark.parametrize("degrees", [4, 5, 8, 20, 36, 1_000])
def test_the_quantile_is_right_to_a_thousandth(degrees: int) -> None:
    for p in (0.025, 0.5, 0.9, 0.975):
        assert student_quantile(p, degrees) == pytest.approx(stats.t.ppf(p, degrees), rel=1e-3, abs=1e-9)
