"""One decision with known theta and states, and means along a sequence of decisions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.compile.laws import inlined, kernel
from rogue_bandits.model.dynamics.clipped_affine import mean_now, move
from rogue_bandits.types import Arm, Bools, Floats

MYOPIC, REST = -2, -1  # in place of an arm: the myopic choice; none


@inlined
def myopic_choice(arms: Arm, theta: Floats, x: Floats, available: Bools) -> tuple[int, float]:
    """Return the available arm with the largest mean now (the first of equals), and that mean; (−1, −inf) if none.

    The mean is nan if that of any available arm is not finite.
    """
    choice, largest, invalid = -1, -np.inf, 0.0
    for k in range(theta.size):
        if available[k]:
            now = mean_now(arms, theta, x, k)
            if now > largest:
                choice, largest = k, now
            invalid += now - now  # nan stays nan, where a maximum would ignore it
    return choice, largest + invalid


@kernel
def rollout(
    arms: Arm, theta: Floats, x0: Floats, arm: NDArray[np.int16], played: Floats, best: Floats, available: Bools
) -> None:
    """Play arm[row, t] from x0 in every row; write its mean to `played` and the largest mean of any arm to `best`.

    The largest is over the arms with available[row, t, k]. `MYOPIC` entries of `arm` are replaced by the myopic
    choice; the means of a `REST` are nan.
    """
    for row in range(arm.shape[0]):
        x = x0.copy()
        for t in range(arm.shape[1]):
            choice, best[row, t] = myopic_choice(arms, theta, x, available[row, t])
            if arm[row, t] == MYOPIC:
                arm[row, t] = choice
            k = arm[row, t]
            if k == REST:
                played[row, t] = best[row, t] = np.nan
            else:
                played[row, t] = best[row, t] if k == choice else mean_now(arms, theta, x, k)
            move(arms, x, k)


def all_available(people: int, decisions: int, arms: int) -> Bools:
    """Return that every arm is available at every decision, without the memory that it would take."""
    return np.broadcast_to(np.True_, (people, decisions, arms))
