"""What the states after a plan are worth: each arm is sent at a constant rate from then on, the best for the draw.

Rewards are discounted, as if each decision were the last with probability 1 / HORIZON: a study ends, and people leave
it. So an arm that never recovers has a finite value too, and of two orders that earn the same the larger reward comes
first.

An arm that is sent every m-th decision, at rate 1/m, has before its j-th sending the load

    load_j = L + decay^(jm) (x - L),    L = decay^(m - 1) / (1 - decay^m),

where x is the load at the first one. Rates between these are interpolated by the same formula. Where loads have a cap,
load_j is at most decay^(m - 1) · cap from the second sending on.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rogue_bandits.estimate.arm_draws import ArmDraws
from rogue_bandits.estimate.ladder.panel import NO_CAP
from rogue_bandits.types import Floats

HORIZON = 60.0  # decisions that count, on average
DISCOUNT = 1.0 - 1.0 / HORIZON
SLOTS = 12  # rates are multiples of 1/12, which has halves, thirds, quarters and sixths
BLOCKS = np.array([0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, np.inf])  # of decisions: one mean for each
WEIGHTS = HORIZON * -np.diff(DISCOUNT**BLOCKS)
SLOWEST = 1.0 - 1e-7  # share that is left, of an arm that never recovers: L stays finite


def later_values(arm: ArmDraws, x: Floats, rate: Floats) -> Floats:
    """Return the discounted rewards of an arm that is sent at a rate from states x on, [..., draws].

    A fade is held at its level. Gains by sendings are not continued beyond the most sendings that the person had.
    """
    if not arm.adds.any():
        return np.asarray(rate * HORIZON * arm.mean(x))
    keeps = np.minimum(arm.keeps, SLOWEST)
    limit = load_at(keeps, rate)
    rising = arm.mean(arm.x + 1.0) > arm.mean(arm.x)
    limit = np.where(rising, np.minimum(limit, np.maximum(arm.sendings, x)), limit)
    limit = np.where(arm.adds > 0.0, limit, x)
    left = -np.diff((DISCOUNT * keeps) ** BLOCKS[:, None], axis=0) / (1.0 - DISCOUNT * keeps)
    caps = [NO_CAP, *[capped_load(keeps, rate, arm.cap)] * (WEIGHTS.size - 1)]
    each = (
        weight * arm.mean(np.minimum(limit + share / weight * (x - limit), cap))
        for weight, share, cap in zip(WEIGHTS, left, caps, strict=True)
    )
    return np.asarray(rate * sum(each))


def load_at(keeps: Floats, rate: Floats) -> Floats:
    """Return the load before each sending of an arm that has long been sent at a rate.

    >>> load_at(np.array([0.5]), np.array([1.0, 0.5])).tolist()
    [2.0, 0.6666666666666666]
    """
    apart = 1.0 / np.maximum(rate, 1e-3)  # decisions from one sending to the next
    return np.asarray(keeps ** (apart - 1.0) / (1.0 - keeps**apart))


def capped_load(keeps: Floats, rate: Floats, cap: Floats) -> Floats:
    """Return the largest load before a sending that follows another one, of an arm that is sent at a rate.

    >>> capped_load(np.array([0.5]), np.array([1.0, 0.5]), np.array([1.2])).tolist()
    [1.2, 0.6]
    """
    rests = 1.0 / np.maximum(rate, 1e-3) - 1.0  # between two sendings
    return np.asarray(np.maximum(keeps**rests, 1e-300) * cap)


def best_rates(arms: Sequence[ArmDraws]) -> Floats:
    """Return the rates, which sum to 1, that earn most from the states now on, [arms, draws].

    All splits of the slots are compared, arm by arm: values need not be concave in the rate.
    """
    draws = arms[0].x.size
    rates = np.arange(SLOTS + 1.0)[:, None] / SLOTS
    best, chosen = np.full((SLOTS + 1, draws), -np.inf), []
    best[0] = 0.0
    for arm in arms:
        value = np.broadcast_to(later_values(arm, arm.x, rates), best.shape)
        every = np.full((SLOTS + 1, SLOTS + 1, draws), -np.inf)  # slots so far, of which those of this arm
        for own in range(SLOTS + 1):
            every[own:, own] = best[: SLOTS + 1 - own] + value[own]
        chosen.append(every.argmax(1))
        best = every.max(1)
    left, found = np.full(draws, SLOTS), []
    for slots in reversed(chosen):
        own = slots[left, np.arange(draws)]
        found.append(own / SLOTS)
        left = left - own
    return np.array(found[::-1])
