"""Agents with other noise than Laplace's, and a link of one's own, against scipy's distributions."""

from __future__ import annotations

import math
from typing import Any

import pytest
from scipy import stats
from scipy.integrate import quad

import rogue_bandits as rb
from rogue_bandits.types import draw, information, kl, loglik, mean

AGENTS: list[tuple[Any, Any]] = [(rb.GaussianAgent(), stats.norm), (rb.LogisticAgent(), stats.logistic)]
POINTS = ((0.2, 0.3), (0.05, 0.9), (0.6, 0.0), (1.0, 1.0), (0.02, 0.5))
every_agent = pytest.mark.parametrize(("agent", "noise"), AGENTS)
every_point = pytest.mark.parametrize("point", POINTS)
Point = tuple[float, float]


def log_law(noise: Any, theta: float, x: float, r: float) -> float:
    """The paper's formula: F at 0, 1 − F at 1, the density between.  [Sec. 2.4.1]"""
    if r == 0.0:
        return float(noise.logcdf(-x / theta))
    return float(noise.logsf((1.0 - x) / theta)) if r == 1.0 else float(noise.logpdf(r, x, theta))


def expected(noise: Any, theta: float, x: float, h: Any) -> float:
    """E h(r), by scipy."""
    lo, hi = max(0.0, x - 40.0 * theta), min(1.0, x + 40.0 * theta)
    inner = quad(lambda r: h(r) * noise.pdf(r, x, theta), lo, hi, points=[min(max(x, lo), hi)], epsabs=1e-13, limit=200)
    return float(inner[0] + h(0.0) * noise.cdf(-x / theta) + h(1.0) * noise.sf((1.0 - x) / theta))


@every_agent
@every_point
def test_loglik_is_the_papers_formula(agent: Any, noise: Any, point: Point) -> None:
    for r in (0.0, 0.1, 0.5, 0.97, 1.0):
        assert loglik(agent, *point, r) == pytest.approx(log_law(noise, *point, r), rel=1e-11)


@every_agent
@every_point
def test_mean_and_kl_are_expectations(agent: Any, noise: Any, point: Point) -> None:
    assert mean(agent, *point) == pytest.approx(expected(noise, *point, lambda r: r), abs=1e-10)
    for other in POINTS:

        def ratio(r: float, other: Point = other) -> float:
            return log_law(noise, *point, r) - log_law(noise, *other, r)

        exact = expected(noise, *point, ratio)
        assert kl(agent, *point, *other) == pytest.approx(exact, rel=1e-7, abs=1e-9)


@every_agent
@every_point
def test_information_is_the_curvature_of_kl(agent: Any, noise: Any, point: Point) -> None:
    theta, x = point
    h = 1e-3 * theta
    about_theta = (kl(agent, theta, x, theta + h, x) + kl(agent, theta, x, theta - h, x)) / h**2
    about_x = (kl(agent, theta, x, theta, x + h) + kl(agent, theta, x, theta, x - h)) / h**2
    found = information(agent, theta, x)
    assert (found[0], found[2]) == pytest.approx((about_theta, about_x), rel=1e-4)


@every_agent
@every_point
def test_draws_are_the_clipped_quantiles_of_the_noise(agent: Any, noise: Any, point: Point) -> None:
    for u in (1e-6, 0.1, 0.5, 0.9, 1.0 - 1e-6):
        exact = min(max(float(noise.ppf(u, point[1], point[0])), 0.0), 1.0)
        assert draw(agent, *point, u) == pytest.approx(exact, abs=1e-9)


@every_point
def test_the_probit_link(point: Point) -> None:
    f = rb.BernoulliProbit(0.8, -1.5)
    eta = 0.8 * point[0] - 1.5 * point[1]
    assert mean(f, *point) == pytest.approx(stats.norm.cdf(eta), rel=1e-13)
    assert loglik(f, *point, 1.0) == pytest.approx(stats.norm.logcdf(eta), rel=1e-12)
    assert loglik(f, *point, 0.0) == pytest.approx(stats.norm.logsf(eta), rel=1e-12)
    about_eta = stats.norm.pdf(eta) ** 2 / (stats.norm.cdf(eta) * stats.norm.sf(eta))
    exact = [a * b * about_eta for a, b in ((0.8, 0.8), (0.8, -1.5), (-1.5, -1.5))]
    assert information(f, *point) == pytest.approx(exact, rel=1e-12)
    p, q = stats.norm.cdf(eta), stats.norm.cdf(0.8 * 1.0 - 1.5 * -2.0)
    diverged = p * math.log(p / q) + (1.0 - p) * (stats.norm.logsf(eta) - stats.norm.logsf(0.8 + 3.0))
    assert kl(f, *point, 1.0, -2.0) == pytest.approx(diverged, rel=1e-9)


def test_the_probit_link_is_refused_where_it_cannot_be_told_from_certainty() -> None:
    arm = rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliProbit(6.0, 3.0))
    with pytest.raises(ValueError, match=r"reaches ±9 and must stay from -8 to 8"):
        rb.Bandit([arm, arm], rb.Random())
