"""What a kernel borrows is the caller's own, at no count of references, and stays the caller's."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple, cast

import numpy as np
import pytest
from numba.core.runtime import nrt

from rogue_bandits.compile.borrowed import BorrowedArray, borrowed, hold
from rogue_bandits.compile.laws import INLINED, kernel, routine
from rogue_bandits.compile.overloads import overload
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


@routine
def described(array: Any) -> Any:
    """What an array consists of, and a copy."""
    return array.shape, array.strides, array.size, array.itemsize, array.copy()


ARRAYS: dict[str, Any] = {
    "a row": np.arange(5.0),
    "nothing": np.zeros((0, 3)),
    "a table": np.arange(12).reshape(3, 4),
    "a block": np.arange(24.0).reshape(2, 3, 4),
    "by columns": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    "every other": np.arange(24.0).reshape(4, 6)[::2, ::3],
    "backwards": np.arange(6, dtype=np.int16)[::-1],
    "flags": np.array([True, False, True]),
}


@pytest.mark.parametrize("name", ARRAYS)
def test_an_array_is_the_same_after_it_was_passed_on(name: str) -> None:
    """Only its data, its shape and, where it is not contiguous, its strides are passed on."""
    array, passed_on = ARRAYS[name], cast("Any", kernel(lambda held: described(borrowed(held))))
    shape, strides, size, itemsize, copied = passed_on(array)
    assert (shape, size, itemsize) == (array.shape, array.size, array.itemsize)
    np.testing.assert_array_equal(copied, array)
    assert strides == array.strides or array.size == 0  # of no elements there is none to step to


def is_borrowed(array: Any) -> bool:
    raise NotImplementedError


@overload(is_borrowed, INLINED)
def _is_borrowed(array: Any) -> Any:
    found = isinstance(array, BorrowedArray)
    return lambda array: found


def test_a_view_of_a_borrowed_array_is_borrowed_and_what_is_computed_from_it_is_not() -> None:
    def views(held: Outer) -> tuple[bool, ...]:
        a = borrowed(held).inner.rows
        return is_borrowed(a), is_borrowed(a[1]), is_borrowed(a[1:, 2]), is_borrowed(a[0, 1:])

    def others(held: Outer) -> tuple[bool, ...]:
        a, few = borrowed(held).inner.rows[0], np.array([0, 2])
        return is_borrowed(held.inner.rows), is_borrowed(a.copy()), is_borrowed(a * 2.0), is_borrowed(a[few])

    compiled: Any = kernel(views)
    assert compiled(outer()) == (True, True, True, True)
    compiled = kernel(others)
    assert compiled(outer()) == (False, False, False, False)


def unfreed(call: Any) -> int:
    """How many arrays numba allocates in a call and does not free."""
    memory: Any = nrt
    memory._nrt.memsys_enable_stats()
    try:
        before = memory.rtsys.get_allocation_stats()
        call()
        after = memory.rtsys.get_allocation_stats()
    finally:
        memory._nrt.memsys_disable_stats()
    assert after.mi_alloc - before.mi_alloc > 100
    return int(after.mi_alloc - before.mi_alloc - (after.mi_free - before.mi_free))


def test_arrays_made_from_borrowed_ones_are_freed() -> None:
    """Also in a tuple beside borrowed ones, and where a variable is either."""

    def mixed(held: Outer, n: int) -> float:
        lent, total = borrowed(held), 0.0
        for i in range(n):
            row = lent.inner.rows[i % 3] if i % 2 == 0 else lent.inner.rows[i % 3].copy()
            made = Outer(Inner(lent.inner.rows * 2.0, 1.0), lent.total.copy(), (row, row.copy()))
            total += made.inner.rows[0, 1] + made.pair[0][1] + made.pair[1][2]
        return total

    compiled: Any = kernel(mixed)
    held = outer()
    assert compiled(held, 60) == mixed(held, 60)
    assert unfreed(lambda: compiled(held, 60)) == 0


@routine
def sums_beside(lent: Floats, size: int) -> float:
    """Sum over what is lent; other arrays are made and freed meanwhile, and would take its memory if it were free."""
    total = 0.0
    for i in range(100):
        other = np.full(size, -1.0)
        total += lent[i % size] + 0.0 * other[0]
    return total


@kernel
def lending(size: int) -> float:
    own: Floats = np.arange(size, dtype=np.float64)
    total = sums_beside(borrowed(own), size)
    hold(own)
    return total


def test_what_a_kernel_made_lives_until_it_is_held_no_more() -> None:
    assert [lending(size) for size in (4, 100, 10_000)] == [150.0, 4950.0, 4950.0]
    assert unfreed(lambda: lending(1_000)) == 0
