"""What a policy may call at a decision, from inside a kernel of its own: the same interpreted and compiled."""

from __future__ import annotations

import numpy as np
import pytest

from rogue_bandits.compile.laws import kernel
from rogue_bandits.planning.cells import Cells, cell_of, cut, value_at
from rogue_bandits.planning.plan import arrays_of
from rogue_bandits.planning.relaxed import action_values, backward_values, relaxed
from rogue_bandits.planning.rollout import myopic_choice
from rogue_bandits.types import Arm, Bools, Floats, mean
from tests.planning.truths import TABLE_1

HORIZON = 8


def decision(arms: Arm, theta: Floats, x: Floats, available: Bools, cells: Cells, multiplier: Floats) -> Floats:
    """The myopic choice, then of each arm V_0 at its state, interpolated and of its cell, and the values of actions."""
    found = np.empty((theta.size, 5))
    for k in range(theta.size):
        value = np.empty((multiplier.size + 1, cells.mean.shape[1]))
        backward_values(cells, k, multiplier, value)
        i = cell_of(cells, k, x[k])
        found[k, 0] = myopic_choice(arms, theta, x, available)[0]
        found[k, 1], found[k, 2] = value_at(cells, k, value[0], x[k]), value[0, i]
        found[k, 3], found[k, 4] = action_values(cells, k, i, multiplier[0], value[1])
    return found


def test_the_pieces_of_a_planning_policy() -> None:
    arms, theta, _ = arrays_of(TABLE_1)
    x, multiplier = np.array([0.4, 0.8]), np.full(HORIZON, 0.6)
    cells = cut(arms, theta, 50)
    means = [mean(arm.rewards, theta[k], x[k]) for k, arm in enumerate(TABLE_1.arms)]
    bound = relaxed(cells, x, multiplier).bound
    for available in ([True, True], [True, False], [False, True], [False, False]):
        args = arms, theta, x, np.array(available), cells, multiplier
        found = decision(*args)
        assert kernel(decision)(*args) == pytest.approx(found, rel=1e-15)
        allowed = [k for k in range(2) if available[k]]
        assert found[:, 0].tolist() == [max(allowed, key=means.__getitem__, default=-1)] * 2
        assert multiplier.sum() + found[:, 2].sum() == pytest.approx(bound, rel=1e-14)
        assert found[:, 2].tolist() == found[:, 3:].max(axis=1).tolist()
        assert found[:, 1] == pytest.approx(found[:, 2], abs=0.02)  # cells are 1/50 wide, slopes of means below 1/4
