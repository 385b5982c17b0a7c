"""A name that nobody knows, and the one that was probably meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

MOST_SHOWN = 20


def unknown(what: str, name: str, there: Iterable[str], is_unknown: str = "is unknown") -> str:
    """The words that refuse a name.

    >>> unknown("policy", "randon", ["random", "exp3s"])
    "policy 'randon' is unknown, did you mean 'random'? There are: random, exp3s"
    """
    names = list(there)
    lower = {known.lower(): known for known in names}
    near = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.5)
    hint = f", did you mean '{lower[near[0]]}'?" if near else "."
    more = f" and {len(names) - MOST_SHOWN:,} more" if len(names) > MOST_SHOWN else ""
    return f"{what} '{name}' {is_unknown}{hint} There are: {', '.join(names[:MOST_SHOWN])}{more}"
