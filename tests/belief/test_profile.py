"""Upper bounds where the present state has forgotten x0: against certified brackets, and the search over pieces."""

from __future__ import annotations

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief import elimination, upper_bound
from rogue_bandits.belief.contract import refit
from rogue_bandits.belief.history import belief_from
from rogue_bandits.belief.lines import line_region
from rogue_bandits.belief.profile import (
    FIRST_STEP,
    error_of_x0,
    has_profile,
    least_near,
    least_over_x0,
    profile_exceeds,
    profiled_edge,
    x0_if_quadratic,
)
from rogue_bandits.belief.radius import Radius, rule_for
from rogue_bandits.types import draw, mean, next_state
from tests.belief.cases import Case, oracle_model
from tests.interpreted import interpreted as interpreted
from tests.matrix import some_of
from tests.oracles import Tuned, brute_divergence, brute_upper_bound
from tests.oracles.radius import tuned_radius

pytestmark = pytest.mark.usefixtures("interpreted")

FAMILIES = (rb.BernoulliLogit(0.5, 0.4), rb.BernoulliLogit(-0.8, 1.2), rb.Gaussian(1.0, -0.5, 0.7))
VARIANTS = ("paper", "corrected")
TWO_MINIMA = (4, 28, 46)  # at some theta, over x0
SEEDS = some_of(range(60), 5, always=TWO_MINIMA)


def forgetting_case(seed: int) -> Case:
    """An arm that is never clipped, and played until the present state does not depend on x0."""
    rng = np.random.default_rng(seed)
    decay, family = float(rng.choice([0.6, 0.75, -0.6])), FAMILIES[seed % 3]
    far, width = 1.0 - abs(decay), float(rng.choice([1.0, 10.0]))
    arm = rb.Arm(rb.ClippedAffine(decay, -0.5 * far, 0.3 * far, lo=-width, hi=width), family)
    length = int(1.2 * 37.0 / -np.log(abs(decay)))
    played, rewards = (rng.random(length) < rng.uniform(0.3, 0.9)).astype(np.float64), np.full(length, np.nan)
    theta, x = float(rng.random()), float(rng.uniform(-width, width))
    for t in range(length):
        if played[t]:
            rewards[t] = draw(family, theta, x, float(rng.random()))
        x = next_state(arm.dynamics, x, played[t])
    return Case(arm, played.tolist(), rewards.tolist())


@pytest.mark.parametrize("seed", SEEDS)
def test_the_bound_is_between_what_is_reached_and_what_is_not_exceeded(seed: int) -> None:
    case, variant, eta = forgetting_case(seed), VARIANTS[seed // 3 % 2], (1.0, 100.0)[seed % 2]
    fit, found = rb.fit(*case), rb.upper_bound(*case, rb.TunedRadius(eta, variant))
    exact = brute_upper_bound(oracle_model(case.arm), *case[1:], (fit.theta, fit.x0), Tuned(eta, variant), 3e-7)
    assert exact.ceiling - exact.reached <= 1e-6
    assert exact.reached - 1e-6 <= found <= exact.ceiling + 1e-6


UNCAPPED = rb.TunedRadius(100.0, "corrected")
RADII: list[Radius] = [rb.TunedRadius(), UNCAPPED, rb.TheoremRadius(scale=2e-3)]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_search_over_pieces_of_x0_agrees(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    case = forgetting_case(seed)
    profiled = [rb.upper_bound(*case, radius) for radius in RADII]
    for module in (upper_bound, elimination):
        monkeypatch.setattr(module, "has_profile", lambda g: False)
    assert profiled == pytest.approx([rb.upper_bound(*case, radius) for radius in RADII], abs=2e-9)


@pytest.mark.parametrize("seed", SEEDS)
def test_levels_below_the_bound_are_exceeded_and_those_above_are_not(seed: int) -> None:
    case = forgetting_case(seed)
    belief, bound = belief_from(*case), rb.upper_bound(*case, UNCAPPED)
    refit(belief, 0, 0, True)
    g = line_region(belief, 0, 0, rule_for(UNCAPPED, case.arm), float(np.log(len(case.played) + 1)))
    assert has_profile(g)
    assert not np.isnan(profiled_edge(g, upper_bound.edge_with_fitted_x0(g, 1e-11), 2e-10))
    distance = bound - mean(case.arm.rewards, g.local_fit.theta, g.line.lo)
    assert profile_exceeds(g, bound - 1e-4 * distance)
    most = max(mean(case.arm.rewards, theta, g.line.lo) for theta in (0.0, 1.0))
    if bound < most - 1e-3 * distance:
        assert not profile_exceeds(g, bound + 1e-3 * distance)


@pytest.mark.parametrize(("seed", "theta"), [*zip(TWO_MINIMA, (1.0, 1.0, 0.0), strict=True)])
def test_the_lower_of_two_minima_over_x0_is_found(seed: int, theta: float) -> None:
    """The one near where a quadratic divergence has it is the higher one."""
    case = forgetting_case(seed)
    belief, model, t = belief_from(*case), oracle_model(case.arm), len(case.played) + 1
    refit(belief, 0, 0, True)
    g = line_region(belief, 0, 0, rule_for(UNCAPPED, case.arm), float(np.log(t)))
    near = least_near(g, theta, x0_if_quadratic(g, theta), FIRST_STEP * error_of_x0(g), 2)
    least, x0, fit = least_over_x0(g, theta, near), np.linspace(-10.0, 10.0, 4001), (g.local_fit.theta, g.local_fit.x0)
    thetas, n = np.full(x0.size, theta), int(np.sum(case.played))
    divergence = brute_divergence(model, *case[1:], thetas, x0, *fit) / n
    exact = divergence / tuned_radius(model, *case[1:], thetas, x0, fit, Tuned(100.0, "corrected"))
    assert least.value < near.value - 0.01
    assert exact.min() - 1e-4 <= least.value <= exact.min() + 1e-9
