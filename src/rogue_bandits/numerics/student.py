"""Quantiles of Student's t distribution."""

from __future__ import annotations

from statistics import NormalDist


def student_quantile(p: float, degrees: float) -> float:
    """Return the quantile of Student's t.

    >>> round(student_quantile(0.975, 10), 2), round(student_quantile(0.975, 1e9), 2)
    (2.23, 1.96)
    """
    return student_from_normal(NormalDist().inv_cdf(p), degrees)


def student_from_normal(z: float, degrees: float) -> float:
    """Return the quantile of Student's t at the level of a normal quantile, by an expansion in 1 / degrees.

    Abramowitz and Stegun 26.7.5. The 97.5 % quantile is right to 0.1 % from 4 degrees of freedom on.
    """
    terms = (
        (z**3 + z) / 4.0,
        (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / 96.0,
        (3.0 * z**7 + 19.0 * z**5 + 17.0 * z**3 - 15.0 * z) / 384.0,
        (79.0 * z**9 + 776.0 * z**7 + 1482.0 * z**5 - 1920.0 * z**3 - 945.0 * z) / 92_160.0,
    )
    return z + sum(term / degrees ** (k + 1) for k, term in enumerate(terms))
