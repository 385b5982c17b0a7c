"""Special functions that numba does not have."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from rogue_bandits.compile.laws import routine

TERMS = 12


def bernoulli_numbers(count: int) -> list[Fraction]:
    """Return the Bernoulli numbers B_0, B_1, …, by their recurrence.

    >>> bernoulli_numbers(5)
    [Fraction(1, 1), Fraction(-1, 2), Fraction(1, 6), Fraction(0, 1), Fraction(-1, 30)]
    """
    b: list[Fraction] = []
    for n in range(count):
        b.append(Fraction(n == 0) - sum(Fraction(math.comb(n, k), n - k + 1) * b[k] for k in range(n)))
    return b


EVEN = bernoulli_numbers(2 * TERMS + 1)[2::2]  # B_2, B_4, …
# log(sinh(h)/h) = Σ B_2n (2h)^2n / (2n (2n)!)
LOG_SINH = np.array([float(b / (2 * n * math.factorial(2 * n))) for n, b in enumerate(EVEN, 1)])
# digamma(a) ~ log a − 1/2a − Σ B_2n / (2n a^2n)
DIGAMMA = np.array([float(b / (2 * n)) for n, b in enumerate(EVEN[:8], 1)])
FAR_ENOUGH = 12.0  # from here on eight terms of the asymptotic series give 16 digits


@routine
def digamma(a: float) -> tuple[float, float]:
    """Return digamma and trigamma at a > 0: the recurrence up to `FAR_ENOUGH`, then the asymptotic series."""
    value = slope = 0.0
    while a < FAR_ENOUGH:
        value -= 1.0 / a
        slope += 1.0 / (a * a)
        a += 1.0
    q, power = 1.0 / (a * a), 1.0
    value += math.log(a) - 0.5 / a
    slope += 1.0 / a + 0.5 * q
    for n in range(DIGAMMA.size):
        power *= q
        value -= DIGAMMA[n] * power
        slope += 2.0 * (n + 1) * DIGAMMA[n] * power / a
    return float(value), float(slope)


@routine
def log_sinh_ratio(h: float) -> tuple[float, float, float]:
    """Return log(sinh(h)/h) with its two derivatives: by its series near 0, where the closed form cancels."""
    size = abs(h)
    if size > 0.75:
        away = math.exp(-2.0 * size)
        coth = (1.0 + away) / (1.0 - away)
        value = size + math.log1p(-away) - math.log(2.0 * size)
        return value, math.copysign(coth - 1.0 / size, h), 1.0 / (h * h) - 4.0 * away / ((1.0 - away) * (1.0 - away))
    q, value, slope, curvature = 4.0 * h * h, 0.0, 0.0, 0.0
    for n in range(LOG_SINH.size - 1, -1, -1):  # Horner's rule in (2h)²; the lowest power is factored out
        value = value * q + LOG_SINH[n]
        slope = slope * q + 2.0 * (n + 1) * LOG_SINH[n]
        curvature = curvature * q + 2.0 * (n + 1) * (2.0 * n + 1.0) * LOG_SINH[n]
    return float(value * q), float(4.0 * h * slope), float(4.0 * curvature)


@routine
def beta_distribution(a: float, b: float, r: float) -> float:
    """Return P(R ≤ r) for R ~ Beta(a, b): Lentz's method on the continued fraction [Abramowitz & Stegun 26.5.8]."""
    if r <= 0.0 or r >= 1.0:
        return 0.0 if r <= 0.0 else 1.0
    mirrored = r > (a + 1.0) / (a + b + 2.0)  # the fraction converges fast below the mean
    if mirrored:
        a, b, r = b, a, 1.0 - r
    front = math.exp(
        a * math.log(r) + b * math.log1p(-r) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) - math.log(a)
    )
    c, d = 1.0, 1.0 / (1.0 - (a + b) * r / (a + 1.0))
    fraction = d
    for m in range(1, 500):
        even = m * (b - m) * r / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        odd = -(a + m) * (a + b + m) * r / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        d, c = 1.0 / (1.0 + even * d), 1.0 + even / c
        fraction *= c * d
        d, c = 1.0 / (1.0 + odd * d), 1.0 + odd / c
        fraction *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return 1.0 - front * fraction if mirrored else front * fraction
