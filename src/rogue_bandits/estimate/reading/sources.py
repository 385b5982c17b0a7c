"""A file on disk or the standard input, and which kind of file it is."""

from __future__ import annotations

import hashlib
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, NamedTuple

STDIN = "-"
BLOCK = 1 << 20  # bytes
REFUSED = {
    b"\xd0\xcf\x11\xe0": "an old spreadsheet: open it and save it as xlsx or as CSV (UTF-8)",
    b"\x1f\x8b": "compressed: unpack it first",
}
OTHER_PROGRAMS = {
    ".sav": "SPSS", ".zsav": "SPSS", ".por": "SPSS", ".dta": "Stata", ".sas7bdat": "SAS", ".xpt": "SAS", ".rds": "R",
    ".rda": "R", ".rdata": "R",
}  # by the end of the name: some of these files are compressed, and others have zero bytes  # fmt: skip
WORKBOOK, PARQUET = b"PK\x03\x04", b"PAR1"

Progress = Callable[[int], None]  # called with the number of bytes just read


class Source(NamedTuple):
    """A file to read: its name in messages, its size, its first bytes, and a function that opens it."""

    name: str
    size: int
    start: bytes
    open: Callable[[], BinaryIO]

    def sha256(self) -> str:
        """Return the checksum of the content."""
        digest = hashlib.sha256()
        with self.open() as file:
            while block := file.read(BLOCK):
                digest.update(block)
        return digest.hexdigest()


def source_of(path: Path) -> Source:
    """Return the source at a path, or the standard input at `-`. A ValueError says why it is no table."""
    if str(path) == STDIN:
        content = sys.stdin.buffer.read()
        source = Source("stdin", len(content), content[:4], lambda: io.BytesIO(content))
    else:
        with path.open("rb") as file:
            source = Source(path.name, path.stat().st_size, file.read(4), lambda: path.open("rb"))
    if program := OTHER_PROGRAMS.get(path.suffix.lower()):
        raise ValueError(f"{source.name} is a file of {program}: save the table from there as CSV, xlsx or Parquet")
    if not source.start:
        raise ValueError(f"{source.name} is empty: it must have a row with the names of the columns, and data")
    for mark, kind in REFUSED.items():
        if source.start.startswith(mark):
            raise ValueError(f"{source.name} is {kind}")
    return source


def missing_extra(file: str, kind: str, package: str) -> ValueError:
    """Return the error on a file that needs a package which is not installed."""
    return ValueError(
        f"{file} is {kind}, which {package} reads, and that is not installed: "
        "pip install 'rogue-bandits[tables]', or save the file as CSV"
    )
