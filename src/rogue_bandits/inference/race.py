"""Which arm has the largest upper bound, without working them all out (docs/decisions/0005-the-race.md)."""

from __future__ import annotations

from typing import Any

from rogue_bandits.inference.evidence import count, potential_at
from rogue_bandits.inference.radius import out_of_reach
from rogue_bandits.inference.region import Region, best_end, best_state, rounding
from rogue_bandits.laws import inlined, routine
from rogue_bandits.types import mean, settled_kl


@routine
def cannot_reach(g: Region, level: float) -> bool:
    """Is the upper bound proven to lie below `level`? One look at a relaxed region, see `out_of_reach`."""
    f, n = g.arm.rewards, count(g.seen)
    x = best_state(g)
    end = best_end(g, x)
    if mean(f, end, x) < level:
        return True
    if n == 0.0 or mean(f, g.centre.theta, x) >= level:
        return False
    low = short_of(f, x, level, g.centre.theta, end)
    c = g.centre
    divergence, slope, information = settled_kl(f, low, potential_at(f, g.seen, low), c.theta, c.w)
    spread = slope * slope / information if information > 0.0 else 0.0
    # The margin is for rounding: what is this near is worked out in full.
    divergence = max(0.0, divergence * (1.0 - 1e-9) - rounding(g))
    return out_of_reach(g.rule, n, g.log_t, divergence, spread, c.price)


@inlined
def short_of(f: Any, x: float, level: float, below: float, above: float) -> float:
    """A theta whose mean at state x is just short of the level, between one that is below and one that is not."""
    start, low, high = below, mean(f, below, x) - level, mean(f, above, x) - level
    close = 1e-4 * abs(low)
    for _ in range(6):
        if min(abs(low), abs(high)) <= close:
            break
        theta = below - low * (above - below) / (high - low)
        gap = mean(f, theta, x) - level
        if gap < 0.0:
            below, low = theta, gap
        else:
            above, high = theta, gap
    theta = start + 0.999 * (above - start)
    return theta if mean(f, theta, x) < level else below
