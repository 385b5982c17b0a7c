"""The largest eta of the next reward in a box, under the inequalities of `relaxation`: each alone, and mixed."""

from __future__ import annotations

import math

import numpy as np

from rogue_bandits.belief.play_log.evidence import rewards_seen
from rogue_bandits.belief.play_log.local_fit import PlayLogRegion
from rogue_bandits.belief.play_log.relaxation import (
    CURVATURE_RATIO,
    DIVERGENCE,
    LEAST,
    NOW,
    NOW_MARGIN,
    ROOT,
    ROOT_FAR,
    Linear,
    RegionConstants,
    bound_box,
)
from rogue_bandits.belief.radius import caps
from rogue_bandits.belief.region import rounding
from rogue_bandits.compile.laws import inlined, overwrite, routine
from rogue_bandits.numerics.brent import GOLDEN
from rogue_bandits.types import Floats

ROUNDS = 8
SECTIONS = 12
SLOW = 0.1  # of what is left to gain: less in a round is not worth another


@routine
def highest_now(
    g: PlayLogRegion,
    k: RegionConstants,
    rows: Floats,
    lo: Floats,
    hi: Floats,
    sign: float,
    enough: float,
    of: Linear,
    p: Floats,
) -> float:
    """Return the largest sign·eta of the next reward inside the region in the box (−inf: none); p ends near its place.

    Inequalities are taken around p, first as given and then where the last ones left it; each is mixed with those
    before so that the bound is the least (a mixture of inequalities is one too). The search ends once it is `enough`.
    """
    n, seen = lo.size, rewards_seen(g.seen)
    cap_here, b = caps(g.rule, seen, g.log_t) if seen > 0.0 else (math.inf, math.inf)
    slack, last = rounding(g), math.inf
    mixed, new, trial = np.zeros(n + 1), np.empty(n + 1), np.empty(n + 1)
    for j in range(n):
        p[j] = min(max(p[j], lo[j]), hi[j])
    for _ in range(ROUNDS):
        c = p.copy()
        bound_box(g, k, rows, lo, hi, c, of)
        cap = cap_here
        if b < math.inf:
            cap = min(cap, b * of.at[ROOT_FAR])
            cap = min(cap, b * b / of.at[CURVATURE_RATIO]) if of.at[CURVATURE_RATIO] > 0.0 else cap
        if of.at[LEAST] > slack + cap:
            return -math.inf
        set_cut(of, 0.0, cap + slack, c, new)
        best = mix(of, mixed, new, trial, lo, hi, c, sign, p)
        if b < math.inf:
            set_cut(of, b, b * of.at[ROOT] + slack, c, new)
            best = min(best, mix(of, mixed, new, trial, lo, hi, c, sign, p))
        if best <= enough or (last < math.inf and best > last - SLOW * (last - enough)):
            return min(best, last)
        last = best
    return last


@inlined
def set_cut(of: Linear, b: float, most: float, c: Floats, cut: Floats) -> None:
    """Write the inequality divergence − b·root ≤ most as its slopes by p and, last, its right side."""
    cut[c.size] = most - of.at[DIVERGENCE]
    for j in range(c.size):
        cut[j] = of.divergence[j] - b * of.spread[j]
        cut[c.size] += cut[j] * c[j]


@routine
def mix(
    of: Linear, mixed: Floats, new: Floats, trial: Floats, lo: Floats, hi: Floats, c: Floats, sign: float, at: Floats
) -> float:
    """Return the bound under the best mixture of two inequalities, by golden sections; `mixed` becomes that mixture."""
    least, most = 0.0, 1.0  # the share of the new one
    alone = under(of, new, lo, hi, c, sign, at)
    before = under(of, mixed, lo, hi, c, sign, at)
    if min(alone, before) == -math.inf:
        return -math.inf
    best, share = (alone, 1.0) if alone <= before else (before, 0.0)
    for _ in range(SECTIONS):
        one, other = most - GOLDEN * (most - least), least + GOLDEN * (most - least)
        at_one = under_share(of, mixed, new, trial, one, lo, hi, c, sign, at)
        at_other = under_share(of, mixed, new, trial, other, lo, hi, c, sign, at)
        if min(at_one, at_other) < best:
            best, share = (at_one, one) if at_one <= at_other else (at_other, other)
        if at_one <= at_other:
            most = other
        else:
            least = one
    best = under_share(of, mixed, new, trial, share, lo, hi, c, sign, at)
    overwrite(mixed, trial)
    return best


@inlined
def under_share(
    of: Linear, mixed: Floats, new: Floats, trial: Floats, share: float,
    lo: Floats, hi: Floats, c: Floats, sign: float, at: Floats,
) -> float:  # fmt: skip
    """Return the bound under a mixture of inequalities."""
    for j in range(new.size):
        # A right side may be inf: what has no share must not be multiplied by it.
        trial[j] = mixed[j] if share <= 0.0 else new[j] if share >= 1.0 else (1.0 - share) * mixed[j] + share * new[j]
    return under(of, trial, lo, hi, c, sign, at)


@routine
def under(of: Linear, cut: Floats, lo: Floats, hi: Floats, c: Floats, sign: float, at: Floats) -> float:
    """Return the largest sign·eta of the next reward on the box under one inequality; −inf if no point satisfies it.

    Start at the best corner, and move the components whose loss per unit of the inequality is least.
    """
    total: float = sign * of.at[NOW] + of.at[NOW_MARGIN]
    n, used, most = lo.size, 0.0, cut[lo.size]
    for j in range(n):
        gain = sign * of.now[j]
        at[j] = hi[j] if gain > 0.0 or (gain == 0.0 and cut[j] < 0.0) else lo[j]
        total += gain * (at[j] - c[j])
        used += cut[j] * at[j]
    done = not used > most  # also where the right side is no number
    while not done:
        best, cheapest = -1, math.inf
        for j in range(n):
            lowers = (cut[j] > 0.0 and at[j] == hi[j]) or (cut[j] < 0.0 and at[j] == lo[j])
            if lowers and lo[j] < hi[j] and abs(of.now[j] / cut[j]) < cheapest:
                best, cheapest = j, abs(of.now[j] / cut[j])
        if best < 0:
            return -math.inf
        back = abs(cut[best]) * (hi[best] - lo[best])
        done = back >= used - most
        back = min(back, used - most)
        used -= back
        total -= back * cheapest
        if done:
            at[best] -= back / cut[best]
        else:
            at[best] = lo[best] if cut[best] > 0.0 else hi[best]
    return total
