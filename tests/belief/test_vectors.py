"""Fit, divergence and upper bound of arms whose states are vectors: against brute force, and against the scalar core.

`brute_vector_fit` and `brute_vector_upper_bound` are attained; the fit's is proven to be the best where cells suffice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief.contract import fit as contract_fit
from rogue_bandits.belief.contract import mean_range, refit, region
from rogue_bandits.belief.history import belief_from
from rogue_bandits.belief.play_log.upper_bound import Bound, play_log_bound
from rogue_bandits.belief.radius import Radius, rule_for
from rogue_bandits.compile.laws import kernel
from rogue_bandits.model.rewards.weighted import projected_theta, reduced
from rogue_bandits.model.validation import checked_arm
from tests.belief.cases import random_case
from tests.belief.vector_cases import VectorCase, arm_of, random_vector_case
from tests.interpreted import compiled_in_verify as compiled_in_verify
from tests.matrix import FULL
from tests.oracles import (
    Tuned,
    brute_vector_divergence,
    brute_vector_fit,
    brute_vector_loglik,
    brute_vector_mean,
    brute_vector_upper_bound,
    vector_excess,
)

# By number of dimensions. In `make test` kernels are interpreted, and upper bounds that are hard to find left out.
SEEDS: dict[int, Sequence[int]] = {1: range(12), 2: range(24), 3: range(16)}
EASY: dict[int, Sequence[int]] = {
    1: (0, 4, 5, 6, 7),
    2: (0, 4, 8, 9, 16),
    3: (3, 6, 7, 10),
}
CASES = [(dims, seed) for dims, seeds in (SEEDS if FULL else EASY).items() for seed in seeds]
VARIANTS = ("paper", "corrected")

pytestmark = pytest.mark.usefixtures("compiled_in_verify")
each_case = pytest.mark.parametrize(("dims", "seed"), CASES)


@kernel
def refit_kernel(belief: Any) -> None:
    """The fit."""
    refit(belief, 0, 0, True)


@kernel
def bound_kernel(belief: Any, rule: object, log_t: float) -> Bound:
    """The upper bound with its proof and its place, around a fit."""
    g = region(belief, 0, 0, rule, log_t)
    return play_log_bound(g.arm.rewards, g, -math.inf)


@each_case
def test_the_fit_is_the_global_maximum(dims: int, seed: int) -> None:
    case = random_vector_case(seed, dims)
    arm = arm_of(case.model)
    best, fit = brute_vector_fit(*case), rb.fit(arm, case.played, case.rewards)
    there = float(brute_vector_loglik(*case, projected_theta(arm, fit.theta), np.array(fit.x0))[0])
    assert fit.loglik == pytest.approx(there, abs=1e-9, rel=1e-9)
    assert fit.loglik >= best.loglik - 1e-6
    assert best.loglik <= fit.loglik + fit.gap + 1e-9, "what is proven is true"
    assert fit.gap <= 1e-5


@each_case
def test_the_divergence_is_the_sum_over_the_history(dims: int, seed: int) -> None:
    case = random_vector_case(seed, dims)
    arm, rng = arm_of(case.model), np.random.default_rng(seed)
    one, other = ((tuple(rng.uniform(arm.theta_lo, arm.theta_hi)), tuple(rng.uniform(arm.dynamics.lo, arm.dynamics.hi)))
                  for _ in range(2))  # fmt: skip
    points = [(projected_theta(arm, theta), np.array(x0)) for theta, x0 in (one, other)]
    exact = float(brute_vector_divergence(*case, *points[0], *points[1])[0])
    assert rb.divergence(arm, case.played, case.rewards, one, other) == pytest.approx(exact, abs=1e-9, rel=1e-9)


@each_case
def test_the_upper_bound_inside_the_tuned_radius(dims: int, seed: int) -> None:
    eta, variant = (1.0, 0.01)[seed % 2], VARIANTS[seed // 2 % 2]
    check_bound(dims, seed, rb.TunedRadius(eta, variant), Tuned(eta, variant))


@pytest.mark.parametrize(("dims", "seed"), [(dims, seed) for dims, seed in CASES if seed % 3 < 2])
def test_the_upper_bound_inside_the_radius_of_the_theorem(dims: int, seed: int) -> None:
    (case, arm, _), wanted = fitted(dims, seed), (1e-3, 0.01, 0.1)[seed // 3 % 3]
    scale = wanted / rb.theorem_radius(arm, 1.0, len(case.played) + 1, int(np.count_nonzero(~np.isnan(case.rewards))))
    check_bound(dims, seed, rb.TheoremRadius(scale), wanted)


class Fitted(NamedTuple):
    """A case with its fit, around which all upper bounds are looked for."""

    case: VectorCase
    arm: rb.Arm
    belief: Any


@cache
def fitted(dims: int, seed: int) -> Fitted:
    case = random_vector_case(seed, dims)
    arm = checked_arm(arm_of(case.model))
    belief = belief_from(arm, case.played, case.rewards)
    refit_kernel(belief)
    return Fitted(case, arm, belief)


@cache
def bound_of(dims: int, seed: int, radius: Radius) -> Bound:
    case, arm, belief = fitted(dims, seed)
    found: Bound = bound_kernel(belief, rule_for(radius, arm), math.log(len(case.played) + 1))
    return found


def check_bound(dims: int, seed: int, radius: Radius, oracles: Tuned | float) -> None:
    """It is believed where it is reached, and what is proven is true."""
    (model, played, rewards), arm, belief = fitted(dims, seed)
    found, (theta, x0) = bound_of(dims, seed, radius), contract_fit(belief, 0, 0)
    fit = theta, np.array(x0)
    where, span = (float(found.at[0]), found.at[1:]), mean_range(reduced(arm))
    assert found.reached == pytest.approx(float(brute_vector_mean(model, played, *where)[0]), abs=1e-12)
    assert float(vector_excess(model, played, rewards, *where, fit, oracles)[0]) <= 1e-10
    exact = brute_vector_upper_bound(model, played, rewards, fit, oracles)
    assert exact.reached <= found.reached + found.gap + 1e-9
    assert exact.reached <= found.reached + 1e-4 * span
    assert found.gap <= 2e-2 * span


def test_most_bounds_are_proven_to_a_millionth() -> None:
    """Of the others, kinks that lie askew and regions of two sheets, the gap is reported."""
    every = [(dims, seed) for dims in (1, 2, 3) for seed in range(30)] if FULL else CASES
    chosen = [(dims, seed) for dims, seed in every if seed % 3 < 2]
    gaps = [bound_of(*one, rb.TunedRadius(1.0, "corrected")).gap for one in chosen]
    proven = [gap <= 3e-6 * mean_range(reduced(fitted(*one).arm)) for gap, one in zip(gaps, chosen, strict=True)]
    assert np.mean(proven) >= 0.85


@pytest.mark.parametrize("seed", [seed for seed in range(40) if seed % 3 < 2] if FULL else [0, 4, 9, 15])
def test_one_component_is_the_scalar_core(seed: int) -> None:
    """The same arm as a vector of one component, which shares none of the lines' ideas."""
    arm, played, rewards = random_case(seed)
    d, f = arm.dynamics, arm.rewards
    one = rb.MatrixAffine(((d.decay,),), (d.pull,), (d.drift,), (d.lo,), (d.hi,))
    twin = rb.Arm(one, rb.Weighted(f, (1.0,), (1.0,)), (arm.theta_lo,), (arm.theta_hi,))
    fit, other = rb.fit(arm, played, rewards), rb.fit(twin, played, rewards)
    assert other.loglik == pytest.approx(fit.loglik, abs=1e-6)
    if fit.x0 == pytest.approx(other.x0[0], abs=1e-9) and fit.theta == pytest.approx(other.theta[0], abs=1e-9):
        radius = rb.TunedRadius(1.0, "corrected")
        bounds = [rb.upper_bound(either, played, rewards, radius) for either in (arm, twin)]
        assert bounds[1] == pytest.approx(bounds[0], abs=1e-5 * mean_range(arm))


