"""Quantiles of the standard normal distribution, for kernels."""

from __future__ import annotations

import math

from rogue_bandits.compile.laws import inlined

SMALLEST = 1e-12  # probabilities nearer to 0 or 1 have the quantile of this one, ±7.03
STEPS = 3  # of Newton's method: the error is squared three times


@inlined
def first_quantile(tail: float) -> float:
    """Return the z with P(Z > z) = tail within 4.5e-4, for tails of at most ½.

    Formula 26.2.23 of M. Abramowitz, I. Stegun, Handbook of Mathematical Functions (1964).
    """
    t = math.sqrt(-2.0 * math.log(tail))
    return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)))


@inlined
def normal_quantile(u: float) -> float:
    """Return the z with P(Z ≤ z) = u, by Halley steps on erfc.

    >>> round(normal_quantile(0.975), 9)
    1.959963985
    """
    tail = max(min(u, 1.0 - u), 1e-300)
    z = first_quantile(tail)
    for _ in range(2):  # the start is good to 4.5e-4, and each step triples the digits
        error = tail - 0.5 * math.erfc(z / math.sqrt(2.0))
        step = -error * math.sqrt(2.0 * math.pi) * math.exp(0.5 * z * z)
        z += step / (1.0 - 0.5 * z * step)
    return z if u > 0.5 else -z


@inlined
def bounded_normal_quantile(p: float) -> float:
    """Return the normal quantile of a probability, at most 7.03 in size.

    It agrees with `normal_quantile` up to rounding, and is not replaced by it: hypotheses about unknown dynamics are
    made with it, and studies that are replayed must be equal bit for bit.

    >>> round(bounded_normal_quantile(0.975), 9), bounded_normal_quantile(0.5)
    (1.959963985, 0.0)
    """
    tail = max(min(p, 1.0 - p), SMALLEST)
    if tail == 0.5:
        return 0.0
    z = first_quantile(tail)
    for _ in range(STEPS):
        excess = 0.5 * math.erfc(z / math.sqrt(2.0)) - tail
        z += excess * math.sqrt(2.0 * math.pi) * math.exp(0.5 * z * z)
    return z if p > 0.5 else -z
