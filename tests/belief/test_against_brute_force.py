"""Fit, divergence and upper bound against brute force over the whole history, on a few hundred awkward cases.

The oracles bracket the truth: `loglik` and `reached` are attained, `ceiling` is never exceeded.
"""

from __future__ import annotations

import numpy as np
import pytest

import rogue_bandits as rb
from tests.belief.cases import oracle_model, random_case
from tests.interpreted import compiled_if_common as compiled_if_common
from tests.matrix import pairs_of, some_of
from tests.oracles import Tuned, brute_divergence, brute_fit, brute_loglik, brute_upper_bound

pytestmark = pytest.mark.usefixtures("compiled_if_common")

SEEDS = some_of(range(300), 21, always=(1027, 3343))  # the last two were found by drawing cases anew, and have failed
VARIANTS = ("paper", "corrected")


@pytest.mark.parametrize("seed", SEEDS)
def test_the_fit_is_the_global_maximum(seed: int) -> None:
    arm, played, rewards = random_case(seed)
    model = oracle_model(arm)
    best, fit = brute_fit(model, played, rewards), rb.fit(arm, played, rewards)
    loglik = float(brute_loglik(model, played, rewards, fit.theta, fit.x0)[0])
    assert fit.n == np.count_nonzero(~np.isnan(rewards))
    assert arm.theta_lo <= fit.theta <= arm.theta_hi
    assert arm.dynamics.lo <= fit.x0 <= arm.dynamics.hi
    assert fit.loglik == pytest.approx(loglik, abs=1e-9, rel=1e-9)
    assert best.ceiling - best.loglik <= 1e-7
    assert fit.loglik >= best.loglik - 1e-6


@pytest.mark.parametrize("seed", SEEDS)
def test_the_divergence_is_the_sum_over_the_history(seed: int) -> None:
    arm, played, rewards = random_case(seed)
    rng = np.random.default_rng(seed)
    low, high = (arm.theta_lo, arm.dynamics.lo), (arm.theta_hi, arm.dynamics.hi)
    for _ in range(5):
        (theta, x0), (theta2, x02) = rng.uniform(low, high), rng.uniform(low, high)
        exact = float(brute_divergence(oracle_model(arm), played, rewards, theta, x0, theta2, x02)[0])
        assert rb.divergence(arm, played, rewards, (theta, x0), (theta2, x02)) == pytest.approx(
            exact, abs=1e-9, rel=1e-9
        )


@pytest.mark.parametrize(("seed", "variant"), pairs_of(SEEDS, VARIANTS, 1))
def test_the_upper_bound_inside_the_tuned_radius(seed: int, variant: str) -> None:
    arm, played, rewards = random_case(seed)
    eta = (1.0, 0.01)[seed % 2]
    fit = rb.fit(arm, played, rewards)
    found = rb.upper_bound(arm, played, rewards, radius=rb.TunedRadius(eta=eta, variant=variant))
    exact = brute_upper_bound(oracle_model(arm), played, rewards, (fit.theta, fit.x0), Tuned(eta, variant), 3e-7)
    assert exact.ceiling - exact.reached <= 1e-6
    assert exact.reached - 1e-6 <= found <= exact.ceiling + 1e-6


@pytest.mark.parametrize("seed", SEEDS)
def test_the_upper_bound_inside_the_radius_of_the_theorem(seed: int) -> None:
    arm, played, rewards = random_case(seed)
    t, n = len(played) + 1, int(np.count_nonzero(~np.isnan(rewards)))
    # At scale 1 the whole box is inside; a binding radius is what needs a test.
    wanted = (1e-4, 1e-3, 0.01, 0.1)[seed % 4]
    scale = wanted / rb.theorem_radius(arm, 1.0, t, n)
    fit = rb.fit(arm, played, rewards)
    found = rb.upper_bound(arm, played, rewards, radius=rb.TheoremRadius(scale=scale))
    radius = rb.theorem_radius(arm, scale, t, n)
    assert radius == pytest.approx(wanted)
    exact = brute_upper_bound(oracle_model(arm), played, rewards, (fit.theta, fit.x0), radius, 3e-7)
    assert exact.ceiling - exact.reached <= 1e-6
    assert exact.reached - 1e-6 <= found <= exact.ceiling + 1e-6
