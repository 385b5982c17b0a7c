"""Columns of numbers: commas and percent signs are read by the whole column, codes for missing values are named."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.reading.cells import NOT_OBSERVED
from rogue_bandits.estimate.reading.columns import Column, Sheet, as_word
from rogue_bandits.estimate.reading.faults import Gathered
from rogue_bandits.types import Floats
from rogue_bandits.wording import plain

THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?")  # 7,656 or 1,234.5
DECIMAL = re.compile(r"[-+]?\d*,\d+(e[-+]?\d+)?", re.IGNORECASE)  # 0,5
EUROPEAN = re.compile(r"[-+]?[1-9]\d{0,2}(\.\d{3})+(,\d+)?")  # 1.234,5
POINT = re.compile(r"[-+]?\d*\.\d*")  # 0.5
WORD = re.compile(r"[^\W\d][^\W\d./-]{0,14}(?: [^\W\d./-]{1,14}){0,2}")  # or a few words: not worn
PLAIN = re.compile(r"[-+]?\d+")
SPACED = re.compile(r"[-+]?[1-9]\d{0,2}([ \u00a0\u202f'’]\d{3})+([.,]\d+)?")  # 12 000, with all kinds of spaces
PERCENT = re.compile(r"(.*\d)\s*%")  # 12 %
SPACES = re.compile(r"[ \u00a0\u202f'’]")
YES_NO = {
    "true": 1.0, "t": 1.0, "yes": 1.0, "y": 1.0, "ja": 1.0, "false": 0.0, "f": 0.0, "no": 0.0, "n": 0.0, "nein": 0.0,
}  # fmt: skip
ALL_REAL = "none"  # --missing none: no number stands for a missing value
CODES = [float(digit * n) for digit in "789" for n in range(1, 7)]  # 9, 99, 999, …; each also below 0
FAR = 2.0  # ranges of the other values, beyond which a code is far outside them


class Style(NamedTuple):
    """How a column writes its numbers: the marks of thousands and decimals, and the numbers in which they show."""

    thousands: str
    decimal: str
    words: str
    patterns: tuple[re.Pattern[str], ...]


STYLES = {
    "point": Style("", ".", "a decimal point", ()),
    "decimal": Style("", ",", "a decimal comma", (DECIMAL,)),
    "thousands": Style(",", ".", "a comma for thousands", (THOUSANDS,)),
    "european": Style(".", ",", "a point for thousands and a decimal comma", (EUROPEAN, DECIMAL)),
}


class NumberOptions(NamedTuple):
    """What stands for a missing value (`none`: no number does), and what a comma means (None: by the column)."""

    missing: tuple[str, ...] = ()
    comma: str | None = None

    def are_all_real(self) -> bool:
        """Return whether no number stands for a missing value."""
        return ALL_REAL in {word.lower() for word in self.missing}


class Numbers(NamedTuple):
    """A column of numbers, nan where nothing was observed, and notes for the reader."""

    values: Floats
    notes: list[str]


def numbers_of(sheet: Sheet, column: Column, what: str, options: NumberOptions) -> Numbers:
    """Return the numbers of a column; a column of yes and no, or true and false, is one of 1 and 0."""
    words = {word.strip().lower() for word in options.missing} - {ALL_REAL}
    codes = [value for word in words if (value := _plain_float(word)) is not None]
    observed = [k for k, cell in enumerate(column.cells) if cell.lower() not in words.union(NOT_OBSERVED)]
    faults = Gathered(sheet.file)
    percent = faults.of(False, is_in_percent, sheet, column, observed, what)
    cells = {k: _tidy(column.cells[k]) for k in observed}
    values = np.full(len(column.cells), np.nan)
    if cells and all(cell.lower() in YES_NO for cell in cells.values()):
        values[list(cells)] = [YES_NO[cell.lower()] for cell in cells.values()]
        return Numbers(values[column.code], [_note_on_yes_and_no(column, list(cells.values()))])
    style = comma_style(sheet, column, list(cells.values()), what, options.comma)
    for k, cell in cells.items():
        values[k] = faults.of(math.nan, number_in, sheet, column, k, cell, style, what)
    values /= 100.0 if percent else 1.0
    notes = [*_note_on_percent(column, values, percent), *_note_on_style(column, values, style)]
    coded = np.isin(values, codes) | np.array([bool(cell) and cell.lower() in words for cell in column.cells])
    values[coded] = np.nan
    by_row = values[column.code]
    if not options.are_all_real():
        faults.of(None, raise_on_codes, sheet, column, values, by_row)
    faults.tell()
    if left_out := int(np.count_nonzero(coded[column.code])):
        named = " or ".join(
            word if PLAIN.fullmatch(word) else repr(word) for word in options.missing if word.lower() != ALL_REAL
        )
        these = f"{left_out:,} of {column.code.size:,} cells of '{column.name}'"
        notes.append(f"{these} are {named} and count as not observed.")
    return Numbers(by_row, notes)


def _note_on_style(column: Column, values: Floats, style: str) -> list[str]:
    """Return how a comma, or a point for thousands, was read, by an example."""
    if style == "point":
        return []
    read = [k for k, cell in enumerate(column.cells) if ("," in cell or "." in cell) and not np.isnan(values[k])]
    k = next((k for k in read if "," in column.cells[k]), read[0])
    words = STYLES[style].words if "," in column.cells[k] else "a point for thousands"
    return [f"Column '{column.name}' has {words}: {column.cells[k]} is read as {values[k]:.12g}."]


def is_in_percent(sheet: Sheet, column: Column, observed: Sequence[int], what: str) -> bool:
    """Return whether the numbers of a column end in %, but for 0; a ValueError names one that does not."""
    signed = [k for k in observed if PERCENT.fullmatch(column.cells[k])]
    others = [k for k in observed if column.cells[k][-1:].isdigit() and column.cells[k] != "0"]
    if signed and others:
        rare, common = sorted((signed, others), key=len)
        sign, other = ("a", "none") if rare is signed else ("no", "one")
        words = (
            f"{what} '{column.cells[rare[0]]}' has {sign} % sign, and row {sheet.row_of(column, common[0])}, "
            f"'{column.cells[common[0]]}', has {other}: write all numbers of the column in the same way"
        )
        raise sheet.error(column, rare[0], words)
    return bool(signed)


def _note_on_percent(column: Column, values: Floats, percent: bool) -> list[str]:
    """Return how a percent sign was read, by an example; spreadsheets, too, store 12 % as 0.12."""
    k = next((k for k, cell in enumerate(column.cells) if cell.endswith("%") and not np.isnan(values[k])), None)
    if not percent or k is None:
        return []
    return [f"Column '{column.name}' is in percent, and is read as shares: {column.cells[k]} is {values[k]:.12g}."]


def _tidy(cell: str) -> str:
    """Return a cell with a plain minus, without a percent sign and without blanks between thousands."""
    cell = PERCENT.sub(r"\1", cell.replace("\u2212", "-"))
    return SPACES.sub("", cell) if SPACED.fullmatch(cell) else cell


def _plain_float(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def comma_style(sheet: Sheet, column: Column, cells: Sequence[str], what: str, said: str | None) -> str:
    """Return how the column uses commas, if it has any: as was said, or as the cells tell; a ValueError asks.

    One cell such as 7,656 may be either 7656 or 7.656; the other cells of the column decide.
    """
    with_comma = [cell for cell in cells if "," in cell and _fits(cell, THOUSANDS, DECIMAL, EUROPEAN)]
    if not with_comma:
        return point_style(sheet, column, cells, what, said)
    if said is not None:
        return said
    if any("." in cell and THOUSANDS.fullmatch(cell) for cell in with_comma):
        return "thousands"
    if any(EUROPEAN.fullmatch(cell) for cell in with_comma):
        return "european"
    if any(not THOUSANDS.fullmatch(cell) for cell in with_comma):
        return "decimal"
    if any("." in cell for cell in cells):
        return "thousands"
    whole = [abs(int(cell)) for cell in cells if PLAIN.fullmatch(cell)]
    if whole and max(whole) < 1000:
        return "thousands"
    comma = with_comma[0]
    raise sheet.error(
        column,
        [_tidy(cell) for cell in column.cells].index(comma),
        f"{what} '{comma}' is {comma.replace(',', '')} or {comma.replace(',', '.')}, and no other cell of the column "
        "tells which: add --comma thousands or --comma decimal",
    )


def point_style(sheet: Sheet, column: Column, cells: Sequence[str], what: str, said: str | None) -> str:
    """Return how a column without commas uses points; a ValueError asks where they may separate thousands.

    All have three digits behind them, and whole numbers from 100 to 999 have none: 6.123 beside 980.
    """
    pointed = [cell for cell in cells if "." in cell]
    if not pointed or not all(EUROPEAN.fullmatch(cell) for cell in pointed):
        return "point"
    if any(cell.count(".") > 1 for cell in pointed):
        return "european"
    whole = max((cell for cell in cells if PLAIN.fullmatch(cell)), key=lambda cell: abs(int(cell)), default="0")
    if not 100 <= abs(int(whole)) < 1000:
        return "point"
    if said is not None:
        return "european" if said == "decimal" else "point"
    raise sheet.error(
        column,
        [_tidy(cell) for cell in column.cells].index(pointed[0]),
        f"{what} '{pointed[0]}' is {pointed[0].replace('.', '')} or {plain(float(pointed[0]))}: every point has three "
        f"digits behind it, and '{whole}' has none. Add --comma decimal if points separate thousands, or --comma "
        "thousands if they are decimal points",
    )


def _fits(cell: str, *patterns: re.Pattern[str]) -> bool:
    return any(pattern.fullmatch(cell) for pattern in patterns)


def number_in(sheet: Sheet, column: Column, k: int, cell: str, style: str, what: str) -> float:
    """Return the number in a cell of this style; anything else raises a ValueError."""
    thousands, decimal, words, patterns = STYLES[style]
    text = cell
    if _fits(cell, *patterns):
        text = cell.replace(thousands, "").replace(decimal, ".")
    elif (
        patterns
        and ("," in cell or ("." in cell and decimal == ","))
        and _fits(cell, THOUSANDS, DECIMAL, EUROPEAN, POINT)
    ):
        other = next((j for j, text in enumerate(column.cells) if "," in text and _fits(_tidy(text), *patterns)), None)
        unlike = (
            f"row {sheet.row_of(column, other)}, '{column.cells[other]}', which has"
            if other is not None
            else "numbers with"
        )
        words = f"{what} '{cell}' does not fit {unlike} {words}: write all numbers of the column in the same way"
        raise sheet.error(column, k, words)
    try:
        value = float(text.replace("_", "?"))  # Python would read 1_000
    except ValueError:
        raise sheet.error(column, k, f"{what} '{cell}' is no number{_hint(cell)}") from None
    if not math.isfinite(value):
        raise sheet.error(column, k, f"{what} '{cell}' must be finite")
    return value


def _note_on_yes_and_no(column: Column, cells: list[str]) -> str:
    ones = dict.fromkeys(cell for cell in cells if YES_NO[cell.lower()])
    zeros = dict.fromkeys(cell for cell in cells if not YES_NO[cell.lower()])
    counts = [f"{' and '.join(words)} as {number}" for number, words in ((1, ones), (0, zeros)) if words]
    return f"Column '{column.name}' has words for yes and no: {', '.join(counts)}."


def _hint(cell: str) -> str:
    if cell.startswith("#"):
        return ": a formula of the spreadsheet failed"
    if with_unit := re.fullmatch(r"([-+]?\d+(?:[.,]\d+)?) ?[^\W\d]+\.?", cell):
        return f", write the number alone: {with_unit[1]}"
    if WORD.fullmatch(cell):
        return f". If it stands for a missing value, add --missing {as_word(cell)}; else write a number in its place"
    return ": write one, or leave the cell empty if nothing was observed"


def raise_on_codes(sheet: Sheet, column: Column, values: Floats, by_row: Floats) -> None:
    """Raise a ValueError on a number that looks like a code for a missing value: 999 or -99, far from all others."""
    seen = np.unique(values[~np.isnan(values)])
    is_code = np.isin(np.abs(seen), CODES)
    others = seen[~is_code]
    if not others.size or not is_code.any():
        return
    lowest, highest = others[0], others[-1]
    margin, faults = FAR * (highest - lowest), Gathered(sheet.file)
    for code in seen[is_code]:
        single = abs(code) < 10.0  # also a common value: suspicious beside 0 and 1 only, or below 0
        above = code > highest + margin and (not single or bool(np.isin(others, (0.0, 1.0)).all()))
        below = code < 0.0 <= lowest or code < lowest - margin
        if above or below:
            rows = int(np.count_nonzero(by_row == code))
            written = plain(code, 12)
            words = (
                f"{written} looks like a code for a missing value ({rows:,} {'row has' if rows == 1 else 'rows have'} "
                f"it; all others are from {plain(lowest)} to {plain(highest)}). If it is one, add --missing "
                f"{written}; if it is a real number, add --missing none"
            )
            faults.add(sheet.error_at(column.name, int(np.argmax(by_row == code)), words))
    faults.tell()
