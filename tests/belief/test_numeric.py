"""Families defined by their log-likelihood alone give the results of the fast core, which brute force has checked."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.types import draw, information, kl, kl_and_slopes, loglik, mean
from tests.belief.cases import random_case
from tests.belief.numeric_twins import NumericLaplace, NumericLogit, numeric_twin
from tests.interpreted import compiled_if_common as compiled_if_common
from tests.matrix import some_of

pytestmark = pytest.mark.usefixtures("compiled_if_common")

SEEDS = some_of([seed for seed in range(60) if seed % 3 != 1], 13)  # the Gaussian has no such twin here
POINTS = ((0.2, 0.3), (0.05, 0.9), (0.6, 0.0), (1.0, 1.0), (0.3, 0.5))


@pytest.mark.parametrize("point", POINTS)
def test_the_laws_of_the_agent_by_the_general_formula(point: tuple[float, float]) -> None:
    numeric, exact = NumericLaplace(), rb.LaplaceAgent()
    assert mean(numeric, *point) == pytest.approx(mean(exact, *point), abs=1e-11)
    assert information(numeric, *point) == pytest.approx(information(exact, *point), rel=1e-8, abs=1e-8)
    for r in (0.0, 0.2, 0.7, 1.0):
        assert loglik(numeric, *point, r) == pytest.approx(loglik(exact, *point, r), abs=1e-12)
    for u in (0.01, 0.3, 0.6, 0.99):
        assert draw(numeric, *point, u) == pytest.approx(draw(exact, *point, u), abs=1e-12)
    for other in POINTS:
        numerical, closed = kl_and_slopes(numeric, *point, *other), kl_and_slopes(exact, *point, *other)
        assert numerical == pytest.approx(closed, rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("point", POINTS)
def test_the_laws_of_a_family_defined_by_loglik_alone(point: tuple[float, float]) -> None:
    numeric, exact = NumericLogit(0.7, -1.3), rb.BernoulliLogit(0.7, -1.3)
    assert mean(numeric, *point) == pytest.approx(mean(exact, *point), abs=1e-14)
    assert information(numeric, *point) == pytest.approx(information(exact, *point), rel=1e-8)
    for other in POINTS:
        assert kl(numeric, *point, *other) == pytest.approx(kl(exact, *point, *other), abs=1e-13)
        assert kl_and_slopes(numeric, *point, *other) == pytest.approx(kl_and_slopes(exact, *point, *other), abs=1e-9)
    for u in (0.01, 0.3, 0.6, 0.99):
        assert draw(numeric, *point, u) == draw(exact, *point, u)


@pytest.mark.parametrize("seed", SEEDS)
def test_fit_divergence_and_bound_are_those_of_the_fast_core(seed: int) -> None:
    arm, played, rewards = random_case(seed)
    twin = numeric_twin(arm)
    fit, other = rb.fit(arm, played, rewards), rb.fit(twin, played, rewards)
    assert other.loglik == pytest.approx(fit.loglik, abs=1e-6)
    assert other.n == fit.n
    rng = np.random.default_rng(seed)
    low, high = (arm.theta_lo, arm.dynamics.lo), (arm.theta_hi, arm.dynamics.hi)
    (theta, x0), (theta2, x02) = rng.uniform(low, high), rng.uniform(low, high)
    exact = rb.divergence(arm, played, rewards, (theta, x0), (theta2, x02))
    assert rb.divergence(twin, played, rewards, (theta, x0), (theta2, x02)) == pytest.approx(exact, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize("seed", SEEDS[::4])
def test_the_bound_of_a_logit_is_that_of_the_fast_core(seed: int) -> None:
    arm, played, rewards = random_case(3 * seed)
    radius = rb.TunedRadius(1.0, "corrected")
    exact = rb.upper_bound(arm, played, rewards, radius)
    assert rb.upper_bound(numeric_twin(arm), played, rewards, radius) == pytest.approx(exact, abs=1e-4)


@pytest.mark.usefixtures("compiled_if_common")
def test_a_policy_chooses_alike() -> None:
    """Its rewards are summed up, by other sums."""
    arm = rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6))
    other = rb.Arm(rb.ClippedAffine(0.7, -1.2, 0.5), rb.BernoulliLogit(0.7, 0.3))
    policy = rb.TunedRogueUCB(1.0, "corrected")
    exact = rb.simulate(rb.Truth([arm, other], [0.5, 0.7], [0.1, 0.3]), policy, horizon=20, seed=1)
    truth = rb.Truth([numeric_twin(arm), numeric_twin(other)], [0.5, 0.7], [0.1, 0.3])
    trace = rb.simulate(truth, policy, horizon=20, seed=1)
    assert np.array_equal(trace.arm, exact.arm)
    assert np.array_equal(trace.reward, exact.reward)


def test_what_does_not_look_inside_its_arms_does_not_warn() -> None:
    arm = numeric_twin(rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rb.simulate(rb.Truth([arm, arm], [0.5, 0.7], [0.1, 0.3]), rb.Random(), horizon=5)
