"""Columns of text: the distinct cells, which of them each row has, and errors that name the row and the column."""

from __future__ import annotations

import difflib
import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple, Protocol

import numpy as np

from rogue_bandits.estimate.reading.cells import CLOCKS, kind_of
from rogue_bandits.estimate.reading.faults import Gathered
from rogue_bandits.estimate.reading.guesses import Cells, decisions_in, like, proposal, wide_columns
from rogue_bandits.types import Bools, Ints

ROWS_AT_ONCE = 500  # fewer lists than set off a garbage collection, which takes longer than the reading
NEAR, NEARLY_EQUAL = 0.6, 0.9  # similarity of names, from 0 to 1
LONGEST = 900  # characters of a message
ROWS_OF_TITLES = 20  # above the header, at most
FEWEST_COLUMNS = 4  # a person, a time, an arm and a reward
ALONE = "If all rows are of one person, add a column 'person' with the same name in every row."
HALF = re.compile(r"(?i)am\W*_?pm|meridiem")  # a column with AM and PM beside one with times
SEVERAL = 2  # columns that are absent, from which a whole command is proposed
TIME_LIKE = "time", "date", "timestamp", "datetime", "day", "when"


class Columns(NamedTuple):
    """The names of the columns; a column `available` is used where there is one, unless another is named.

    Decisions come from the column `decision`, or from `time` if that is named and `decision` is not.

    >>> Columns(arm="action").arm
    'action'
    """

    person: str = "person"
    decision: str | None = None
    arm: str = "arm"
    reward: str = "reward"
    available: str | None = None
    time: str | None = None
    clock: str | None = None
    probability: str | None = None
    send_probability: str | None = None

    def wanted(self) -> dict[str, str]:
        """Return the names that were asked for or are needed, by their meaning."""
        names = self._asdict()
        if self.decision is None and self.time is None:
            names["decision"] = "decision"
        return {meaning: name for meaning, name in names.items() if name is not None}


class Column(NamedTuple):
    """A column: its name, its distinct cells in the order of appearance, and which of them each row has."""

    name: str
    cells: list[str]
    code: Ints

    def word(self) -> str:
        """Return the name as one word of a command."""
        return as_word(self.name)

    def rows_of(self, cell: int) -> int:
        """Return the number of rows with a cell."""
        return int(np.count_nonzero(self.code == cell))


class Sheet(NamedTuple):
    """The columns of a file that are wanted, by their meaning, as text; notes for the reader."""

    file: str
    row: Ints  # in the file; the header is row 1
    columns: dict[str, Column]
    notes: list[str]

    def error(self, column: Column, cell: int, words: str) -> ValueError:
        """Return the error on the first row that has a cell."""
        return self.error_at(column.name, int(np.argmax(column.code == cell)), words)

    def error_at(self, column: str, at: int, words: str) -> ValueError:
        """Return the error on a row, counted from 0, in one line; the middle of a very long cell is left out."""
        return ValueError(f"{self.file}, row {self.row[at]}, column '{column}': {in_one_line(words)}")

    def row_of(self, column: Column, cell: int) -> int:
        """Return the number in the file of the first row that has a cell."""
        return int(self.row[np.argmax(column.code == cell)])


def in_one_line(words: str) -> str:
    r"""Return a message in one line, without the middle if it has a very long cell.

    >>> in_one_line("two\nlines"), len(in_one_line("x" * 5_000)) < LONGEST
    ('two lines', True)
    """
    line = " ".join(words.split("\n"))
    return line if len(line) < LONGEST else f"{line[: LONGEST // 3]} … {line[-LONGEST // 3 :]}"


class Choose(Protocol):
    """From the header to the places of the columns, by meaning; rows below it serve for messages only."""

    def __call__(self, header: list[str], below: Sequence[Sequence[str]] = ()) -> dict[str, int]:
        """Return the places; raise a ValueError on columns that are not there."""


def column_places(
    columns: Columns, covariates: Sequence[str], header: list[str], file: str, below: Sequence[Sequence[str]] = ()
) -> dict[str, int]:
    """Return the place of each column in the header, by its meaning; a covariate's is "covariate NAME".

    Rows `below` the header, if there are any, show what columns of other names may be: for messages only.

    >>> column_places(Columns(), (), ["person", "decision", "arm", "reward"], "data.csv")
    {'person': 0, 'decision': 1, 'arm': 2, 'reward': 3}
    >>> column_places(Columns(), (), ["person", "decision", "arm", "rewards"], "data.csv")
    Traceback (most recent call last):
    ValueError: data.csv has no column 'reward'. Did you mean 'rewards'? Then add --reward rewards. It has: person, ...
    """
    wanted = {meaning.replace("_", "-"): name for meaning, name in columns.wanted().items()}
    if columns.available is None and "available" in header:
        wanted["available"] = "available"
    meaning_of: dict[str, str] = {}
    faults = Gathered(file)
    cells = {name: [row[k].strip() for row in below if k < len(row)] for k, name in enumerate(header)}
    _raise_on_several(columns, wanted, header, file, cells)
    for meaning, name in wanted.items():
        faults.of(None, _raise_on_absent, meaning, name, header, file, cells)
        if name in meaning_of:
            both = f"both --{meaning_of[name]} and --{meaning}"
            faults.add(ValueError(f"column '{name}' cannot be {both}: each is a column of its own"))
        meaning_of[name] = meaning
    for name in covariates:
        faults.of(None, _raise_on_absent, "covariate", name, header, file, cells)
    faults.tell()
    places = {meaning: header.index(name) for meaning, name in wanted.items()}
    return places | {f"covariate {name}": header.index(name) for name in covariates}


