"""The people.json that a command is given: the file, or the folder of the results of `rogue fit`."""

from __future__ import annotations

from pathlib import Path

from rogue_bandits.cli.checks import Refused
from rogue_bandits.cli.earlier_results import FILE

OTHERS = {
    ".csv": "a CSV file", ".tsv": "a table", ".txt": "a text", ".parquet": "a Parquet file", ".xlsx": "a spreadsheet",
    ".html": "a report",
}  # fmt: skip


def people_file(given: Path) -> Path:
    """Return the file itself, or that of a folder; a table or a report is refused with the file that is meant."""
    if given.is_dir():
        if not (given / FILE).is_file():
            raise Refused(
                f"folder '{given}' has no {FILE}: name one with the results of `rogue fit`, or the file itself"
            )
        return given / FILE
    if given.suffix.lower() in OTHERS and given.is_file():
        beside, default = given.with_name(FILE), Path("results", given.stem, FILE)
        meant = f"use '{beside}', beside it" if beside.is_file() else "`rogue fit` writes it"
        if default.is_file() and not beside.is_file():
            meant = f"use '{default}'"
        raise Refused(f"'{given}' is {OTHERS[given.suffix.lower()]}, and {FILE} of `rogue fit` is needed: {meant}")
    return given
