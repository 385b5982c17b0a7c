"""Hypotheses in the order of their cells, and replays in blocks, against one hypothesis after another."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief.bank.evidence import BankBelief, start_bank
from rogue_bandits.belief.bank.exponential_likelihood import BEGIN, FIRST, STEP, WINDOW
from rogue_bandits.belief.bank.likelihood import BLOCK
from rogue_bandits.belief.bank.moves import reflected, refresh
from rogue_bandits.belief.bank.pooling import fill_posterior, fill_run_cdfs
from rogue_bandits.belief.bank.replay import rested
from rogue_bandits.belief.bank.runs import CELLS, hypothesis_at_quantile, hypothesis_in_runs, order_by_cell
from rogue_bandits.belief.contract import add_reward, advance, refit, ticket
from rogue_bandits.compile.laws import kernel
from rogue_bandits.model.dynamics.clipped_affine import clip
from rogue_bandits.model.dynamics.unknown import KINDS, RECOVERY
from rogue_bandits.model.problem import problem_of
from rogue_bandits.types import Floats, Ints, potential
from tests.belief.test_bank import with_random_weights
from tests.interpreted import compiled_in_verify as compiled_in_verify
from tests.matrix import FULL, some_of

COUNT = BLOCK + 40  # a block and a part of one
PLAYS = [(0, 1), (3, 0), (0, 1), (1, 0), (40, 1), (0, 1), (2, 0), (16, 1), (3, 1)]  # rests before, and the reward
FAMILIES: dict[str, tuple[Any, float, float]] = {
    "narrow": (rb.BernoulliLogit(0.4, 0.6), 0.0, 1.0),
    "wide": (rb.BernoulliLogit(2.0, -6.0), -2.0, 3.0),
    "of the state alone": (rb.PoissonLog(0.5, 0.0), 0.0, 1.0),
    "Gaussian": (rb.Gaussian(1.0, 1.5, 0.4), 0.0, 1.0),
}


@kernel
def live(belief: BankBelief, gap: Ints, reward: Floats, is_refit: bool) -> None:
    """Play the first arm, and learn every reward at once."""
    for j in range(gap.size):
        for _ in range(gap[j]):
            advance(belief, 0, 0, 0.0)
        token = ticket(belief, 0, 0)
        belief.personal.plays[0, 0] += 1
        advance(belief, 0, 0, 1.0)
        late = add_reward(belief, 0, 0, token, reward[j])
        if is_refit:
            refit(belief, 0, 0, late)


def lived(arm: rb.Arm, is_refit: bool = False, times: int = 1) -> BankBelief:
    """A belief after `PLAYS`."""
    belief = start_bank("test", problem_of([arm]), 1)
    gap, reward = np.array(PLAYS * times).T
    live(belief, np.ascontiguousarray(gap), reward.astype(np.float64), is_refit)
    return belief


def states_of(belief: BankBelief, x0: Floats, i: int) -> list[float]:
    """The states of hypothesis i at all plays."""
    p, x, found = belief.personal, float(x0[i]), []
    decay, pull, drift = p.decay[0, 0, i], p.pull[0, 0, i], p.drift[0, 0, i]
    for gap, _ in PLAYS:
        x = rested(decay, drift, x, gap, 0.0, 1.0)
        found.append(x)
        x = clip(decay * x + pull + drift, 0.0, 1.0)
    return found


@kernel
def replayed(belief: BankBelief) -> None:
    """Replay the first arm."""
    refresh(belief.shared, belief.personal, 0, 0)


@pytest.mark.usefixtures("compiled_in_verify")  # kernels of each family take 9 s to compile
@pytest.mark.parametrize("name", FAMILIES)
def test_a_replay_and_live_rewards_sum_up_the_same_potentials(name: str) -> None:
    """Of every hypothesis at every node of its window: Σ A(theta, x) less what does not depend on theta."""
    family, lo, hi = FAMILIES[name]
    arm = rb.Arm(rb.Unknown(hypotheses=COUNT), family, lo, hi)
    x0 = start_bank("test", problem_of([arm]), 1).personal.x[0, 0].copy()
    belief = lived(arm)
    for is_replayed in (False, True):
        if is_replayed:
            replayed(belief)
        for i in (0, 1, BLOCK - 1, BLOCK, COUNT - 1):
            sums, states = belief.personal.sums[0, 0, :, i], states_of(belief, x0, i)
            theta = sums[BEGIN] + sums[STEP] * np.arange(WINDOW)
            by_state = sum(family.state_weight * r * x for (_, r), x in zip(PLAYS, states, strict=True))
            by_state /= family.sd**2 if name == "Gaussian" else 1.0
            expected = [sum(potential(family, t, x) for x in states) - by_state for t in theta]
            assert sums[FIRST:] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("kinds", [{}, {"no_effect": 0.2, "no_recovery": 0.3}])
def test_quantiles_in_runs_are_those_of_all_hypotheses(kinds: dict[str, float]) -> None:
    belief = with_random_weights(2, seed=3, hypotheses=96, **kinds)
    cdf, of_runs = np.empty((2, 96)), np.empty((2, belief.personal.run.shape[2]))
    for kind in range(0 if kinds else RECOVERY, KINDS):
        fill_posterior(belief, 0, kind, cdf)
        fill_run_cdfs(belief, 0, kind, of_runs)
        for k, u in itertools.product(range(2), (np.arange(200) + 0.37) / 200):
            found = hypothesis_in_runs(belief, 0, k, of_runs[k], u)
            assert found == hypothesis_at_quantile(cdf[k], u)
            assert np.diff(cdf[k], prepend=0.0)[found] > 0.0


def pairs_of(cube: Any) -> Ints:
    """The numbers of the pairs of cells of all points."""
    cell = np.minimum((cube[:2].astype(np.float64) * CELLS).astype(np.int64), CELLS - 1)
    return np.asarray(cell[0] * CELLS + cell[1])


def test_points_are_ordered_by_cell() -> None:
    cube = np.random.default_rng(1).random((4, 300)).astype(np.float32)
    order = order_by_cell(cube)
    assert np.array_equal(np.sort(order), np.arange(300))
    assert np.array_equal(order, np.argsort(pairs_of(cube), kind="stable"))


# The order of hypotheses does not depend on rewards: in `make test` no kernel is compiled for the agent.
@pytest.mark.parametrize("rewards", some_of([FAMILIES["wide"], (rb.LaplaceAgent(), 0.02, 1.0)], 1))
@pytest.mark.usefixtures("compiled_in_verify")
@pytest.mark.parametrize("kinds", some_of([{"no_effect": 0.2, "no_recovery": 0.3}, {}], 1))
def test_runs_are_pairs_of_cells_at_first_and_after_moves(kinds: dict[str, float], rewards: Any) -> None:
    arm = rb.Arm(rb.Unknown(hypotheses=160, **kinds), *rewards)
    for belief in (start_bank("test", problem_of([arm]), 1), lived(arm, is_refit=True, times=5 if FULL else 2)):
        starts, run, cube = belief.shared.starts, belief.personal.run[0, 0], belief.personal.cube[0, 0]
        pair = pairs_of(cube)
        pair[: starts[RECOVERY]] = -1 - np.repeat(np.arange(RECOVERY), np.diff(starts)[:RECOVERY])
        ends = [*(np.flatnonzero(np.diff(pair)) + 1), 160]
        assert run[: len(ends)].tolist() == ends
        assert (run[len(ends) :] == 160).all()
        assert (np.diff(pair[starts[RECOVERY] :]) >= 0).all()
    assert np.ptp(belief.personal.log_weight[0, 0, starts[RECOVERY] :]) < 50.0
    assert not np.array_equal(cube, start_bank("test", problem_of([arm]), 1).personal.cube[0, 0])


@pytest.mark.parametrize(("u", "folded"), [(0.3, 0.3), (-0.3, 0.3), (1.3, 0.7), (2.3, 0.3), (-5.25, 0.75), (7.5, 0.5)])
def test_proposals_are_folded_into_the_cube(u: float, folded: float) -> None:
    assert reflected(u) == pytest.approx(folded)


def test_arms_too_steep_for_a_series_are_refused_by_name() -> None:
    arm = rb.Arm(rb.Unknown(), rb.BernoulliLogit(2_000.0, 2_000.0), -1.0, 1.0, name="tip")
    with pytest.raises(ValueError, match=r"arm 'tip', .* is too steep: 512 nodes do not hold it"):
        start_bank("test", problem_of([arm]), 1)
