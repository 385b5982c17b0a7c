"""What is fitted is kept on disk person by person, so that a fit that was stopped can continue.

The file has a line for each person, with a checksum; a line that was cut short or changed is as if it had not been
written.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from rogue_bandits.checked_json import checksum
from rogue_bandits.compile.cache import sources_hash
from rogue_bandits.estimate.check import checked_records
from rogue_bandits.estimate.crossvalidation import better_pool
from rogue_bandits.estimate.fit import fit_cohort
from rogue_bandits.estimate.fitted import ArmFit, Fitted
from rogue_bandits.estimate.plain import fit_from_plain, fit_to_plain
from rogue_bandits.estimate.record import Record

FILE = "fitted.jsonl"
Records = dict[str, dict[str, Record]]
Progress = Callable[[int], None]


class Asked(NamedTuple):
    """What is asked of a fit; all of it but the workers decides the result."""

    pool: str | None = None
    certify_seconds: float | None = None
    intervals: bool = True
    workers: int = -1


class Kept(NamedTuple):
    """What an earlier run left: how people are pooled, if that was decided, and those who are fitted."""

    pool: str | None
    predicts: dict[str, float]
    people: dict[str, dict[str, ArmFit]]


def fit_and_keep(records: Records, asked: Asked, folder: Path, progress: Callable[[str, int], None]) -> Fitted:
    """`fit_cohort`, in two steps that can each be continued: which way of pooling, then person by person.

    `progress` is called with the name of the step and the number of fits just made, or found.
    """
    stamp = stamp_of(records, asked)
    kept = look_up(folder, stamp)
    if kept.pool is None:
        kept = begin(folder, stamp, decided(records, asked, lambda n: progress(CHOOSING, n)))
    pool = str(kept.pool)
    # Dynamics that people share are fitted to all of them at once: there is no rest to continue with.
    found = kept.people if pool == "person" or set(kept.people) == set(records) else {}
    progress(FITTING, sum(len(arms) for person, arms in records.items() if person in found))
    rest = {person: arms for person, arms in records.items() if person not in found}
    if rest:
        more = fit_cohort(
            rest, pool, asked.certify_seconds, asked.intervals, asked.workers, lambda n: progress(FITTING, n),
            lambda person, fits: append(folder, {"person": person, "arms": plain_fits(fits)}),
        )  # fmt: skip
        kept = kept._replace(people={**found, **more.people})
    return Fitted(pool, kept.predicts, {person: kept.people[person] for person in records})


CHOOSING, FITTING = "which way of pooling predicts better", "fitting"


def decided(records: Records, asked: Asked, progress: Progress) -> Kept:
    """The way of pooling that was asked for, or else the one that cross-validation supports."""
    if asked.pool is not None:
        return Kept(asked.pool, {}, {})
    pool, predicts = better_pool(checked_records(records), asked.workers, progress)
    return Kept(pool, predicts, {})


def stamp_of(records: Records, asked: Asked) -> str:
    """A hash of everything that decides the result."""
    decisive = hashlib.sha256(repr((version("rogue-bandits"), sources_hash(), asked._replace(workers=0))).encode())
    for person, arms in records.items():
        for arm, record in arms.items():
            decisive.update(repr((person, arm, record.played.size)).encode())
            decisive.update(record.played.tobytes() + record.rewards.tobytes())
    return decisive.hexdigest()[:16]


def begin(folder: Path, stamp: str, kept: Kept) -> Kept:
    """A new file, in place of one that answers another question."""
    (folder / FILE).unlink(missing_ok=True)
    append(folder, {"stamp": stamp, "pool": kept.pool, "predicts": kept.predicts})
    return kept


def append(folder: Path, line: dict[str, Any]) -> None:
    """Add a line of its own, even after one that was cut short."""
    with (folder / FILE).open("a+b") as file:
        if file.tell() > 0:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write(json.dumps({"checksum": checksum(line), **line}, allow_nan=False).encode() + b"\n")


def look_up(folder: Path, stamp: str) -> Kept:
    """What the folder has, if its stamp is this one; damaged lines are left out."""
    nothing = Kept(None, {}, {})
    try:
        lines = [undamaged(line) for line in (folder / FILE).read_bytes().splitlines()]
    except FileNotFoundError:
        return nothing
    if not lines or lines[0].get("stamp") != stamp:
        return nothing
    people = {line["person"]: fits_of(line["arms"]) for line in lines[1:] if line}
    return Kept(lines[0]["pool"], lines[0]["predicts"], people)


def undamaged(line: bytes) -> dict[str, Any]:
    """A line as `append` was given it; nothing where it is no longer that."""
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):  # the latter by endless brackets
        return {}
    is_whole = isinstance(content, dict) and content.pop("checksum", None) == checksum(content)
    return content if is_whole else {}


def plain_fits(fits: dict[str, ArmFit]) -> dict[str, Any]:
    """One person's fits as JSON has them."""
    return {arm: fit_to_plain(fit) for arm, fit in fits.items()}


def fits_of(plain: dict[str, Any]) -> dict[str, ArmFit]:
    """One person's fits of what `plain_fits` made."""
    return {arm: fit_from_plain(fit) for arm, fit in plain.items()}
