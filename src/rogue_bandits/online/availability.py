"""Which arms are available, as a mask: from lists of arm numbers or booleans. Flags of 1 and 0 may be either."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any

import numpy as np

from rogue_bandits.types import Bools, Ints

FLAGS = "for flags of 1 and 0 use booleans"


def mask_of(available: Any, who: Ints, arms: int) -> Bools:
    """Return which arms are available to each person, [people, arms]."""
    shape = (who.size, arms)
    if available is None:
        return np.ones(shape, dtype=np.bool_)
    if hasattr(available, "__array__"):  # also a DataFrame, whose rows are not what iterating over it yields
        available = _as_array(available)
        if available.dtype == np.bool_:
            return _without_empty_rows(_broadcast(available, shape), who)
        _raise_on_flags(available, shape)
    if not isinstance(available, Iterable) or isinstance(available, str | Mapping):
        raise TypeError(f"available {available!r} must have a list of arm numbers, or booleans, for each person")
    rows = list(available)
    if len(rows) != who.size:
        raise ValueError(f"available has {len(rows)} lists where {who.size} people are asked for")
    masks = [arm_mask(row, arms, f"available to person {person}") for person, row in zip(who, rows, strict=True)]
    return _without_empty_rows(np.array(masks, dtype=np.bool_).reshape(shape), who)


def arm_mask(available: Any, arms: int, where: str = "available") -> Bools:
    """Return which of so many arms are in a list of arm numbers, or of one boolean for each arm.

    >>> arm_mask([2, 0], 3).tolist(), arm_mask([True, False, True], 3).tolist()
    ([True, False, True], [True, False, True])
    """
    if not isinstance(available, Iterable) or isinstance(available, str | Mapping):
        raise TypeError(f"{where}, {available!r} must be a list of arm numbers, or of {arms} booleans")
    listed = list(_as_array(available) if hasattr(available, "__array__") else available)
    if listed and all(isinstance(arm, bool | np.bool_) for arm in listed):
        if len(listed) != arms:
            raise ValueError(
                f"{where}, {listed!r} has {len(listed)} booleans, and must have one for each of {arms} arms"
            )
        return np.array(listed, dtype=np.bool_)
    mask = np.zeros(arms, dtype=np.bool_)
    for arm in listed:
        if isinstance(arm, bool | np.bool_) or not isinstance(arm, Real) or arm not in range(arms):
            raise ValueError(f"{where}, arm {arm!r} must be a number from 0 to {arms - 1}")
        k = int(float(arm))
        if mask[k]:
            raise ValueError(f"{where}, arm {k} is listed twice: list each arm once; {FLAGS}")
        mask[k] = True
    return mask


def _broadcast(available: Bools, shape: tuple[int, int]) -> Bools:
    """Return booleans for all people, of which one row is that of everybody."""
    if available.shape not in (shape, shape[1:]):
        raise ValueError(
            f"available has shape {available.shape}, and must have a row for each of the {shape[0]} people who "
            f"decide, or one for all, and a column for each of {shape[1]} arms"
        )
    return np.array(np.broadcast_to(available, shape), order="C")  # kernels are compiled for this order


def _without_empty_rows(mask: Bools, who: Ints) -> Bools:
    """Return a mask in which everybody has an arm."""
    empty = np.flatnonzero(~mask.any(axis=1))
    if empty.size:
        raise ValueError(f"available, person {who[empty[0]]} has no arm: leave them out, or call rest()")
    return mask


def _as_array(available: Any) -> Any:
    """Return an array of what can be one, such as a DataFrame; masked entries would be read through their mask."""
    if isinstance(available, np.ma.MaskedArray) and available.mask.any():
        raise ValueError("available has masked entries: fill them first, such as with .filled(False)")
    array = np.asarray(available)
    return np.array(array.tolist()) if array.dtype == object and array.ndim == 2 else array  # of a DataFrame's objects


def _raise_on_flags(available: Any, shape: tuple[int, int]) -> None:
    """Raise a ValueError for numbers of 0 and 1 in the shape of a mask: as arm numbers they mean other arms."""
    numbers = available.dtype.kind in "iuf"
    if numbers and available.shape == shape and available.size and ((available == 0) | (available == 1)).all():
        raise ValueError(
            f"available has shape {shape}, people by arms, and only numbers 0 and 1, which may be arms or flags: pass "
            f"arm numbers as lists, and {FLAGS}, such as available.astype(bool)"
        )
