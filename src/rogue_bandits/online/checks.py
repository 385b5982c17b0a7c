"""Checks of the arguments of a population: people, arms, decisions and rewards, as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rogue_bandits.model.probe import first_no_reward
from rogue_bandits.model.validation import checked_reward
from rogue_bandits.online.kernels import Session, raise_not_pending
from rogue_bandits.types import Arm, Floats, Ints

NUMBERS = "biufO"  # kinds of arrays that may hold rewards
TEXT = str, bytes  # numpy would read numbers in them


def checked_people(people: Any, count: int) -> Ints:
    """Return the numbers of some of `count` people, or of all; nobody is listed twice."""
    if people is None:
        return np.arange(count)
    if not isinstance(people, Iterable):
        raise TypeError(f"people {people!r} must be a list of numbers from 0 to {count - 1}")
    who = np.asarray(list(people) if not isinstance(people, np.ndarray) else people)
    if who.ndim != 1 or (who.size and not np.issubdtype(who.dtype, np.integer)):
        raise TypeError(f"people {people!r} must be a list of numbers from 0 to {count - 1}")
    if who.size and not (who.min() >= 0 and who.max() < count):
        wrong = who[(who < 0) | (who >= count)][0]
        raise ValueError(f"person {wrong} must be a number from 0 to {count - 1}")
    who = who.astype(np.int64)
    if not is_rising(who) and np.unique(who).size != who.size:
        values, counts = np.unique(who, return_counts=True)
        raise ValueError(f"person {values[counts > 1][0]} is listed twice: list each person once")
    return who


def checked_person(person: Any, count: int) -> int:
    """Return the number of one of `count` people."""
    try:
        number = index(person)
    except TypeError:
        raise TypeError(f"person {person!r} must be a number from 0 to {count - 1}") from None
    if isinstance(person, bool) or not 0 <= number < count:
        raise ValueError(f"person {person} must be a number from 0 to {count - 1}")
    return number


def is_rising(numbers: Ints) -> bool:
    """Return whether each number is larger than the one before, as most lists of people are: it saves a sort."""
    return bool((numbers[1:] > numbers[:-1]).all())


def checked_arm_numbers(arms: ArrayLike, who: Ints, count: int) -> Ints:
    """Return an arm number for each person; one number is that of all."""
    given = np.asarray(arms)
    if given.ndim and given.shape != who.shape:
        raise ValueError(f"arms has shape {given.shape}, and must have one arm for each of {who.size} people")
    given = np.broadcast_to(given, who.shape)
    if given.size and not np.issubdtype(given.dtype, np.integer):
        raise TypeError(f"arms {arms!r} must be arm numbers")
    if given.size and not (given.min() >= 0 and given.max() < count):
        bad = np.flatnonzero((given < 0) | (given >= count))[0]
        raise ValueError(f"arm {given[bad]} of person {who[bad]} must be a number from 0 to {count - 1}")
    return given


def checked_rewards(arms: Sequence[Arm], who: Ints, arm: Ints, rewards: ArrayLike) -> Floats:
    """Return a reward for each person, nan where none will be observed."""
    values = _numbers(rewards).reshape((1,) if who.size == 1 and np.ndim(rewards) == 0 else np.shape(rewards))
    if values.shape != who.shape:  # one for all would be a mistake
        raise ValueError(
            f"rewards has shape {values.shape}, and must have one reward for each of {who.size} people, nan where none "
            "was seen"
        )
    seen = np.flatnonzero(~np.isnan(values))
    wrong = first_no_reward(arms, arm[seen], values[seen])
    if wrong is not None:
        i = seen[wrong]
        checked_reward(arms[arm[i]], float(values[i]), f"person {who[i]}, arm {arm[i]}")
    return values


def _numbers(rewards: ArrayLike) -> Floats:
    """Return a copy of rewards as numbers; masked ones are nan, as they were not observed."""
    values = _floats(rewards)
    if values is None:
        wrong = (r for r in np.ravel(np.asarray(rewards, dtype=object)) if not isinstance(r, float | int))
        raise TypeError(f"rewards, {next(wrong, rewards)!r} must be a number, or nan where none was seen")
    return values


def _floats(given: Any) -> Floats | None:
    """Return a copy as floats, masked ones as nan; None if there is something else than numbers, such as text."""
    try:
        array = given if isinstance(given, np.ma.MaskedArray) else np.asarray(given)
        is_text = array.dtype == object and any(isinstance(one, TEXT) for one in array.flat)
        if is_text or array.dtype.kind not in NUMBERS:
            return None
        values = array.astype(np.float64)
    except (TypeError, ValueError):
        return None
    return np.ma.filled(values, np.nan)


def checked_probabilities(probability: ArrayLike, who: Ints) -> Floats:
    """Return for each person the probability with which an arm was chosen; one number is that of all."""
    values = _floats(probability)
    if values is None:
        raise TypeError(f"record, probability {probability!r} must be a number above 0 and at most 1")
    if values.ndim and values.shape != who.shape:
        raise ValueError(
            f"record, probability has shape {values.shape}, and must have one for each of {who.size} people, or be one "
            "number for all"
        )
    if not ((values > 0.0) & (values <= 1.0)).all():
        raise ValueError(f"record, probability {probability!r} must be above 0 and at most 1")
    return values


def raise_on_other_tokens(session: Session, who: Ints, number: Ints, token: ArrayLike) -> None:
    """Raise ValueError for the first decision that was made by another population."""
    tokens = np.asarray(token)
    if not tokens.size:  # decisions that were written by hand
        return
    if tokens.shape != who.shape:
        raise ValueError(f"update, decisions has {tokens.size} tokens for {who.size} people")
    for i in np.flatnonzero((tokens != 0) & (tokens != session.token[who]))[:1]:
        raise ValueError(f"decision {number[i]} of person {who[i]} was made by another population: update that one")


def raise_on_not_pending(session: Session, who: Ints, number: Ints, arm: Ints) -> None:
    """Raise ValueError for the first decision that awaits no reward."""
    pending = session.pending
    awaited = (pending.number[who] == number[:, None] + 1) & (pending.arm[who] == arm[:, None])
    for i in np.flatnonzero((number < 0) | ~awaited.any(axis=1))[:1]:
        raise_not_pending(session, int(who[i]), int(number[i]), int(arm[i]))
