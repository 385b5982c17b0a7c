"""The parts of the proof: every toll bounds every plan, finer cells bound no worse, and cells hold their states."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from rogue_bandits.planning.cells import Cells, cut
from rogue_bandits.planning.pairs import pairs_loss, proof
from rogue_bandits.planning.relaxed import constant_multiplier, relaxed
from rogue_bandits.types import Floats, mean, next_state
from tests.planning.truths import TABLE_1, brute, odd_truth, scale


def edges(cells: Cells, k: int) -> Floats:
    return np.asarray(cells.lo[k] + cells.width[k] * np.arange(cells.mean.shape[1] + 1))


@pytest.mark.parametrize("seed", range(30))
def test_a_cell_leads_to_wherever_one_of_its_states_goes(seed: int) -> None:
    truth, rng = odd_truth(seed, 2), np.random.default_rng(seed)
    cells = cut(truth, 60, stride=3)
    for k, arm in enumerate(truth.arms):
        edge = edges(cells, k)
        for i in rng.integers(0, 20, size=10):
            x = float(rng.uniform(edge[i], edge[i + 1]))
            assert cells.mean[k, i] >= mean(arm.rewards, truth.theta[k], x)
            for played in (0, 1):
                to = next_state(arm.dynamics, x, float(played))
                slip = 1e-12 * (abs(to) + 1.0)  # of the edges in this test
                assert edge[cells.first[k, played, i]] <= to + slip
                assert to - slip <= edge[cells.last[k, played, i] + 1]


@pytest.mark.parametrize("seed", range(12))
def test_every_toll_bounds_every_plan(seed: int) -> None:
    truth, rng = odd_truth(seed, 3), np.random.default_rng(seed)
    best, size = brute(truth, 6), scale(truth, 6)
    fine, coarse = cut(truth, 600), cut(truth, 600, stride=20)
    for multiplier in (np.zeros(6), constant_multiplier(fine, 6), *rng.normal(scale=1.0, size=(4, 6))):
        bound, loss = proof(fine, coarse, multiplier)
        assert bound >= best - 1e-13 * size
        assert bound == pytest.approx(relaxed(fine, multiplier).bound, abs=1e-13 * size)
        everybody = np.ones((3, 6), dtype=np.bool_)  # all pairs are tried, whoever would play
        assert bound - pairs_loss(coarse, loss, everybody) >= best - 1e-13 * size


@pytest.mark.parametrize("seed", range(6))
def test_finer_cells_bound_no_worse(seed: int) -> None:
    truth = odd_truth(seed, 2)
    multiplier = constant_multiplier(cut(truth, 100), 30)
    bounds = [proof(cut(truth, 600, 600 // n), cut(truth, 600, 60), multiplier).bound for n in (10, 30, 150, 600)]
    assert all(fine <= rough + 1e-12 * abs(rough) for rough, fine in pairwise(bounds))


def test_finer_pairs_of_cells_lose_no_less() -> None:
    multiplier = constant_multiplier(cut(TABLE_1, 400), 300)
    both, fine = np.ones((2, 300), dtype=np.bool_), cut(TABLE_1, 12_000)
    losses = []
    for n in (1, 10, 30, 120):
        coarse = cut(TABLE_1, 12_000, 12_000 // n)
        loss = proof(fine, coarse, multiplier).loss
        losses.append(pairs_loss(coarse, loss, both))
    assert losses == sorted(losses)
    assert losses[0] >= 0.0
    assert losses[-1] > 0.0


def test_a_state_with_one_value_is_one_cell() -> None:
    stuck = [arm._replace(dynamics=arm.dynamics._replace(lo=0.3, hi=0.3)) for arm in TABLE_1.arms]
    truth = TABLE_1._replace(arms=stuck, x0=[0.3, 0.3])
    multiplier = np.zeros(5)
    best = max(mean(arm.rewards, theta, 0.3) for arm, theta in zip(stuck, truth.theta, strict=True))
    assert relaxed(cut(truth, 50), multiplier + best).bound == pytest.approx(5 * best)
