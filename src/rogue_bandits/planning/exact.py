"""The best plan by backward induction over the joint states, where few can be reached.

Clipping makes states coincide: the paper's two logistic arms have 139 joint states, at any horizon. States are the same
only if all of their digits are, so that nothing is rounded.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.compile.laws import kernel, overwrite, routine
from rogue_bandits.model.dynamics.clipped_affine import mean_now, move
from rogue_bandits.planning.plan import Plan
from rogue_bandits.types import Arm, Floats, Ints

MOST_STATES = 20_000
MOST_WORK = 10_000_000_000  # states × arms × decisions: half a minute
AT_ONCE = 1_000_000  # numbers in a block of successors


class Joint(NamedTuple):
    """The joint states that can be reached, in the order in which they are; state 0 is the first."""

    mean: Floats  # [states, arms], of the arm at that state
    after: Ints  # [states, arms], the joint state after that arm is played


def exact_plan(arms: Arm, theta: Floats, x: Floats, horizon: int) -> Plan | None:
    """Return the best plan from states x; None if the joint states are too many.

    V_t(s) = max over arms k of mean_k(s) + V_{t+1}(s after k), from V_horizon = 0; the plan follows the maxima.
    """
    joint = reachable(arms, theta, x, horizon)
    if joint is None:
        return None
    plan = Plan(np.empty(horizon, dtype=np.int16), np.empty(horizon))
    induce(joint, plan.arm, plan.mean)
    return plan._replace(upper=plan.total)


def reachable(arms: Arm, theta: Floats, x: Floats, horizon: int) -> Joint | None:
    """Return every joint state that some plan reaches before the horizon; None if they are too many."""
    k = theta.size
    most, block = min(MOST_STATES, MOST_WORK // (k * horizon)), max(1, AT_ONCE // (k * x.size))
    places = {tuple(x.ravel().tolist()): 0}
    mean: list[Floats] = []
    after: list[int] = []
    shell = x[np.newaxis]  # the joint states first reached at decision t
    for _ in range(horizon):
        new: list[tuple[float, ...]] = []
        for first in range(0, len(shell), block):
            states = shell[first : first + block]
            mean.append(np.empty((len(states), k)))
            successors = np.empty((len(states), k, *x.shape))
            expand(arms, theta, states, mean[-1], successors)
            for y in map(tuple, successors.reshape(-1, x.size).tolist()):
                if y not in places:
                    places[y] = len(places)
                    new.append(y)
                after.append(places[y])
            if len(places) > most:
                return None
        if not new:
            break
        shell = np.array(new).reshape(-1, *x.shape)
    # States first reached at the horizon earn nothing any more; they may lead to themselves.
    seen, total = len(after) // k, len(places)
    to = np.concatenate([np.array(after).reshape(seen, k), np.arange(seen, total)[:, np.newaxis].repeat(k, axis=1)])
    return Joint(np.concatenate([*mean, np.zeros((total - seen, k))]), to)


@kernel
def expand(arms: Arm, theta: Floats, x: Floats, mean: Floats, after: Floats) -> None:
    """Write the mean of each arm at each joint state x[s], and the joint state after it is played."""
    for s in range(x.shape[0]):
        for k in range(theta.size):
            mean[s, k] = mean_now(arms, theta, x[s], k)
            after[s, k] = x[s]
            move(arms, after[s, k], k)


@kernel
def induce(joint: Joint, arm: NDArray[np.int16], mean: Floats) -> None:
    """Compute V backward through the decisions, then the plan forward, which is written to `arm` and `mean`.

    The choices at every decision would not fit into the memory of a long run. V is kept every √horizon decisions, and
    the choices in between are computed again from there.
    """
    states, block = joint.mean.shape[0], int(np.ceil(np.sqrt(arm.size)))
    blocks = (arm.size + block - 1) // block
    value, choice = np.zeros((blocks + 1, states)), np.empty((block, states), dtype=np.int16)
    for b in range(blocks - 1, -1, -1):
        value[b] = value[b + 1]
        induce_block(joint, value[b], choice[: arm.size - b * block])
    s = 0
    for b in range(blocks):
        induce_block(joint, value[b + 1], choice[: arm.size - b * block])
        for t in range(b * block, min((b + 1) * block, arm.size)):
            arm[t], mean[t] = choice[t - b * block, s], joint.mean[s, choice[t - b * block, s]]
            s = joint.after[s, arm[t]]


@routine
def induce_block(joint: Joint, value: Floats, choice: NDArray[np.int16]) -> None:
    """Take V from after the last of these decisions to before the first, in place; `choice` is the best arm of each."""
    new = np.empty_like(value)
    for t in range(choice.shape[0] - 1, -1, -1):
        for s in range(value.size):
            new[s] = -np.inf
            for k in range(joint.mean.shape[1]):
                total = joint.mean[s, k] + value[joint.after[s, k]]
                if total > new[s]:
                    new[s], choice[t, s] = total, k
        overwrite(value, new)
