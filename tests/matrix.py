"""Large matrices of cases: some in `make test`, all in `make verify`."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")
FULL = os.environ.get("ROGUE_TESTS") == "full"


def some_of(cases: Iterable[T], count: int, always: Iterable[T] = ()) -> list[T]:
    """Return `count` cases, spread evenly over all, and those that are always run; all of them in `make verify`.

    >>> some_of(range(100), 4, always=[99]) if not FULL else [0, 25, 50, 75, 99]
    [0, 25, 50, 75, 99]
    """
    everything, kept = list(cases), list(always)
    if FULL or count >= len(everything):
        return everything + [case for case in kept if case not in everything]
    spread = [everything[i * len(everything) // count] for i in range(count)]
    return spread + [case for case in kept if case not in spread]
