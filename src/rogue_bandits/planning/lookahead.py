"""Exact lookahead over d decisions with relaxed values of the states at its end.

The total of arm k over the lookahead depends only on the slots S at which it plays: R_k[S] is the sum of its means then
plus its relaxed value at the end. The best plan is the best partition of the slots among the arms. Subset recursion
finds it, for each arm in slot 0, in arms · 3^d steps where plain enumeration takes arms^d.
"""

from __future__ import annotations

import numpy as np

from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.problem import ArmTable, arm_of
from rogue_bandits.planning.grid import Place, between, place, state_place, theta_place
from rogue_bandits.planning.values import Values
from rogue_bandits.types import Bools, Floats, mean, next_state, signal

DEPTH = 4
NEARLY_LEAST = 1e-4  # of the range of λ + Σ g: nodes this near to the least count as equal


def scratch_size(arms: int, depth: int, multipliers: int) -> int:
    """Return how many numbers `lookahead` needs for intermediate results."""
    return multipliers + (arms + 3) * 2**depth + 2 * arms


@routine
def lookahead(
    table: ArmTable,
    values: Values,
    person: int,
    theta: Floats,
    x: Floats,
    available: Bools,
    depth: int,
    scratch: Floats,
    total: Floats,
) -> int:
    """Fill total[k] with the value of playing arm k now; return the arm with the largest, the first of equals.

    The value is that of the best plan of `depth` decisions that starts with arm k, with relaxed values at its end. It
    is −inf where arm k is not available; at later decisions every arm is taken to be. −1 is returned if none is
    available. `scratch` has `scratch_size` numbers or more; what is in it does not matter.
    """
    ...


@inlined
def least_multiplier(values: Values, row: int, at: Floats, cost: Floats) -> float:
    """Return the λ with the least λ + Σ_k g_k(theta_k, λ); at[k] is the place of theta_k, `cost` is filled in.

    Where several adjacent nodes are nearly least the minimum is flat, and their middle is returned; else the vertex of
    the parabola through the least node and its neighbours.
    """
    ...
