"""Exact lookahead over d decisions with relaxed values of the states at its end.

The total of arm k over the lookahead depends only on the slots S at which it plays: R_k[S] is the sum of its means then
plus its relaxed value at the end. The best plan is the best partition of the slots among the arms. Subset recursion
finds it, for each arm in slot 0, in arms · 3^d steps where plain enumeration takes arms^d.
"""

from __future__ import annotations

import numpy as np

from rogue_bandits.compile.laws import inlined, overwrite, routine
from rogue_bandits.model.problem import ArmTable, arm_of
from rogue_bandits.planning.grid import Place, state_place, theta_place
from rogue_bandits.planning.values import MULTIPLIERS, Values, least_multiplier, multiplier_place
from rogue_bandits.types import Arm, Bools, Floats, mean, next_state, signal

DEPTH = 4


@inlined
def scratch_size(arms: int, depth: int) -> int:
    """Return how many numbers `lookahead` needs for intermediate results."""
    return MULTIPLIERS + 2 * arms + (2 * arms + 3) * (1 << depth)


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
    k_all, sets, row = theta.size, 1 << depth, person * table.stride
    cost, used = scratch[: values.multiplier.size], values.multiplier.size
    node, weight = scratch[used : used + k_all], scratch[used + k_all : used + 2 * k_all]
    used += 2 * k_all
    rewards = scratch[used : used + k_all * sets].reshape((k_all, sets))
    used += k_all * sets
    for k in range(k_all):
        node[k], weight[k] = theta_place(values.grid, arm_of(table, person, k), k, theta[k])
    at = multiplier_place(values, least_multiplier(values, row, node, weight, cost))
    for k in range(k_all):
        slot_rewards(arm_of(table, person, k), k, theta[k], x[k], depth, scratch[used : used + sets], rewards[k])
        add_bias(values, row, k, Place(int(node[k]), weight[k]), at, scratch[used : used + sets], rewards[k])
    return partition(rewards, available, scratch[used:], total)


@inlined
def slot_rewards(arm: Arm, k: int, theta: float, x: float, depth: int, state: Floats, rewards: Floats) -> None:
    """Fill rewards[S] with the sum of the arm's means, and state[S] with its state at the end, if it plays at slots S.

    Bit t of S is set if it plays at decision t.
    """
    d = arm.dynamics
    played, rested = signal(d, k, k), signal(d, k, -1)
    state[0], rewards[0] = x, 0.0
    for t in range(depth):
        bit = 1 << t
        for s in range(bit):
            now = state[s]
            rewards[s + bit] = rewards[s] + mean(arm.rewards, theta, now)
            state[s + bit], state[s] = next_state(d, now, played), next_state(d, now, rested)


@inlined
def add_bias(values: Values, row: int, k: int, theta: Place, multiplier: Place, state: Floats, rewards: Floats) -> None:
    """Add the relaxed value of arm k at each end state, interpolated in theta, λ and the state."""
    i, j, u, v = theta.i, multiplier.i, theta.weight, multiplier.weight
    above = min(i + 1, values.grid.thetas - 1)
    a, b = values.bias[row, k, i, j], values.bias[row, k, i, j + 1]
    c, d = values.bias[row, k, above, j], values.bias[row, k, above, j + 1]
    for s in range(state.size):
        at = state_place(values.grid, k, state[s])
        m, n = at.i, min(at.i + 1, values.grid.states - 1)
        low = (1.0 - u) * (a[m] + v * (b[m] - a[m])) + u * (c[m] + v * (d[m] - c[m]))
        high = (1.0 - u) * (a[n] + v * (b[n] - a[n])) + u * (c[n] + v * (d[n] - c[n]))
        rewards[s] += low + at.weight * (high - low)


@inlined
def partition(rewards: Floats, available: Bools, scratch: Floats, total: Floats) -> int:
    """Fill total[k] with the best partition of the slots that gives slot 0 to arm k; return the best such arm.

    rewards[k, S] is what arm k earns at slots S. Sets of the slots after the first, below, are S >> 1.
    """
    k_all, sets = rewards.shape[0], rewards.shape[1] >> 1
    later = scratch[: (k_all + 1) * sets].reshape((k_all + 1, sets))  # [k]: the best of arms k, k + 1, …
    used = (k_all + 1) * sets
    earlier, others = scratch[used : used + sets], scratch[used + sets : used + 2 * sets]
    earlier[:], later[k_all] = -np.inf, -np.inf
    earlier[0], later[k_all, 0] = 0.0, 0.0
    for k in range(k_all - 1, -1, -1):
        join(later[k + 1], rewards[k, ::2], later[k])
    best = -1
    for k in range(k_all):
        total[k] = -np.inf
        if available[k]:
            join(earlier, later[k + 1], others)
            for s in range(sets):
                total[k] = max(total[k], rewards[k, 2 * s + 1] + others[sets - 1 - s])
            if best < 0 or total[k] > total[best]:
                best = k
        join(earlier, rewards[k, ::2], others)
        overwrite(earlier, others)
    return best


@inlined
def join(one: Floats, other: Floats, both: Floats) -> None:
    """Set both[S] to the largest one[A] + other[S − A] over subsets A of S."""
    for s in range(both.size):
        largest, part = one[s] + other[0], s
        while part > 0:
            part = (part - 1) & s
            largest = max(largest, one[part] + other[s - part])
        both[s] = largest
