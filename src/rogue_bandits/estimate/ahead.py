"""The value of sending an arm now, with what that changes later, for each draw from a person's posterior.

For a draw everything is known. All plans of the next few decisions are compared by what they earn and by what the
states after them are worth (`later.py`). What an arm adds to a plan depends only on the decisions at which it is sent,
a set of slots: its value is computed once for each set, and plans add up the values of their arms.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence

import numpy as np

from rogue_bandits.estimate.arm_draws import ArmDraws
from rogue_bandits.estimate.later import DISCOUNT, best_rates, later_values
from rogue_bandits.types import Floats, Ints

MOST_PLANS = 260  # that are compared


def values_ahead(arms: Sequence[ArmDraws], decisions: int) -> Floats:
    """Return the discounted mean rewards of the best plan if each of the arms is sent first, [arms, draws].

    At most so many decisions are planned one by one; then arms are sent at constant rates. With one decision only
    its reward counts.

    >>> from rogue_bandits.estimate.ladder.families import parts_of
    >>> constant = ArmDraws(parts_of("gaussian", 0.0, [[0.0, 1.0]]), [np.array([0.5])], [np.zeros(1)], [np.zeros(1)],
    ...                     np.zeros(1), np.ones(1), np.zeros(1), np.zeros(1), 1.0)
    >>> values = values_ahead([constant, constant._replace(level=[np.array([0.2])])], 3)
    >>> values.round(6).tolist()  # the better arm for 60 decisions, or one decision with the other
    [[30.0], [29.7]]
    """
    if decisions == 1:
        return np.array([arm.mean(arm.x) for arm in arms])
    depth = min(decisions, max(int(math.log(MOST_PLANS) / math.log(max(len(arms), 2))), 1))
    values = [values_of_slots(arm, depth, rate) for arm, rate in zip(arms, best_rates(arms), strict=True)]
    every = sum(value[slots] for value, slots in zip(values, slots_of_plans(len(arms), depth), strict=True))
    return np.asarray(every).reshape(len(arms), -1, arms[0].x.size).max(1)


def values_of_slots(arm: ArmDraws, depth: int, rate: Floats) -> Floats:
    """Return what an arm earns if it is sent at a set of slots, then at a rate, [sets of slots, draws].

    Bit t of the number of a set is 1 if the arm is sent at decision t.
    """
    total, x = np.zeros((1, arm.x.size)), arm.x[None]
    for t in range(depth):
        total = np.concatenate([total, total + DISCOUNT**t * arm.mean(x)])
        x = np.concatenate([arm.after(x, 0.0), arm.after(x, 1.0)]) if arm.adds.any() else arm.after(x, 0.0)
    return np.asarray(total + DISCOUNT**depth * later_values(arm, x, rate))


@functools.cache
def slots_of_plans(arms: int, depth: int) -> Ints:
    """Return the set of slots of each arm in every plan, [arms, plans]; the first decision varies slowest.

    >>> slots_of_plans(2, 2).tolist()
    [[3, 1, 2, 0], [0, 2, 1, 3]]
    """
    plans = np.array(list(itertools.product(range(arms), repeat=depth)))
    return np.array([(plans == k) @ (1 << np.arange(depth)) for k in range(arms)])
