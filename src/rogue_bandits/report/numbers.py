"""Numbers of any size, for people."""

from __future__ import annotations

import math

POWERS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def shown(value: float) -> str:
    """A number of any size, short.

    >>> shown(4621.2), shown(2.23e15), shown(float("inf")), shown(3.2e-6)
    ('4,621', '2.2·10¹⁵', 'infinite', '3.2·10⁻⁶')
    """
    if math.isinf(value):
        return "infinite"
    if value == 0.0 or 1e-3 <= abs(value) < 1e6:
        return f"{value:,.0f}" if abs(value) >= 100.0 else f"{value:.4g}"
    digits, power = f"{value:.1e}".split("e")
    return f"{digits}·10{str(int(power)).translate(POWERS)}"
