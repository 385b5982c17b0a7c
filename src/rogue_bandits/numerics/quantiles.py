"""The reward at a quantile, where no closed form gives it."""

from __future__ import annotations

import math
from typing import Any

from rogue_bandits.compile.laws import routine
from rogue_bandits.types import loglik, mean, support

NOTHING = 1e-18  # a probability that adds nothing to a sum of 16 digits


@routine
def whole_quantile(f: Any, theta: float, x: float, u: float) -> float:
    """The smallest whole number r with P(R ≤ r) ≥ u: sums from the mean, so that none is longer than the spread."""
    lo, hi, _ = support(f)
    r = min(max(math.floor(mean(f, theta, x)) + 0.0, lo), hi)
    p = at_most = math.exp(loglik(f, theta, x, r))
    below = r - 1.0
    while below >= lo and p > NOTHING:
        p = math.exp(loglik(f, theta, x, below))
        at_most += p
        below -= 1.0
    p = 1.0
    while at_most < u and r < hi and p > NOTHING:
        r += 1.0
        p = math.exp(loglik(f, theta, x, r))
        at_most += p
    while r > lo:
        p = math.exp(loglik(f, theta, x, r))
        if at_most - p < u:
            break
        at_most -= p
        r -= 1.0
    return r