def test_what_is_not_proven_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fit lies at a corner of x0, and the region has two sheets."""
    if not FULL:
        monkeypatch.setattr("rogue_bandits.belief.history.OFFLINE_EVALUATIONS", 60)  # of 4,000
    case = random_vector_case(22, 2)
    with pytest.warns(RuntimeWarning, match=r"^upper bound .*: the search reached its limit, .* larger by up to "):
        rb.upper_bound(arm_of(case.model), case.played, case.rewards, rb.TunedRadius(eta=1.0, variant="paper"))


def test_a_fit_at_a_bound_that_is_no_round_number_stays_inside() -> None:
    """−1.1 + 1.0·(0.3 + 1.1) is above 0.3 by a rounding error, and such a theta would be refused."""
    dynamics = rb.MatrixAffine(((0.5,),), (-1.0,), (0.5,), (0.0,), (1.0,))
    arm = rb.Arm(dynamics, rb.Weighted(rb.BernoulliLogit(1.0, 1.0), (1.0,), (1.0,)), (-1.1,), (0.3,))
    played, rewards = [1.0] * 6, [1.0] * 6
    fit = rb.fit(arm, played, rewards)
    assert fit.theta == (0.3,)
    assert rb.divergence(arm, played, rewards, fit, fit) == 0.0
