"""Which column of a table means what."""

from __future__ import annotations

import difflib
from typing import NamedTuple


class Columns(NamedTuple):
    """The names of the columns; `available` is used where there is one, unless it is asked for by name.

    >>> Columns(arm="action").arm
    'action'
    """

    person: str = "person"
    decision: str = "decision"
    arm: str = "arm"
    reward: str = "reward"
    available: str | None = None


def places(columns: Columns, header: list[str], file: str) -> dict[str, int]:
    """Where each column is in the header, by its meaning; a ValueError names what is missing and what is nearest.

    >>> places(Columns(), ["person", "decision", "arm", "reward"], "data.csv")
    {'person': 0, 'decision': 1, 'arm': 2, 'reward': 3}
    >>> places(Columns(), ["person", "decision", "arm", "rewards"], "data.csv")
    Traceback (most recent call last):
    ValueError: data.csv has no column 'reward'. Did you mean 'rewards'? Then add --reward rewards. It has: person, ...
    """
    wanted = {meaning: name for meaning, name in columns._asdict().items() if name is not None}
    if columns.available is None and "available" in header:
        wanted["available"] = "available"
    found: dict[str, int] = {}
    for meaning, name in wanted.items():
        if name not in header:
            raise ValueError(missing(meaning, name, header, file))
        if header.count(name) > 1:
            raise ValueError(f"{file} has {header.count(name)} columns '{name}': rename all but one")
        twin = next((other for other, place in found.items() if header[place] == name), None)
        if twin is not None:
            raise ValueError(f"column '{name}' cannot be both --{twin} and --{meaning}: each is a column of its own")
        found[meaning] = header.index(name)
    return found


def missing(meaning: str, name: str, header: list[str], file: str) -> str:
    """The words for a column that is not there."""
    lower = {other.lower(): other for other in header}
    near = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=0.6)
    option = f"--{meaning} {shell(lower[near[0]])}" if near else f"--{meaning} NAME"
    hint = f"Did you mean '{lower[near[0]]}'? Then add {option}" if near else f"Name the right one with {option}"
    return f"{file} has no column '{name}'. {hint}. It has: {', '.join(header)}"


def shell(name: str) -> str:
    """A name as one word of a command."""
    return name if name.isidentifier() else f'"{name}"'
