"""The exponential of numbers that are not positive, in arithmetic alone: loops with it become vector instructions."""

from __future__ import annotations

import math

from rogue_bandits.compile.laws import inlined

LOWEST = -512.0  # the exponential of less, below 1e-222, is returned as 0
PARTS, SQUARINGS = 4096.0, 12  # exp(x) = exp(x/4096)^4096
MIDDLE = 0.5 * LOWEST / PARTS
# The Taylor series about the middle of the range of x/4096, of which the next term is below 1e-16.
SERIES = tuple(math.exp(MIDDLE) / math.factorial(n) for n in range(9))


@inlined
def exp_below(x: float) -> float:
    """Return exp(x) for x ≤ 0, to a relative error of 1e-12; 0 for x below −512.

    >>> abs(exp_below(-20.0) / math.exp(-20.0) - 1.0) < 1e-12, exp_below(0.0), exp_below(-math.inf)
    (True, 1.0, 0.0)
    """
    y = max(x, LOWEST) / PARTS - MIDDLE
    c = SERIES
    e = c[0] + y * (c[1] + y * (c[2] + y * (c[3] + y * (c[4] + y * (c[5] + y * (c[6] + y * (c[7] + y * c[8])))))))
    for _ in range(SQUARINGS):
        e *= e
    return 0.0 if x < LOWEST else e  # nan stays nan
