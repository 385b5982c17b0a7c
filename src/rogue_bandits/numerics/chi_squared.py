"""Chi-squared distributions, central and noncentral: their distribution functions, and a quantile."""

from __future__ import annotations

import math

PRECISE = 1e-15
MOST_TERMS = 10_000
WIDE = 14.0  # standard deviations of a Poisson distribution, beyond which nothing is left


def lower_gamma(a: float, x: float) -> float:
    """Return the regularised lower incomplete gamma function P(a, x), a > 0 and x ≥ 0.

    By its series below a + 1 and by a continued fraction above, as in Numerical Recipes, 6.2.

    >>> round(lower_gamma(1.0, 2.0), 12) == round(1.0 - math.exp(-2.0), 12)
    True
    """
    if x <= 0.0:
        return 0.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    return scale * _series(a, x) if x < a + 1.0 else 1.0 - scale * _fraction(a, x)


def _series(a: float, x: float) -> float:
    """Return Σ x^n / (a (a + 1) … (a + n))."""
    term = total = 1.0 / a
    for n in range(1, MOST_TERMS):
        term *= x / (a + n)
        total += term
        if term < PRECISE * total:
            break
    return total


def _fraction(a: float, x: float) -> float:
    """Return 1/(x + 1 − a − 1·(1 − a)/(x + 3 − a − …)), by Lentz's method."""
    tiny = 1e-300
    b, c = x + 1.0 - a, 1.0 / tiny
    d = 1.0 / b
    total = d
    for n in range(1, MOST_TERMS):
        by = -n * (n - a)
        b += 2.0
        d = 1.0 / (by * d + b or tiny)
        c = b + by / c or tiny
        total *= d * c
        if abs(d * c - 1.0) < PRECISE:
            break
    return total


def chi_squared_cdf(x: float, degrees: float, noncentrality: float = 0.0) -> float:
    """Return P(X ≤ x) of a chi-squared distribution with these degrees of freedom.

    A noncentral one is a Poisson mixture of central ones with degrees + 2j degrees of freedom, summed where the weights
    are not negligible.

    >>> round(chi_squared_cdf(3.841458820694124, 1.0), 12)
    0.95
    >>> round(chi_squared_cdf(4.0, 1.0, noncentrality=9.0), 6)  # P(|Z + 3| ≤ 2)
    0.158655
    """
    if noncentrality == 0.0:
        return lower_gamma(0.5 * degrees, 0.5 * x)
    mean = 0.5 * noncentrality
    spread = WIDE * (math.sqrt(mean) + 1.0)
    total = 0.0
    for j in range(max(0, int(mean - spread)), int(mean + spread) + 1):
        weight = math.exp(j * math.log(mean) - mean - math.lgamma(j + 1.0))
        total += weight * lower_gamma(0.5 * degrees + j, 0.5 * x)
    return min(total, 1.0)


def chi_squared_quantile(p: float, degrees: float) -> float:
    """Return the x at which a central chi-squared distribution function is p, by bisection.

    >>> round(chi_squared_quantile(0.95, 1.0), 9)
    3.841458821
    """
    low, high = 0.0, degrees + 1.0
    while chi_squared_cdf(high, degrees) < p:
        high *= 2.0
    while high - low > 4.0 * math.ulp(high):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if chi_squared_cdf(middle, degrees) < p else (low, middle)
    return high
