"""Counts and lists as parts of a sentence."""

from __future__ import annotations

from collections.abc import Sequence


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
