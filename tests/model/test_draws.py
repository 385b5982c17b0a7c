"""Draws follow the law. With u at the middles of N strata nothing is left to chance: the distance between the empirical
and the true distribution function is at most 1/N when the draws are right, so the tests' error rate is 0."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from rogue_bandits.model.gaussian import normal_quantile
from rogue_bandits.types import draw, loglik, mean
from tests.model.families import POINTS, TWINS, Oracle, Twin, points, twins
from tests.oracles import Agent, Logit

STRATA = 4000
Point = tuple[float, float]


def distribution(f: Oracle, theta: float, x: float, r: float) -> float:
    """P(reward ≤ r)."""
    if isinstance(f, Agent):
        if r >= 1.0:
            return 1.0
        return 0.5 * math.exp((r - x) / theta) if r < x else 1.0 - 0.5 * math.exp((x - r) / theta)
    eta = f.theta_weight * theta + f.state_weight * x
    if isinstance(f, Logit):
        return 1.0 if r >= 1.0 else 1.0 / (1.0 + math.exp(eta))
    return float(norm.cdf(r, eta, f.sd))


@pytest.mark.parametrize("twin", TWINS, ids=str)
@pytest.mark.parametrize("point", POINTS)
def test_draws_follow_the_law(twin: Twin, point: Point) -> None:
    drawn = np.array([draw(twin.family, *point, (k + 0.5) / STRATA) for k in range(STRATA)])
    values, last = np.unique(drawn, return_index=True)
    at_most = np.append(last[1:], STRATA) / STRATA
    exact = np.array([distribution(twin.oracle, *point, float(r)) for r in values])
    assert np.abs(at_most - exact).max() <= 1.0 / STRATA
    assert all(math.isfinite(loglik(twin.family, *point, float(r))) for r in values[:: max(1, len(values) // 50)])


@pytest.mark.parametrize("twin", TWINS, ids=str)
@pytest.mark.parametrize("point", POINTS)
def test_the_mean_of_the_draws_is_the_mean(twin: Twin, point: Point) -> None:
    drawn = [draw(twin.family, *point, (k + 0.5) / STRATA) for k in range(STRATA)]
    # The middles of the strata leave an error of the order of the largest jump, or of a normal tail beyond 1/N.
    assert np.mean(drawn) == pytest.approx(mean(twin.family, *point), abs=2.0 / STRATA)


@given(twins, points, st.floats(0.0, 1.0, exclude_min=True, exclude_max=True), st.floats(1e-12, 1.0 - 1e-12))
def test_draws_are_monotone_in_u(twin: Twin, point: Point, u: float, u2: float) -> None:
    u, u2 = sorted((u, u2))
    assert draw(twin.family, *point, u) <= draw(twin.family, *point, u2) + 1e-15


@given(st.floats(1e-300, 1.0 - 2.0**-53))
def test_the_normal_quantile_inverts_the_distribution(u: float) -> None:
    assert normal_quantile(u) == pytest.approx(float(norm.ppf(u)), rel=1e-9, abs=1e-12)
