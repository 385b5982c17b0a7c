"""The quantile of the standard normal distribution, for kernels."""

from __future__ import annotations

import math

from rogue_bandits.compile.laws import inlined

SMALLEST = 1e-12  # probabilities nearer to 0 or 1 have the quantile of this one, ±7.03
STEPS = 3  # of Newton's method: the first value is within 4.5e-4, and the error is squared three times


@inlined
def normal_quantile(p: float) -> float:
    """Return the number that a standard normal variable is below with probability p.

    The first value is formula 26.2.23 of M. Abramowitz, I. Stegun, Handbook of Mathematical Functions (1964).

    >>> round(normal_quantile(0.975), 9), normal_quantile(0.5)
    (1.959963985, 0.0)
    """
    tail = max(min(p, 1.0 - p), SMALLEST)
    if tail == 0.5:
        return 0.0
    t = math.sqrt(-2.0 * math.log(tail))
    z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)))
    for _ in range(STEPS):
        excess = 0.5 * math.erfc(z / math.sqrt(2.0)) - tail
        z += excess * math.sqrt(2.0 * math.pi) * math.exp(0.5 * z * z)
    return z if p > 0.5 else -z
