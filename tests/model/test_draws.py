"""Draws follow the law. With u at the middles of N strata nothing is left to chance: the distance between the empirical
and the true distribution function is at most 1/N when the draws are right, so the tests' error rate is 0."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import norm

from rogue_bandits.numerics.normal import normal_quantile
from rogue_bandits.types import draw, loglik, mean
from tests.matrix import FULL, pairs_of
from tests.model.families import POINTS, TWINS, Oracle, Twin, points, twins
from tests.oracles import Agent, Logit, Normal, Tilted
from tests.oracles.dynamics import Floats

STRATA = 4000 if FULL else 1000
Point = tuple[float, float]
CASES = pairs_of(TWINS, POINTS, 2)


def distributions(f: Oracle, theta: float, x: float, values: Floats) -> Floats:
    """P(reward ≤ r) for each r."""
    if isinstance(f, Tilted):
        return cumulative(f, f.theta_weight * theta + f.state_weight * x, values)
    return np.array([distribution(f, theta, x, float(r)) for r in values])


def distribution(f: Logit | Normal | Agent, theta: float, x: float, r: float) -> float:
    """P(reward ≤ r)."""
    if isinstance(f, Agent):
        if r >= 1.0:
            return 1.0
        return 0.5 * math.exp((r - x) / theta) if r < x else 1.0 - 0.5 * math.exp((x - r) / theta)
    eta = f.theta_weight * theta + f.state_weight * x
    if isinstance(f, Logit):
        return 1.0 if r >= 1.0 else 1.0 / (1.0 + math.exp(eta))
    return float(norm.cdf(r, eta, f.sd))


def cumulative(f: Tilted, eta: float, r: Floats) -> Floats:
    """The same by scipy, which knows each of these laws under its own name."""
    if f.kind == "exponential":
        return np.asarray(np.expm1(eta * r) / np.expm1(eta))
    lo, hi = -eta / f.known, (1.0 - eta) / f.known
    laws: dict[str, Any] = {
        "poisson": lambda: stats.poisson(math.exp(eta)),
        "binomial": lambda: stats.binom(int(f.known), 1.0 / (1.0 + math.exp(-eta))),
        "normal": lambda: stats.truncnorm(lo, hi, eta, f.known),
        "beta": lambda: stats.beta(eta, f.known),
    }
    return np.asarray(laws[f.kind]().cdf(r))


@cache
def draws(kind: str, twin: Twin, point: Point) -> Floats:
    """One in the middle of each stratum. Two families with the same numbers are equal, but for their `kind`."""
    return np.array([draw(twin.family, *point, (k + 0.5) / STRATA) for k in range(STRATA)])


@pytest.mark.parametrize(("twin", "point"), CASES, ids=str)
def test_draws_follow_the_law(twin: Twin, point: Point) -> None:
    drawn = draws(type(twin.family).__name__, twin, point)
    values, last = np.unique(drawn, return_index=True)
    at_most = np.append(last[1:], STRATA) / STRATA
    exact = distributions(twin.oracle, *point, values)
    assert np.abs(at_most - exact).max() <= 1.0 / STRATA
    assert all(math.isfinite(loglik(twin.family, *point, float(r))) for r in values[:: max(1, len(values) // 50)])


@pytest.mark.parametrize(("twin", "point"), CASES, ids=str)
def test_the_mean_of_the_draws_is_the_mean(twin: Twin, point: Point) -> None:
    drawn = draws(type(twin.family).__name__, twin, point)
    # The middles of the strata leave an error of the order of the largest jump, or of a tail beyond 1/N.
    jump = max(1.0, np.diff(drawn).max())
    assert np.mean(drawn) == pytest.approx(mean(twin.family, *point), abs=3.0 * jump / STRATA)


@given(twins, points, st.floats(0.0, 1.0, exclude_min=True, exclude_max=True), st.floats(1e-12, 1.0 - 1e-12))
def test_draws_are_monotone_in_u(twin: Twin, point: Point, u: float, u2: float) -> None:
    u, u2 = sorted((u, u2))
    assert draw(twin.family, *point, u) <= draw(twin.family, *point, u2) + 1e-15


@given(st.floats(1e-300, 1.0 - 2.0**-53))
def test_the_normal_quantile_inverts_the_distribution(u: float) -> None:
    assert normal_quantile(u) == pytest.approx(float(norm.ppf(u)), rel=1e-9, abs=1e-12)
