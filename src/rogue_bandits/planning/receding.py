"""The plan of a lookahead that is made anew at every decision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.compile.laws import kernel, pick, stack
from rogue_bandits.model.dynamics.clipped_affine import move
from rogue_bandits.model.problem import ArmTable
from rogue_bandits.planning.lookahead import lookahead, scratch_size
from rogue_bandits.planning.plan import Plan, followed
from rogue_bandits.planning.values import Values
from rogue_bandits.types import Arm, Floats


def receding_plan(arms: Arm, theta: Floats, x: Floats, values: Values, horizon: int, depth: int) -> Plan:
    """Return the plan that plays the first arm of the best `depth` decisions, at every decision anew.

    Near the horizon the lookahead is exact: states at the end have no value.
    """
    arm, at_end = np.empty(horizon, dtype=np.int16), values._replace(bias=np.zeros_like(values.bias))
    recede(ArmTable(stack([arms]), 0), theta, x, values, at_end, depth, arm)
    return followed(arms, theta, x, arm)


@kernel
def recede(
    table: ArmTable, theta: Floats, x0: Floats, values: Values, at_end: Values, depth: int, arm: NDArray[np.int16]
) -> None:
    """Fill `arm` with the choices of a lookahead that is made anew at every decision."""
    x, total, available = x0.copy(), np.empty(x0.size), np.ones(x0.size, dtype=np.bool_)
    scratch = np.empty(scratch_size(x0.size, depth))
    for t in range(arm.size):
        left = arm.size - t
        if left > depth:
            arm[t] = lookahead(table, values, 0, theta, x, available, depth, scratch, total)
        else:
            arm[t] = lookahead(table, at_end, 0, theta, x, available, left, scratch, total)
        move(pick(table.arms, 0), x, arm[t])
