"""Numbers as people write them, without exponents."""

from __future__ import annotations

from decimal import Decimal


def plain(value: float, digits: int = 6) -> str:
    """Return a number in so many digits, as the format g has it, but all of a large number's and no exponent.

    It can be pasted into a command: nothing separates thousands.

    >>> plain(0.5), plain(1234567.0), plain(152.0, 2), plain(0.00001234, 2)
    ('0.5', '1234567', '152', '0.000012')
    """
    text = f"{value:.{digits}g}"
    if "e" not in text:
        return text
    return f"{value:.0f}" if abs(value) >= 1.0 else f"{Decimal(text):f}"
