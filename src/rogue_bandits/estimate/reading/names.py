"""Names of arms and people: which words stand for a rest, and names that differ in their spelling only."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.reading.cells import NOT_OBSERVED
from rogue_bandits.estimate.reading.columns import Column, Sheet
from rogue_bandits.estimate.reading.faults import Gathered
from rogue_bandits.types import Bools, Ints

RESTS = ("none",)
NOTHING = {
    "0", "-", "no", "non", "not", "nothing", "nil", "rest", "control", "false", "off", "empty", "blank", "silence",
    "silent", "placebo", "nomessage", "nosuggestion", "nonotification", "noprompt", "nointervention", "notreatment",
    "noaction", "donothing", "nothingsent", "notsent", "notdelivered", "nosend", "aucun", "keine", "nichts", "nada",
    "n", "nein", "holdout", "withheld",
}  # without blanks, in lower case  # fmt: skip
MISSING_CODE = re.compile(r"-(7{1,6}|8{1,6}|9{1,6})(\.0+)?|(7{3,6}|8{3,6}|9{3,6})(\.0+)?")


class ArmOptions(NamedTuple):
    """Values that stand for a rest, values that are arms although they look like rests, and whether to merge names."""

    rests: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    merge_names: bool = False


class Arms(NamedTuple):
    """The names of the arms, the arm of each row (−1: a rest), whether its cell names one, notes for the reader."""

    names: list[str]
    arm: Ints
    named: Bools
    notes: list[str]


def arms_of(sheet: Sheet, column: Column, available: Bools, options: ArmOptions) -> Arms:
    """Return the arms of a column. Nothing could be sent where `available` is False: a rest, whatever the cell says."""
    kept = {word.strip().lower() for word in options.arms}
    rests = {*NOT_OBSERVED, *RESTS, *(_plain(word) for word in options.rests)} - kept
    used = np.bincount(column.code[available], minlength=len(column.cells)) > 0
    is_named = np.array([_plain(cell) not in rests for cell in column.cells], dtype=np.bool_)
    named = np.flatnonzero(used & is_named).tolist()
    notes = _checked_values(column, options)
    faults = Gathered(sheet.file)
    first = {_plain(column.cells[k]): k for k in reversed(named)}  # an option is for all spellings in upper case too
    for k in sorted(first.values()):
        faults.of(None, _raise_on_nothing, sheet, column, k, kept)
    number, names = np.full(len(column.cells), -1, dtype=np.int64), list[str]()
    for cells in _alike(column, named):
        if len(cells) > 1 and not options.merge_names:
            faults.add(_near_equal(sheet, column, cells))
        elif len(cells) > 1:
            notes.append(f"{_quoted(column, cells)} are one arm, '{column.cells[cells[0]]}' (--merge-names).")
        number[cells] = len(names)
        names.append(column.cells[cells[0]])
    faults.tell()
    notes += _note_on_empty(column, available, rests)
    return Arms(names, np.where(available, number[column.code], -1), is_named[column.code], notes)


def _note_on_empty(column: Column, available: Bools, rests: set[str]) -> list[str]:
    """Return a warning on rows without an arm, if the column has a word for a rest: what they got may be unknown."""
    plain = [_plain(cell) for cell in column.cells]
    rows = np.bincount(column.code[available], minlength=len(plain))
    empty = sum(n for word, n in zip(plain, rows.tolist(), strict=True) if word in NOT_OBSERVED)
    named = [k for k, word in enumerate(plain) if word in rests and word not in NOT_OBSERVED and rows[k]]
    if not empty or not named:
        return []
    return [
        f"Warning: {empty:,} {'row has' if empty == 1 else 'rows have'} no arm (empty or NA), beside those with "
        f"'{column.cells[named[0]]}': they count as rests too. If it is not known what was sent, leave these rows out."
    ]


def _plain(cell: str) -> str:
    """Return a cell in lower case; a whole number without its point, as 0.0 and 0 are the same."""
    cell = cell.strip().lower()
    return re.sub(r"\.0+$", "", cell) if re.fullmatch(r"[-+]?\d+\.0+", cell) else cell


def _checked_values(column: Column, options: ArmOptions) -> list[str]:
    """Return warnings on values that were named and are in no row; one that is named twice raises a ValueError."""
    rests, arms = ({_plain(word) for word in words} for words in (options.rests, options.arms))
    if both := rests & arms:
        raise ValueError(f"'{both.pop()}' cannot be both --rest-value and --arm-value")
    cells = {_plain(cell) for cell in column.cells}
    return [
        f"Warning: --{option}-value '{word}' is in no row of column '{column.name}'."
        for option, words in {"rest": options.rests, "arm": options.arms}.items()
        for word in words
        if _plain(word) not in cells and _plain(word) not in RESTS
    ]


def _raise_on_nothing(sheet: Sheet, column: Column, k: int, kept: set[str]) -> None:
    """Raise a ValueError on an arm whose name says that nothing was sent, unless it was said to be an arm."""
    cell, rows = column.cells[k], column.rows_of(k)
    plain = _plain(cell)
    if plain in kept or cell.lower() in kept:
        return
    how_often = f"{rows:,} {'row' if rows == 1 else 'rows'}"
    word = cell if cell.replace("-", "").replace(".", "").isalnum() else f'"{cell}"'
    either = f"If nothing was sent, it is a rest: add --rest-value {word}. If it is an arm, add --arm-value {word}"
    if MISSING_CODE.fullmatch(cell):
        raise sheet.error(column, k, f"arm '{cell}' ({how_often}) looks like a code for a missing value. {either}")
    if re.sub(r"[\s_-]", "", plain) in NOTHING or plain in NOTHING:
        raise sheet.error(column, k, f"arm '{cell}' ({how_often}) reads as if nothing was sent. {either}")


def spelling(name: str) -> str:
    """Return what names that differ in case, blanks or accents' encoding have in common.

    >>> spelling("Walk  outdoor") == spelling("walk_Outdoor")
    True
    """
    return re.sub(r"[\s_-]+", " ", unicodedata.normalize("NFKC", name)).strip().casefold()


def _alike(column: Column, cells: list[int]) -> list[list[int]]:
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for k in cells:
        groups[spelling(column.cells[k])].append(k)
    return list(groups.values())


def _quoted(column: Column, cells: list[int]) -> str:
    counts = [f"'{column.cells[k]}' ({column.rows_of(k):,})" for k in cells]
    return ", ".join(counts[:-1]) + f" and {counts[-1]}"


def _near_equal(sheet: Sheet, column: Column, cells: list[int]) -> ValueError:
    return sheet.error(
        column,
        cells[1],
        f"arms {_quoted(column, cells)} differ in their spelling only. --merge-names counts them as one arm; "
        "if they are several, give them names that differ",
    )


def people_of(sheet: Sheet, column: Column) -> tuple[list[str], list[str]]:
    """Return the names of the people, and a warning on names that differ in their spelling only."""
    if "" in column.cells:
        merged = " (of merged cells only the first has it)" if sheet.file.lower().endswith((".xlsx", ".xlsm")) else ""
        raise sheet.error(column, column.cells.index(""), f"the name of the person is missing{merged}")
    alike = [cells for cells in _alike(column, list(range(len(column.cells)))) if len(cells) > 1]
    warning = (
        f"Warning: people {_quoted(column, alike[0])} differ in the spelling of their names only and count as "
        f"{len(alike[0])} people{f' ({len(alike) - 1:,} more like this)' if len(alike) > 1 else ''}. "
        "If they are one, rename them in the file."
    ) if alike else ""  # fmt: skip
    return column.cells, [warning] if alike else []
