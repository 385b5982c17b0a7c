"""The laws of rewards against scipy's distributions, and their slopes against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from rogue_bandits.estimate.ladder.laws import (
    Agent,
    Gamma,
    Logit,
    Normal,
    Poisson,
    digamma,
    draw_of,
    log_gamma,
    mean_of,
    terms,
    trigamma,
)
from rogue_bandits.estimate.ladder.logliks import loglik_of
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.types import Floats, loglik, mean

ETA = np.array([-0.7, 0.2, 0.6, 0.9, 1.4])
S = np.array([-1.5, -0.5, 0.0, 0.3, -2.0])


def scipy_loglik(law: Any, eta: Floats, s: Floats, r: Floats) -> Floats:
    sd, mu = np.exp(s), np.exp(eta)
    if isinstance(law, Normal):
        return np.asarray(stats.norm.logpdf(r, eta, sd))
    if isinstance(law, Logit):
        return np.asarray(stats.binom.logpmf(r, law.trials, 1.0 / (1.0 + np.exp(-eta))))
    if isinstance(law, Poisson):
        return np.asarray(stats.poisson.logpmf(r, mu))
    if isinstance(law, Gamma):
        return np.asarray(stats.gamma.logpdf(r, 1.0 / sd**2, scale=mu * sd**2))
    inside = stats.laplace.logpdf(r, eta, sd)
    low, high = stats.laplace.logcdf(0.0, eta, sd), stats.laplace.logsf(1.0, eta, sd)
    return np.where(r <= 0.0, low, np.where(r >= 1.0, high, inside))


CASES: list[tuple[Any, list[float]]] = [
    (Normal(), [-1.0, 0.3, 0.5, 2.0, 1.1]),
    (Logit(), [0.0, 1.0, 1.0, 0.0, 1.0]),
    (Logit(7.0), [0.0, 3.0, 7.0, 5.0, 1.0]),
    (Poisson(), [0.0, 1.0, 4.0, 2.0, 9.0]),
    (Gamma(), [0.1, 1.0, 2.5, 3.0, 4.0]),
    (Agent(), [0.0, 0.4, 1.0, 0.2, 1.0]),
    (Agent(), [1.0, 0.0, 0.7, 0.0, 0.3]),
]


@pytest.mark.parametrize(("law", "rewards"), CASES)
def test_the_likelihood_is_scipys(law: Any, rewards: list[float]) -> None:
    r = np.array(rewards)
    np.testing.assert_allclose(loglik_of(law, ETA, S, r), scipy_loglik(law, ETA, S, r), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("law", "rewards"), [case for case in CASES if not isinstance(case[0], Agent)])
def test_slopes_are_those_of_the_likelihood(law: Any, rewards: list[float]) -> None:
    r, h = np.array(rewards), 1e-6
    found = terms(law, ETA, S, r)
    by_eta = (scipy_loglik(law, ETA + h, S, r) - scipy_loglik(law, ETA - h, S, r)) / (2.0 * h)
    by_s = (scipy_loglik(law, ETA, S + h, r) - scipy_loglik(law, ETA, S - h, r)) / (2.0 * h)
    np.testing.assert_allclose(found.slope, by_eta, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(found.noise_slope, by_s, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("law", [Normal(), Logit(), Logit(7.0), Poisson(), Gamma()])
def test_information_is_the_variance_of_the_slope(law: Any) -> None:
    """By 100,000 draws: within four standard errors, which fails in one of 16,000 cases."""
    eta, s = np.full(100_000, 0.4), np.full(100_000, -0.6)
    found = terms(law, eta, s, draw_of(law, eta, s, np.random.default_rng(1)))
    for slope, information in (
        (found.slope, found.information),
        (found.noise_slope, np.broadcast_to(found.noise_information, eta.shape)),
    ):
        squared = slope**2
        assert abs(squared.mean() - information.mean()) <= 4.0 * squared.std() / np.sqrt(eta.size) + 1e-12
        assert abs(slope.mean()) <= 4.0 * slope.std() / np.sqrt(eta.size) + 1e-12


@pytest.mark.parametrize("law", [Normal(), Logit(3.0), Poisson(), Gamma(), Agent()])
def test_draws_have_the_mean(law: Any) -> None:
    eta, s = np.full(100_000, 0.4), np.full(100_000, -0.6)
    drawn = draw_of(law, eta, s, np.random.default_rng(2))
    assert abs(drawn.mean() - mean_of(law, eta, s).mean()) < 4.0 * drawn.std() / np.sqrt(eta.size)


def test_the_agent_is_that_of_the_paper_inside_its_bounds() -> None:
    for x, theta, r in ((0.3, 0.2, 0.0), (0.3, 0.2, 0.5), (0.9, 0.05, 1.0)):
        eta, s = np.array([x]), np.log([theta])
        assert loglik_of(Agent(), eta, s, np.array([r]))[0] == pytest.approx(loglik(LaplaceAgent(), theta, x, r))
        assert mean_of(Agent(), eta, s)[0] == pytest.approx(mean(LaplaceAgent(), theta, x))


def test_special_functions() -> None:
    from scipy.special import digamma as scipy_digamma
    from scipy.special import gammaln, polygamma

    x = np.geomspace(1e-3, 1e6, 200)
    np.testing.assert_allclose(log_gamma(x), gammaln(x), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(digamma(x), scipy_digamma(x), rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(trigamma(x), polygamma(1, x), rtol=1e-7)
