"""The fast search against searches and certificates that share none of its ideas."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import Bounds, differential_evolution

import rogue_bandits as rb
from rogue_bandits.estimate.given import agent, fit_given
from rogue_bandits.estimate.record import THETA_HI, THETA_LO
from rogue_bandits.estimate.search import best_way
from rogue_bandits.estimate.simplex import CEILING, FLOOR
from tests.estimate.cases import AWKWARD, distance, someone


@pytest.mark.parametrize("seed", range(3))
def test_nothing_that_differential_evolution_finds_is_better(seed: int) -> None:
    record, _ = someone(seed, decisions=60)
    _, found = best_way(record)
    evolved = differential_evolution(
        distance, Bounds(FLOOR, CEILING), args=(record,), seed=seed, maxiter=40, popsize=10, polish=False
    )
    assert found <= evolved.fun + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_the_truth_is_no_better(seed: int) -> None:
    record, true = someone(seed)
    way, found = best_way(record)
    p = np.array([way.high - way.low, way.pull, way.low, way.x0])
    assert found == pytest.approx(distance(p, record), abs=1e-12)
    assert found <= distance(true, record)


@pytest.mark.parametrize("seed", range(10))
def test_without_noise_the_trajectory_is_found_again(seed: int) -> None:
    record, _ = someone(seed, noise=0.0)
    assert best_way(record)[1] < 1e-4


@pytest.mark.parametrize("name", AWKWARD)
def test_awkward_records_have_a_fit(name: str) -> None:
    record = AWKWARD[name]
    way, found = best_way(record)
    d = way.dynamics()
    assert np.all([d.decay, d.pull, d.drift, way.x0] >= FLOOR - 1e-12)
    assert np.all([d.decay, d.pull, d.drift, way.x0] <= CEILING + 1e-12)
    for p in np.random.default_rng(1).uniform(FLOOR, CEILING, (2_000, 4)):
        assert found <= distance(p, record) + 1e-6


@pytest.mark.parametrize("name", AWKWARD)
def test_all_rewards_at_an_edge_make_the_noise_wide(name: str) -> None:
    record = AWKWARD[name]
    fit = fit_given(best_way(record)[0].dynamics(), record)
    inside = (record.seen() > 0.0) & (record.seen() < 1.0)
    if not inside.any():
        assert fit.theta == THETA_HI
    assert THETA_LO <= fit.theta <= THETA_HI


@pytest.mark.parametrize("seed", range(12))
def test_given_the_dynamics_the_fit_is_that_of_the_core(seed: int) -> None:
    record, true = someone(seed, decisions=80)
    d = rb.ClippedAffine(true[0], true[1], true[2]) if seed % 2 else best_way(record)[0].dynamics()
    assert fit_given(d, record) == rb.fit(agent(d), list(record.played), list(record.rewards))