def _raise_on_several(columns: Columns, wanted: dict[str, str], header: list[str], file: str, cells: Cells) -> None:
    """Raise a ValueError if several columns were not named and are not there: with a command that may name them."""
    named = {meaning.replace("_", "-") for meaning, name in columns._asdict().items()
             if name is not None and name != Columns._field_defaults[meaning]}  # fmt: skip
    absent = [meaning for meaning, name in wanted.items() if meaning not in named and name not in header]
    if len(absent) < SEVERAL:
        return
    has = f"It has: {', '.join(filter(None, header))}"
    if len(header) == 1:
        raise ValueError(
            f"{file} has one column, '{header[0]}': columns must be separated by commas, semicolons or tabs"
        )
    if 2 * sum(re.fullmatch(r"[-+]?[\d.,]+", name) is not None for name in header) >= len(header):
        raise ValueError(f"{file}, row 1 must have the names of the columns, and it has numbers: {', '.join(header)}")
    if wide := wide_columns(header):
        raise ValueError(
            f"{file} has a row for each person, it seems, and a column for each decision ({', '.join(wide[:2])}, …). "
            "It must have a row for each decision of a person: reshape it to the long form (R: tidyr::pivot_longer, "
            f"Stata: reshape long, SPSS: VARSTOCASES, Python: pandas.wide_to_long). {has}"
        )
    absent = [meaning for meaning, name in wanted.items() if name not in header]  # also what was named
    names = [f"'{wanted[meaning]}'" for meaning in absent]
    known = {meaning: name for meaning, name in wanted.items() if meaning in named and name in header}
    options = "".join(f" --{meaning} {as_word(name)}" for meaning, name in known.items())
    command = proposal(file, absent, known, header, cells, as_word) + options
    alone = f"\n{ALONE}" if "person" in absent and like("person", header) is None else ""
    raise ValueError(
        f"{file} has no columns {', '.join(names[:-1])} and {names[-1]}. Say which of yours these are, such as\n"
        f"  {command}\n{has}{alone}"
    )


def _raise_on_absent(meaning: str, name: str, header: list[str], file: str, cells: Cells) -> None:
    if header.count(name) > 1:
        raise ValueError(f"{file} has {header.count(name)} columns '{name}': rename all but one")
    if name in header:
        return
    lower = {other.lower(): other for other in header if other}
    near = difflib.get_close_matches(name.lower(), lower, n=1, cutoff=NEARLY_EQUAL if meaning == "decision" else NEAR)
    times = sorted((word for word in lower if any(like in word for like in TIME_LIKE)), key=TIME_LIKE.__contains__)
    hint = f"Name the right one with --{meaning} NAME"
    if meaning == "person" and like("person", header) is None:
        hint = f"{hint}. {ALONE.removesuffix('.')}"
    if meaning == "decision":
        hint += ", or a column of dates or times with --time NAME"
    if near:
        hint = f"Did you mean '{lower[near[0]]}'? Then add --{meaning} {as_word(lower[near[0]])}"
    elif meaning == "decision" and any(cells.values()) and (found := _decision_hint(header, cells)):
        hint = found
    elif meaning == "decision" and times:
        word = as_word(lower[times[-1]])
        hint = f"If '{lower[times[-1]]}' says when it was, add --decision {word} (numbers) or --time {word} (dates)"
    elif name == meaning and (guess := like(meaning, header)):
        hint = f"If it is '{guess}', add --{meaning} {as_word(guess)}; else name it with --{meaning} NAME"
    raise ValueError(f"{file} has no column '{name}'. {hint}. It has: {', '.join(filter(None, header))}")


