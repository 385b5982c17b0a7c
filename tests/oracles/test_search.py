"""The certificates: no point of a dense random cloud beats the ceiling, and what is reached is reached inside."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from tests.belief.cases import oracle_model, random_case
from tests.matrix import pairs_of
from tests.oracles import (
    Tuned,
    brute_divergence,
    brute_fit,
    brute_loglik,
    brute_upper_bound,
    slopes,
    states,
    tuned_radius,
)
from tests.oracles.dynamics import Floats
from tests.oracles.history import brute_mean

SEEDS = range(1000, 1012)
RADII = (0.01, Tuned(1.0, "paper"), Tuned(1.0, "corrected"))


def test_slopes_are_differences_of_states() -> None:
    dynamics, played = (-0.7, -0.4, 0.9, 0.2, 0.9), np.array([1, 0, 0, 1, 0, 0])
    for x0 in np.linspace(0.2, 0.9, 41)[1:-1] + 1e-4:
        before, after = states(*dynamics, np.array([x0 - 1e-7, x0 + 1e-7]), played)
        assert slopes(*dynamics, x0, played) == pytest.approx((after - before) / 2e-7, abs=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_point_beats_the_fit(seed: int) -> None:
    case, rng = random_case(seed), np.random.default_rng(seed)
    model = oracle_model(case.arm)
    best = brute_fit(model, case.played, case.rewards)
    assert best.ceiling <= best.loglik + 2e-8
    bounds = [(model.theta_lo, model.theta_hi), (model.lo, model.hi)]
    cloud = [rng.uniform(lo, hi, 10_000) for lo, hi in bounds]
    loglik = brute_loglik(model, case.played, case.rewards, *cloud)
    assert loglik.max() <= best.ceiling

    def loss(point: Floats) -> float:
        return -float(brute_loglik(model, case.played, case.rewards, point[0], point[1])[0])

    for k in np.argsort(loglik)[-3:]:
        start = np.array([cloud[0][k], cloud[1][k]])
        found = minimize(loss, start, bounds=bounds, method="Nelder-Mead")
        assert -found.fun <= best.ceiling


@pytest.mark.parametrize(("seed", "radius"), pairs_of(SEEDS, RADII, 1), ids=str)
def test_no_point_inside_beats_the_upper_bound(seed: int, radius: float | Tuned) -> None:
    case, rng = random_case(seed), np.random.default_rng(seed)
    model, n = oracle_model(case.arm), int((~np.isnan(case.rewards)).sum())
    fit = brute_fit(model, case.played, case.rewards)
    found = brute_upper_bound(model, case.played, case.rewards, (fit.theta, fit.x0), radius, tolerance=1e-6)
    assert found.ceiling - found.reached <= 1.1e-6
    reached_at = np.array([found.theta]), np.array([found.x0])
    near = [at + 1e-3 * rng.standard_normal(10_000) * (hi - lo) for at, lo, hi in
            ((found.theta, model.theta_lo, model.theta_hi), (found.x0, model.lo, model.hi))]  # fmt: skip
    wide = [rng.uniform(model.theta_lo, model.theta_hi, 10_000), rng.uniform(model.lo, model.hi, 10_000)]
    theta = np.clip(np.concatenate([reached_at[0], near[0], wide[0]]), model.theta_lo, model.theta_hi)
    x0 = np.clip(np.concatenate([reached_at[1], near[1], wide[1]]), model.lo, model.hi)
    divergence = brute_divergence(model, case.played, case.rewards, theta, x0, fit.theta, fit.x0) / n
    allowed = (
        tuned_radius(model, case.played, case.rewards, theta, x0, (fit.theta, fit.x0), radius)
        if isinstance(radius, Tuned)
        else np.full_like(theta, radius)
    )
    inside = divergence <= allowed + 1e-15
    mean = brute_mean(model, case.played, theta, x0)
    assert inside[0]
    assert mean[0] == pytest.approx(found.reached, abs=1e-12)
    assert mean[inside].max() <= found.ceiling
