"""What kind of text a file is: its letters and what stands between its columns, told from the file alone."""

from __future__ import annotations

import codecs
import csv
from pathlib import Path
from typing import NamedTuple

BLOCK = 1 << 20
BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
NOT_TEXT = {
    b"PK\x03\x04": "a spreadsheet or an archive",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet",
    b"\x1f\x8b": "compressed",
    b"PAR1": "a Parquet file",
}
SEPARATORS = ",;\t|"


class Form(NamedTuple):
    """How a table is written down."""

    encoding: str
    separator: str
    header: list[str]


def form_of(path: Path) -> Form:
    """How the table in a file is written down; a ValueError says why it is none."""
    encoding = encoding_of(path)
    try:
        with path.open(encoding=encoding, newline="") as file:
            first = file.readline()
    except UnicodeError:
        raise ValueError(f"{path.name} begins as {encoding} does and is not: save it as UTF-8") from None
    if not first.strip():
        raise ValueError(f"{path.name}, row 1 is empty: it must have the names of the columns")
    separator = max(SEPARATORS, key=first.count)
    return Form(encoding, separator, [name.strip() for name in next(csv.reader([first], delimiter=separator))])


def encoding_of(path: Path) -> str:
    """The encoding by its mark, else UTF-8 if that is what it is, else Latin-1, which any bytes are."""
    with path.open("rb") as file:
        start = file.read(BLOCK)
        if not start:
            raise ValueError(f"{path.name} is empty: it must have a row with the names of the columns, and data")
        for mark, kind in NOT_TEXT.items():
            if start.startswith(mark):
                raise ValueError(f"{path.name} is {kind}, not a CSV file: open it and save it as CSV (UTF-8)")
        for mark, encoding in BOMS.items():
            if start.startswith(mark):
                return encoding
        decoder, encoding = codecs.getincrementaldecoder("utf-8")(), "utf-8"
        while start:
            if b"\0" in start:
                raise ValueError(f"{path.name} is not a text that can be read (it has zero bytes): save it as UTF-8")
            if encoding == "utf-8":
                encoding = "utf-8" if decodes(decoder, start) else "latin-1"
            start = file.read(BLOCK)
    return encoding if encoding == "latin-1" or decodes(decoder, b"", final=True) else "latin-1"


def decodes(decoder: codecs.IncrementalDecoder, block: bytes, final: bool = False) -> bool:
    """Is this block a continuation of the text so far?"""
    try:
        decoder.decode(block, final)
    except UnicodeDecodeError:
        return False
    return True
