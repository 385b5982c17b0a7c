"""Records that cannot be fitted are refused at the door, by person and arm."""

from __future__ import annotations

from collections.abc import Mapping

from rogue_bandits.estimate.given import agent
from rogue_bandits.estimate.record import Record
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.validation import checked_history

FEWEST = 3  # rewards, below which there is nothing to fit a trajectory to


def checked_records(records: Mapping[str, Mapping[str, Record]]) -> dict[str, dict[str, Record]]:
    """The records as arrays of numbers, or a ValueError that says what is wrong, and of whom.

    >>> checked_records({"ann": {"walk": Record([1, 1], [0.5, 2.0])}})
    Traceback (most recent call last):
    ValueError: person 'ann', arm 'walk', decision 1, reward 2 must be from 0 to 1 (LaplaceAgent)
    """
    if not records:
        raise ValueError("a cohort needs at least one person, and there is none")
    return {person: checked_person(person, arms) for person, arms in records.items()}


def checked_person(person: str, arms: Mapping[str, Record]) -> dict[str, Record]:
    """The records of one person: at least one, all over the same decisions."""
    if not arms:
        raise ValueError(f"person {person!r} needs at least one arm, and has none")
    checked = {arm: checked_record(f"person {person!r}, arm {arm!r}", record) for arm, record in arms.items()}
    first = next(iter(checked))
    for arm, record in checked.items():
        n, n_first = record.played.size, checked[first].played.size
        if n != n_first:
            raise ValueError(
                f"person {person!r}, arm {arm!r} has {n} decisions where arm {first!r} has {n_first}: "
                "a person's arms share their decisions"
            )
    return checked


def checked_record(where: str, record: Record) -> Record:
    """One record."""
    try:
        played, rewards = checked_history(agent(ClippedAffine(1.0, 0.0, 0.0)), *map(list, record))
    except (TypeError, ValueError) as error:
        raise type(error)(f"{where}, {error}") from None
    checked = Record(played, rewards)
    if (n := checked.seen().size) < FEWEST:
        raise ValueError(f"{where} has {n} rewards: a fit needs {FEWEST} or more")
    return checked
