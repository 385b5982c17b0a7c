"""Planning for recovering arms: the value of playing each arm now, given its means at all delays.

With a multiplier λ on every play the arms are independent, and the long-run average of one is that of
the best period, g(λ) = max over delays d of (mean[d] − λ)/(d + 1), or 0 if it is never played. g and the bias h follow
from a curve in closed form, so that no tables are needed and every draw of a curve has its own. The rest is as in
`lookahead`: λ minimises λ + Σ g, and a few decisions are enumerated with Σ h at their end.
"""

from __future__ import annotations

import numpy as np

from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.curves import place_on_curve
from rogue_bandits.model.problem import ArmTable, arm_of
from rogue_bandits.planning.lookahead import partition
from rogue_bandits.types import Bools, Floats, next_state, signal

MOST_TANGENTS = 100  # in the search for λ; the sum is piecewise linear, and about ten are enough


@inlined
def recovering_scratch_size(arms: int, values: int, depth: int) -> int:
    """Return how many numbers `recovering_values` needs for intermediate results."""
    return values + (2 * arms + 3) * (1 << depth)


@routine
def recovering_values(
    table: ArmTable, person: int, means: Floats, x: Floats, available: Bools, depth: int, scratch: Floats, total: Floats
) -> int:
    """Fill total[k] with the value of playing arm k now; return the arm with the largest, the first of equals.

    means [arms, values] are those at every delay, x the delays now. The value is that of the best plan of `depth`
    decisions that starts with arm k, with relaxed values at its end. It is −inf where arm k is not available; −1 is
    returned if none is.
    """
    arms, sets = means.shape[0], 1 << depth
    bias, state = scratch[: means.shape[1]], scratch[means.shape[1] : means.shape[1] + sets]
    used = means.shape[1] + sets
    rewards = scratch[used : used + arms * sets].reshape((arms, sets))
    multiplier = recovering_multiplier(table, person, means)
    for k in range(arms):
        longest = int(arm_of(table, person, k).dynamics.longest)
        gain, _ = best_period(means[k], longest, multiplier)
        fill_bias(means[k], longest, multiplier, gain, bias)
        rewards_by_slots(table, person, k, means[k], x[k], depth, state, rewards[k])
        for s in range(sets):
            rewards[k, s] += bias[int(state[s])]
    return partition(rewards, available, scratch[used + arms * sets :], total)


@inlined
def best_period(means: Floats, longest: int, multiplier: float) -> tuple[float, float]:
    """Return g(λ), and the plays per decision that it is reached with: −g'(λ)."""
    gain, rate = 0.0, 0.0
    for delay in range(longest + 1):
        each = (means[delay] - multiplier) / (delay + 1.0)
        if each > gain:
            gain, rate = each, 1.0 / (delay + 1.0)
    return gain, rate


@inlined
def relaxed_average(table: ArmTable, person: int, means: Floats, multiplier: float) -> tuple[float, float]:
    """Return λ + Σ g_k(λ), an upper bound on the long-run average of every plan, and its slope."""
    value, slope = multiplier, 1.0
    for k in range(means.shape[0]):
        gain, rate = best_period(means[k], int(arm_of(table, person, k).dynamics.longest), multiplier)
        value += gain
        slope -= rate
    return value, slope


@routine
def recovering_multiplier(table: ArmTable, person: int, means: Floats) -> float:
    """Return the λ with the least λ + Σ_k g_k(λ): a convex, piecewise linear function.

    The tangents at two points on either side of the least meet below it. Their meeting point replaces one of the two,
    until the function is no higher there than the tangents.
    """
    low, high = np.inf, -np.inf
    for k in range(means.shape[0]):
        now = means[k, 0]
        for delay in range(int(arm_of(table, person, k).dynamics.longest) + 1):
            high = max(high, means[k, delay])
            if delay > 0:  # below this λ, playing at once is better than waiting so long
                low = min(low, now - (means[k, delay] - now) / delay)
        low = min(low, now)
    low_value, low_slope = relaxed_average(table, person, means, low)
    high_value, high_slope = relaxed_average(table, person, means, high)
    for _ in range(MOST_TANGENTS):
        if low_slope >= 0.0 or high_slope <= low_slope:
            return low
        meet = (low_value - high_value + high_slope * high - low_slope * low) / (high_slope - low_slope)
        value, slope = relaxed_average(table, person, means, meet)
        tiny = 1e-12 * (abs(value) + abs(high) + abs(low))
        if not low < meet < high or value <= low_value + low_slope * (meet - low) + tiny:
            return meet
        if slope < 0.0:
            low, low_value, low_slope = meet, value, slope
        else:
            high, high_value, high_slope = meet, value, slope
    return low


@inlined
def fill_bias(means: Floats, longest: int, multiplier: float, gain: float, bias: Floats) -> None:
    """Fill in h: g + h(d) = max(mean[d] − λ + h(0), h(d + 1)), h(0) = 0; the longest delay is followed by itself."""
    ahead = means[longest] - multiplier - gain
    if gain == 0.0:  # it may rest for ever
        ahead = max(ahead, 0.0)
    for delay in range(longest, -1, -1):
        ahead = max(means[delay] - multiplier - gain, ahead - (gain if delay < longest else 0.0))
        bias[delay] = ahead


@inlined
def rewards_by_slots(
    table: ArmTable, person: int, k: int, means: Floats, x: float, depth: int, state: Floats, rewards: Floats
) -> None:
    """Fill rewards[S] with the sum of the arm's means, and state[S] with its state at the end, if it plays at slots S.

    Bit t of S is set if it plays at decision t.
    """
    d = arm_of(table, person, k).dynamics
    played, rested = signal(d, k, k), signal(d, k, -1)
    state[0], rewards[0] = x, 0.0
    for t in range(depth):
        bit = 1 << t
        for s in range(bit):
            now = state[s]
            rewards[s + bit] = rewards[s] + means[place_on_curve(d, now)]
            state[s + bit], state[s] = next_state(d, now, played), next_state(d, now, rested)
