"""The long-run bound holds for every plan, whatever the multiplier and the function of the state."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rogue_bandits.planning.cells import cell_of, cut
from rogue_bandits.planning.certificate import backup, long_run_bound
from rogue_bandits.planning.plan import arrays_of
from rogue_bandits.planning.values import values_at
from tests.belief.cases import oracle_model
from tests.interpreted import interpreted as interpreted
from tests.oracles.plan import totals
from tests.planning.truths import TABLE_1, brute, odd_seeds, odd_truth, scale

HORIZON = 40


@given(st.sampled_from(odd_seeds(12)), st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_any_multiplier_and_any_function_bound_any_plan(seed: int, drawn: int) -> None:
    truth, rng = odd_truth(seed, 2), np.random.default_rng(drawn)
    arms, theta, x = arrays_of(truth)
    cells, multiplier = cut(arms, theta, 30), float(rng.normal())
    bound = HORIZON * multiplier
    for k in range(2):
        h = rng.normal(size=30) * rng.choice([0.01, 1.0, 10.0])
        bound += HORIZON * backup(cells, k, multiplier, h, np.empty(30)) + h[cell_of(cells, k, x[k])] - h.min()
    plans = rng.integers(0, 2, size=(50, HORIZON))
    plans[0], plans[1], plans[2] = 0, 1, np.arange(HORIZON) % 2
    most = totals([oracle_model(arm) for arm in truth.arms], truth.theta, truth.x0, plans).max()
    assert most <= bound + 1e-13 * scale(truth, HORIZON) * HORIZON


@pytest.mark.parametrize("seed", odd_seeds(6))
def test_it_bounds_the_best_of_all_plans(seed: int) -> None:
    truth = odd_truth(seed, 2)
    arms, theta, x = arrays_of(truth)
    values, multiplier = values_at(arms, theta)
    assert long_run_bound(cut(arms, theta, 400), x, values, multiplier, 9) >= brute(truth, 9)


def test_the_logistic_experiment_is_bounded_as_tightly_as_by_backward_induction() -> None:
    """The best cycle averages 0.64646, the relaxed optimum 0.64648."""
    arms, theta, x = arrays_of(TABLE_1)
    values, multiplier = values_at(arms, theta)
    average = long_run_bound(cut(arms, theta, 4_000), x, values, multiplier, 10_000_000) / 10_000_000
    assert 0.646475 < average < 0.646495