def _decision_hint(header: list[str], cells: Cells) -> str:
    """Return which columns may say what the decisions are, by the first cells of the file; '' if these do not tell."""
    found = {option: name for option, name in decisions_in(header, (), cells).items() if name is not None}
    kinds = {name: kind_of(cells[name]) for name in found.values()}
    options = " ".join(f"--{option} {as_word(name)}" for option, name in found.items())
    if CLOCKS in kinds.values() and "clock" not in found:
        (name,) = found.values()
        return (
            f"'{name}' has times of day: name the dates beside them, with --time NAME --clock {as_word(name)}, or "
            "numbers of decisions with --decision NAME"
        )
    if "time" in found and all(kinds.values()):
        says = "say" if len(found) > 1 else "says"
        return f"If {' and '.join(map(repr, found.values()))} {says} when it was, add {options}"
    return ""


def notes_on_unused(columns: Columns, covariates: Sequence[str], header: list[str]) -> list[str]:
    """Return notes on columns that seem to say what could be sent, or with which probability, and are not used."""
    wanted = {*columns.wanted().values(), *covariates}
    available = None if columns.available or "available" in header else like("available", header, wanted)
    asked = columns.probability or columns.send_probability
    probability = None if asked else like("probability", header, wanted)
    half = next((name for name in header if HALF.fullmatch(name) and name not in wanted), None)
    joined = columns.clock or columns.time
    notes = {
        f"Warning: column '{half}' is not used. If it says whether times in '{joined}' are before or after noon, put "
        "both in one column, such as 4:30 PM.": half and joined,
        f"Column '{available}' is not used. If it says whether anything could be sent, add --available "
        f"{as_word(available or '')}.": available,
        f"Column '{probability}' is not used. If it has the probability of what was chosen in a row, add --probability "
        f"{as_word(probability or '')}; if that of sending anything, --send-probability.": probability,
    }
    return [words for words, found in notes.items() if found]


def as_word(name: str) -> str:
    """Return a name as one word of a command."""
    return name if re.fullmatch(r"[\w.+-]+", name) else f'"{name}"'


def places_in(
    header: list[str], below: Iterable[tuple[int, Sequence[str]]], choose: Choose, file: str
) -> dict[str, int]:
    """Return the places of the columns; if a row soon below the header has their names, the error says which."""
    with suppress(ValueError):
        return choose(header)
    rows = list(islice(below, ROWS_OF_TITLES))
    for row, cells in rows:
        with suppress(ValueError):
            choose([cell.strip() for cell in cells])
            words = f"{file} has the names of the columns in row {row}: delete the rows above it"
            break
    else:
        _raise_on_title(header, rows, file)
        return choose(header, [cells for _, cells in rows])  # raises, with what the rows show
    raise ValueError(words)


def _raise_on_title(header: list[str], rows: Iterable[tuple[int, Sequence[str]]], file: str) -> None:
    """Raise a ValueError if the header is one cell, above a row of several: a title is no name of a column."""
    titles = [cell for cell in header if cell]
    if len(titles) != 1:
        return
    for row, cells in rows:
        filled = [cell.strip() for cell in cells if cell.strip()]
        if len(filled) >= FEWEST_COLUMNS:
            raise ValueError(
                f"{file} has one cell in row 1, '{titles[0]}', and several in row {row} ({', '.join(filled[:3])}, …): "
                "if these are the names of the columns, delete the rows above them"
            )


def coded(
    rows: Iterable[tuple[int, Sequence[str]]], header: list[str], place: dict[str, int]
) -> tuple[Ints, dict[str, Column]]:
    """Return the numbers of the rows and the wanted columns; rows in which all of these are empty are left out."""
    numbers, codes = array("q"), {meaning: array("i") for meaning in place}
    indices: dict[str, defaultdict[str, int]] = {meaning: defaultdict() for meaning in place}
    for index in indices.values():
        index.default_factory = index.__len__  # a cell that is new gets the next number
    remaining = iter(rows)
    while block := list(islice(remaining, ROWS_AT_ONCE)):
        numbers.extend(row for row, _ in block)
        cells = list(zip(*(cells for _, cells in block), strict=True))
        for meaning, k in place.items():
            codes[meaning].extend(map(indices[meaning].__getitem__, map(str.strip, cells[k])))
    found = {
        meaning: Column(header[k], list(indices[meaning]), np.array(codes[meaning], dtype=np.int64))
        for meaning, k in place.items()
    }
    return without_empty_rows(np.array(numbers, dtype=np.int64), found)


def without_empty_rows(row: Ints, columns: dict[str, Column]) -> tuple[Ints, dict[str, Column]]:
    """Return the rows that have a cell in at least one column."""
    full: Bools = np.zeros(row.size, dtype=np.bool_)
    for column in columns.values():
        full |= column.code != (column.cells.index("") if "" in column.cells else -1)
    if full.all():
        return row, columns
    return row[full], {meaning: some_rows(column, full) for meaning, column in columns.items()}


def some_rows(column: Column, rows: Bools) -> Column:
    """Return some rows of a column; cells that none of them has are left out."""
    used, code = np.unique(column.code[rows], return_inverse=True)
    return Column(column.name, [column.cells[k] for k in used], code)
