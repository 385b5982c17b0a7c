"""Large matrices of cases: some in `make test`, all in `make verify`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")
S = TypeVar("S")
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


def pairs_of(ones: Sequence[T], others: Sequence[S], count: int) -> list[tuple[T, S]]:
    """Return `count` pairs for each of `ones`, in which all `others` take turns; all pairs in `make verify`.

    >>> pairs_of("ab", [1, 2, 3], 2) if not FULL else [("a", 1), ("a", 2), ("b", 3), ("b", 1)]
    [('a', 1), ('a', 2), ('b', 3), ('b', 1)]
    """
    if FULL or count >= len(others):
        return [(one, other) for one in ones for other in others]
    return [(one, others[(i * count + j) % len(others)]) for i, one in enumerate(ones) for j in range(count)]
