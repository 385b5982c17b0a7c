"""The room of one person's arrays in a snapshot: what the person needs alone, whoever else is in the population."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from rogue_bandits.online.kernels import Pending, Session
from rogue_bandits.online.personal import Array, fitted_into, leaves, mapped
from rogue_bandits.types import grown, has_room

T = TypeVar("T")


def with_least_room(fresh: tuple[Any, Session], one: tuple[Any, Session]) -> tuple[Any, Session]:
    """Return the arrays of one person with the room that this person would have alone.

    `fresh` has the state of the policy and the session of a person before the first decision.
    """
    state, session = fresh
    pending = _least_pending(session.pending, one[1].pending)
    return _least_personal(state, one[0]), one[1]._replace(pending=pending)


def _least_pending(fresh: Pending, pending: Pending) -> Pending:
    """Return the pending decisions in as few slots as doubling gives."""
    slots, used = fresh.number.shape[1], np.flatnonzero(pending.number[0])
    while used.size and slots <= used[-1]:
        slots *= 2
    return mapped(lambda array: _resized(array, (1, slots, *array.shape[2:])), pending)


def _least_personal(state: Any, personal: T) -> T:
    """Return what a policy has of a person in the least room that its law `grown` gives, with a place for one more."""
    most = 2 * _size(personal)  # twice: where a person has used up all
    while _size(state.personal) <= most:
        if all(map(_holds, leaves(state.personal), leaves(personal))):
            fitted: T = mapped(_with_axes_of, personal, state.personal)
            if has_room(state._replace(personal=fitted), 0):
                return fitted
        larger = grown(state)
        if _size(larger.personal) == _size(state.personal):
            break
        state = larger
    return personal


def _size(part: Any) -> int:
    """Return how many numbers there are."""
    return sum(array.size for array in leaves(part))


def _holds(room: Array, array: Array) -> bool:
    """Return whether all numbers of an array but zeros are within the axes of another."""
    if array.shape[1:] == room.shape[1:]:
        return True
    inside = np.zeros(array.shape, dtype=np.bool_)
    inside[:, *(slice(length) for length in room.shape[1:])] = True
    return not array[~inside].any()


def _with_axes_of(array: Array, like: Array) -> Array:
    """Return an array whose axes but the first are as long as those of another."""
    return _resized(array, array.shape[:1] + like.shape[1:])


def _resized(array: Array, shape: tuple[int, ...]) -> Array:
    """Return an array with the ends of its axes cut off, or zeros added."""
    return array if array.shape == shape else fitted_into(array[tuple(map(slice, shape))], shape)
