"""Words of messages: counts, lists, numbers without exponents, and the name that was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from decimal import Decimal

MOST_SHOWN = 20  # names of those that there are


def counted(n: int, one: str, many: str = "") -> str:
    """Return a number and what it counts.

    >>> counted(1, "decision"), counted(1200, "decision"), counted(2, "person", "people")
    ('1 decision', '1,200 decisions', '2 people')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def listed(words: Sequence[str]) -> str:
    """Return words as a list in a sentence.

    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


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


def unknown(what: str, name: str, there: Iterable[str], is_unknown: str = "is unknown") -> str:
    """Return what to say of a name that does not exist: the nearest one, and which there are.

    >>> unknown("policy", "randon", ["random", "exp3s"])
    "policy 'randon' is unknown, did you mean 'random'? There are: random, exp3s"
    """
    names = list(there)
    lower = {known.lower(): known for known in names}
    near = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.5)
    hint = f", did you mean '{lower[near[0]]}'?" if near else "."
    more = f" and {len(names) - MOST_SHOWN:,} more" if len(names) > MOST_SHOWN else ""
    return f"{what} '{name}' {is_unknown}{hint} There are: {', '.join(names[:MOST_SHOWN])}{more}"
