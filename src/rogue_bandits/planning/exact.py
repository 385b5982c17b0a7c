"""The best plan by backward induction, where few joint states can be reached.

Clipping makes states meet: the paper's two logistic arms have 139 joint states, however long they are played. States
are the same only if they are so to the last digit: nothing is rounded, and nothing has to be accounted for.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.compile.laws import kernel, routine
from rogue_bandits.model.dynamics.clipped_affine import observed_state
from rogue_bandits.model.rewards.weighted import arms_and_states
from rogue_bandits.planning.plan import Plan, plan_of
from rogue_bandits.types import Arm, Floats, Ints, Truth, mean, next_state, signal

MOST_STATES = 20_000
MOST_WORK = 10_000_000_000  # states × arms × decisions: half a minute


class Joint(NamedTuple):
    """The joint states that can be reached, the first decision's first."""

    mean: Floats  # [states, arms], of the arm at that state
    after: Ints  # [states, arms], the joint state once that arm is played


def exact_plan(truth: Truth, horizon: int) -> Plan | None:
    """The best plan, proven to be so; None if the joint states are too many.

    V_t(s) = max over arms k of mean_k(s) + V_{t+1}(s after k), from V_horizon = 0; the plan follows the maxima.
    """
    joint = reachable(truth, horizon)
    if joint is None:
        return None
    arm = np.empty(horizon, dtype=np.int16)
    induce(joint, arm)
    plan = plan_of(truth, arm)
    return plan._replace(upper=plan.total)


def reachable(truth: Truth, horizon: int) -> Joint | None:
    """Every joint state that some plan reaches before the horizon; None if they are too many."""
    places = {tuple(truth.x0): 0}
    after: list[list[int]] = []
    shell = list(places)  # what is first reached at decision t
    for _ in range(horizon):
        following = []
        for x in shell:
            new = successors(truth, x)
            for y in new:
                if y not in places:
                    places[y] = len(places)
                    following.append(y)
            after.append([places[y] for y in new])
            if len(places) > min(MOST_STATES, MOST_WORK // (len(x) * horizon)):
                return None
        shell = following
    # What is first reached at the horizon rewards nothing any more, and may lead to itself.
    after += [[s] * len(truth.arms) for s in range(len(after), len(places))]
    arms, theta, _ = arms_and_states(truth)
    means = [
        [mean(arms[k].rewards, theta[k], observed_state(arms[k].dynamics, list(x), k)) for k in range(len(x))]
        for x in places
    ]
    return Joint(np.array(means), np.array(after))


def successors(truth: Truth, x: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """The joint state after each of the arms."""
    moved = []
    for k, (arm, x_k) in enumerate(zip(truth.arms, x, strict=True)):
        told = [signal(arm.dynamics, k, played) for played in range(len(x))]
        after = {what: following(arm, x_k, what) for what in set(told)}  # most are told one of two things
        moved.append([after[what] for what in told])
    return list(zip(*moved, strict=True))


def following(arm: Arm, x: Any, told: float) -> Any:
    """The next state of an arm: a number, or a tuple where it is a vector."""
    after: Any = next_state(arm.dynamics, x, told)
    return tuple(after.tolist()) if isinstance(after, np.ndarray) else after


@kernel
def induce(joint: Joint, arm: NDArray[np.int16]) -> None:
    """Backward through the decisions for V, forward for the plan, which is written to `arm`.

    The choices at every decision would not fit in the memory of a long run. V is kept now and then, and the choices
    are made again from there, block by block.
    """
    states, block = joint.mean.shape[0], int(np.ceil(np.sqrt(arm.size)))
    blocks = (arm.size + block - 1) // block
    value, choice = np.zeros((blocks + 1, states)), np.empty((block, states), dtype=np.int16)
    for b in range(blocks - 1, -1, -1):
        value[b] = value[b + 1]
        look_back(joint, value[b], choice[: arm.size - b * block])
    s = 0
    for b in range(blocks):
        look_back(joint, value[b + 1], choice[: arm.size - b * block])
        for t in range(b * block, min((b + 1) * block, arm.size)):
            arm[t] = choice[t - b * block, s]
            s = joint.after[s, arm[t]]


@routine
def look_back(joint: Joint, value: Floats, choice: NDArray[np.int16]) -> None:
    """From V after the last of these decisions to V before the first, in place; `choice` is the best arm of each."""
    new = np.empty_like(value)
    for t in range(choice.shape[0] - 1, -1, -1):
        for s in range(value.size):
            new[s] = -np.inf
            for k in range(joint.mean.shape[1]):
                total = joint.mean[s, k] + value[joint.after[s, k]]
                if total > new[s]:
                    new[s], choice[t, s] = total, k
        value[:] = new
