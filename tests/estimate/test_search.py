"""The fast search against searches and certificates that share none of its ideas."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import Bounds, differential_evolution

import rogue_bandits as rb
from rogue_bandits.estimate.families.agent import THETA_HI, THETA_LO
from rogue_bandits.estimate.search import fit_given
from tests.estimate.cases import AGENT, AWKWARD, CEILING, FLOOR, best_agent, distance, someone


@pytest.mark.parametrize("seed", range(3))
def test_nothing_that_differential_evolution_finds_is_better(seed: int) -> None:
    record, _ = someone(seed, decisions=60)
    _, found = best_agent(record)
    evolved = differential_evolution(
        distance, Bounds(FLOOR, CEILING), args=(record,), seed=seed, maxiter=40, popsize=10, polish=False
    )
    assert found <= evolved.fun + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_the_truth_is_no_better(seed: int) -> None:
    record, true = someone(seed)
    p, found = best_agent(record)
    assert found == pytest.approx(distance(p, record), abs=1e-12)
    assert found <= distance(true, record)


@pytest.mark.parametrize("seed", range(10))
def test_without_noise_the_trajectory_is_found_again(seed: int) -> None:
    record, _ = someone(seed, noise=0.0)
    assert best_agent(record)[1] < 1e-4


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_records_have_a_fit(name: str) -> None:
    record = AWKWARD[name]
    best, found = best_agent(record)
    assert np.all(best >= FLOOR - 1e-12)
    assert np.all(best <= CEILING + 1e-12)
    for p in np.random.default_rng(1).uniform(FLOOR, CEILING, (2_000, 4)):
        assert found <= distance(p, record) + 1e-6


@pytest.mark.parametrize("name", AWKWARD)
def test_all_rewards_at_an_edge_make_the_noise_wide(name: str) -> None:
    record = AWKWARD[name]
    theta = fit_given(AGENT, best_agent(record)[0][:3], record)[0]
    inside = (record.seen() > 0.0) & (record.seen() < 1.0)
    if not inside.any():
        assert theta == THETA_HI
    assert THETA_LO <= theta <= THETA_HI


@pytest.mark.parametrize("seed", range(12))
def test_given_the_dynamics_the_fit_is_that_of_the_core(seed: int) -> None:
    record, true = someone(seed, decisions=80)
    p = true if seed % 2 else best_agent(record)[0]
    arm = rb.Arm(rb.ClippedAffine(*p[:3]), rb.LaplaceAgent(), THETA_LO, THETA_HI)
    core = rb.fit(arm, list(record.played), list(record.rewards))
    theta, x0, cost = fit_given(AGENT, p[:3], record)
    assert (theta, x0, -cost) == pytest.approx((core.theta, core.x0, core.loglik), abs=1e-12)
