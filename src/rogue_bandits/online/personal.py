"""Personal arrays of any policy: NamedTuples whose leaves lead with a people axis; unused room is zero."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
Array = NDArray[Any]


def leaves(part: Any) -> Iterator[Array]:
    """Yield all arrays, however deep."""
    if isinstance(part, tuple):
        for field in part:
            yield from leaves(field)
    else:
        yield part


def rebuilt(part: T, arrays: Iterator[Array]) -> T:
    """Return the same structure with other arrays."""
    if isinstance(part, tuple):
        fields = [rebuilt(field, arrays) for field in part]
        return type(part)(*fields) if hasattr(part, "_fields") else type(part)(fields)
    return next(arrays)  # type: ignore[return-value]  # a leaf is an array


def mapped(function: Callable[..., Array], *parts: T) -> T:
    """Apply a function to the arrays of structures that are alike, leaf by leaf."""
    return rebuilt(parts[0], iter([function(*same) for same in zip(*map(leaves, parts), strict=True)]))


def with_own_arrays(part: T, template: T) -> T:
    """Return the same structure with arrays that nothing else refers to; copies only those that may be shared.

    Of a million people a copy would be gigabytes. `template` is kept for others, and may be `part` itself.
    """
    held = {id(array) for array in leaves(template)}

    def own(array: Array) -> Array:
        alone = id(array) not in held and array.base is None and array.flags.writeable and array.flags.c_contiguous
        held.add(id(array))
        return array if alone else array.copy()

    return mapped(own, part)


def fitted_into(array: Array, shape: Sequence[int]) -> Array:
    """Return a copy with zeros added at the ends of axes that are to be longer."""
    if array.shape == tuple(shape):
        return array
    return np.pad(array, [(0, want - have) for have, want in zip(array.shape, shape, strict=True)])


def with_room_of(array: Array, like: Array) -> Array:
    """Return an array with at least the room of `like`: this release may keep more numbers than the one that wrote it.

    >>> with_room_of(np.ones((1, 2)), np.zeros((1, 3)))
    array([[1., 1., 0.]])
    """
    if array.shape[1:] == like.shape[1:]:
        return array
    return fitted_into(array, (len(array), *map(max, array.shape[1:], like.shape[1:])))


def joined(one: T, other: T) -> T:
    """Return the people of both, one after the other, with room for what either needs."""

    def both(a: Array, b: Array) -> Array:
        room = np.maximum(a.shape[1:], b.shape[1:]).tolist()
        return np.concatenate([fitted_into(a, (len(a), *room)), fitted_into(b, (len(b), *room))])

    return mapped(both, one, other)


def person_of(part: T, person: int) -> T:
    """Return one person's arrays, copied, as a population of one."""
    return mapped(lambda array: array[person : person + 1].copy(), part)


def replaced(part: T, person: int, one: T) -> T:
    """Return the same people with `person` replaced by the population of one; in place where there is room.

    Room of a population of one becomes that of the other.
    """
    if len(next(leaves(part))) == 1:
        return mapped(np.copy, one)

    def written(array: Array, row: Array) -> Array:
        room = np.maximum(array.shape[1:], row.shape[1:]).tolist()
        array = fitted_into(array, (len(array), *room))
        array[person] = fitted_into(row, (1, *room))[0]
        return array

    return mapped(written, part, one)
