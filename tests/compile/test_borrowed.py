"""What a kernel borrows is the caller's own, at no count of references, and stays the caller's."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.compile.borrowed import borrowed
from rogue_bandits.compile.laws import kernel, routine
from rogue_bandits.types import Floats


class Inner(NamedTuple):
    rows: Floats
    scale: float


class Outer(NamedTuple):
    inner: Inner
    total: Floats
    pair: tuple[Floats, Floats]


def outer() -> Outer:
    return Outer(Inner(np.arange(12.0).reshape(3, 4), 2.0), np.zeros(3), (np.ones(2), np.full(2, 5.0)))


@routine
def longest(one: Floats, other: Floats) -> Floats:
    """A view that is handed back: numba counts references to such."""
    return one if one.sum() > other.sum() else other


@routine
def add_up(held: Outer) -> float:
    """Walk over views of rows, and write to what is held."""
    best = held.inner.rows[0]
    for i in range(3):
        best = longest(held.inner.rows[i], best)
        held.total[i] += held.inner.scale * best.sum()
    return best[0] + held.pair[1][1]


@kernel
def borrowing(held: Outer) -> float:
    return add_up(borrowed(held))


def test_a_borrowed_array_is_the_array_itself() -> None:
    plain, lent = outer(), outer()
    assert borrowing(lent) == add_up(plain) == 13.0
    np.testing.assert_array_equal(lent.total, plain.total)
    np.testing.assert_array_equal(lent.total, [12.0, 44.0, 76.0])


def test_what_was_lent_is_still_held_by_its_owner_alone() -> None:
    held = outer()
    borrowing(held)  # numba keeps what it needs of an array the first time it sees one
    arrays = [held.inner.rows, held.total, *held.pair]
    before = [sys.getrefcount(array) for array in arrays]
    for _ in range(100):
        borrowing(held)
    assert [sys.getrefcount(array) for array in arrays] == before


def test_what_is_copied_from_a_borrowed_array_has_an_owner_again() -> None:
    copied: Any = kernel(lambda x: borrowed(x)[1:].copy())
    lent = np.arange(1_000.0)
    kept = [copied(lent) for _ in range(50)]
    lent[:] = -1.0
    for copy in kept:
        np.testing.assert_array_equal(copy, np.arange(1.0, 1_000.0))


def test_nobody_owns_what_is_borrowed_so_that_there_is_nothing_to_count() -> None:
    owning: Any = kernel(lambda x: x[1:])
    lending: Any = kernel(lambda x: borrowed(x)[1:])
    x = np.arange(3.0)
    owned, lent = owning(x), lending(x)  # x lives on: both may be read
    np.testing.assert_array_equal(owned, lent)
    assert owned.base is not None
    assert lent.base is None
    assert not lent.flags.owndata
