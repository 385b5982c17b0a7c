"""The parts of the proof: every multiplier bounds every plan, finer cells bound no worse, cells hold their states."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from rogue_bandits.planning.cells import Cells, cut
from rogue_bandits.planning.pairs import least_loss, losses
from rogue_bandits.planning.plan import arrays_of
from rogue_bandits.planning.relaxed import relaxed
from rogue_bandits.planning.values import values_at
from rogue_bandits.types import Floats, mean, next_state
from tests.planning.truths import TABLE_1, brute, odd_seeds, odd_truth, scale


def edges(cells: Cells, k: int) -> Floats:
    return np.asarray(cells.edge[k, 0] + cells.width[k] * np.arange(cells.mean.shape[1] + 1))


@pytest.mark.parametrize("seed", odd_seeds(30))
def test_a_cell_leads_to_wherever_one_of_its_states_goes(seed: int) -> None:
    truth, rng = odd_truth(seed, 2), np.random.default_rng(seed)
    cells = cut(*arrays_of(truth)[:2], 60, stride=3)
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


@pytest.mark.parametrize("seed", odd_seeds(12))
def test_every_multiplier_bounds_every_plan(seed: int) -> None:
    truth, rng = odd_truth(seed, 3), np.random.default_rng(seed)
    best, size = brute(truth, 6), scale(truth, 6)
    arms, theta, x = arrays_of(truth)
    fine, coarse = cut(arms, theta, 600), cut(arms, theta, 600, stride=20)
    for multiplier in (np.zeros(6), np.full(6, values_at(arms, theta)[1]), *rng.normal(scale=1.0, size=(4, 6))):
        bound, loss = losses(fine, coarse, x, multiplier)
        assert bound >= best - 1e-13 * size
        assert bound == pytest.approx(relaxed(fine, x, multiplier).bound, abs=1e-13 * size)
        every_pair = np.ones((3, 6), dtype=np.bool_)
        assert bound - least_loss(coarse, x, loss, every_pair) >= best - 1e-13 * size


@pytest.mark.parametrize("seed", odd_seeds(6))
def test_finer_cells_bound_no_worse(seed: int) -> None:
    arms, theta, x = arrays_of(odd_truth(seed, 2))
    multiplier, coarse = np.full(30, values_at(arms, theta)[1]), cut(arms, theta, 600, 60)
    bounds = [losses(cut(arms, theta, 600, 600 // n), coarse, x, multiplier).bound for n in (10, 30, 150, 600)]
    assert all(fine <= rough + 1e-12 * abs(rough) for rough, fine in pairwise(bounds))


def test_finer_pairs_of_cells_lose_no_less() -> None:
    arms, theta, x = arrays_of(TABLE_1)
    multiplier = np.full(300, values_at(arms, theta)[1])
    both, fine = np.ones((2, 300), dtype=np.bool_), cut(arms, theta, 12_000)
    lost = []
    for n in (1, 10, 30, 120):
        coarse = cut(arms, theta, 12_000, 12_000 // n)
        lost.append(least_loss(coarse, x, losses(fine, coarse, x, multiplier).loss, both))
    assert lost == sorted(lost)
    assert lost[0] >= 0.0
    assert lost[-1] > 0.0


def test_a_state_with_one_value_is_one_cell() -> None:
    stuck = [arm._replace(dynamics=arm.dynamics._replace(lo=0.3, hi=0.3)) for arm in TABLE_1.arms]
    truth = TABLE_1._replace(arms=stuck, x0=[0.3, 0.3])
    arms, theta, x = arrays_of(truth)
    best = max(mean(arm.rewards, theta, 0.3) for arm, theta in zip(stuck, truth.theta, strict=True))
    assert relaxed(cut(arms, theta, 50), x, np.full(5, best)).bound == pytest.approx(5 * best)
