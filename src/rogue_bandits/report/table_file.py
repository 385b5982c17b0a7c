"""Tables as files, CSV or Parquet, from the same rows: a head of names, then values."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rogue_bandits.report.terminal import csv_text

Rows = Sequence[Sequence[object]]
FORMATS = ("csv", "parquet")
NEEDS_ARROW = "Parquet needs pyarrow: pip install rogue-bandits[tables]"


def table_bytes(rows: Rows, kind: str, shown: Mapping[str, str] | None = None, encoding: str = "utf-8") -> bytes:
    """Return rows as a file of this kind; None is an empty cell.

    `shown` says how numbers of a column are written in CSV, where nan is then an empty cell. Parquet has all digits.

    >>> table_bytes([["arm", "mean"], ["walk", 0.25], ["sleep", None]], "csv").decode().splitlines()
    ['arm,mean', 'walk,0.25', 'sleep,']
    """
    return parquet_of(rows) if kind == "parquet" else csv_of(rows, shown or {}, encoding)


def csv_of(rows: Rows, shown: Mapping[str, str], encoding: str) -> bytes:
    """Return rows as CSV."""
    forms = [shown.get(str(name)) for name in rows[0]]
    body = [[_cell(value, form) for value, form in zip(row, forms, strict=True)] for row in rows[1:]]
    return csv_text([rows[0], *body]).encode(encoding)


def _cell(value: object, form: str | None) -> object:
    if form is None or not isinstance(value, float):
        return value
    return "" if math.isnan(value) else format(value, form)


def parquet_of(rows: Rows) -> bytes:
    """Return rows as a Parquet file: text, whole numbers or numbers in each column, with nulls for None and nan."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names, columns = [str(name) for name in rows[0]], list(zip(*rows[1:], strict=True)) or [()] * len(rows[0])
    arrays = [pa.array(list(column), from_pandas=True) for column in columns]
    arrays = [array.cast(pa.float64()) if pa.types.is_null(array.type) else array for array in arrays]
    with io.BytesIO() as file:
        pq.write_table(pa.table(arrays, names=names), file)
        return file.getvalue()


def kind_of(path: Path) -> str:
    """Return the kind of a table by the end of its name; a ValueError says which there are.

    >>> kind_of(Path("a.parquet"))
    'parquet'
    """
    kind = path.suffix.removeprefix(".")
    if kind not in FORMATS:
        raise ValueError(f"'{path}' must end with .csv or .parquet")
    raise_without_arrow(kind)
    return kind


def raise_without_arrow(kind: str) -> None:
    """Raise a ValueError if this kind of table cannot be written, before hours of work."""
    if kind == "parquet":
        try:
            import pyarrow as pyarrow  # only to know
        except ImportError:
            raise ValueError(NEEDS_ARROW) from None


def remove_other(folder: Path, name: str, kind: str) -> None:
    """Remove the same table of another kind, which an earlier run has left."""
    for other in FORMATS:
        if other != kind:
            (folder / f"{name}.{other}").unlink(missing_ok=True)


def as_files(tables: Mapping[str, Any], kind: str, folder: Path) -> dict[str, bytes]:
    """Return tables, by name, as the files to be written to a folder."""
    for name in tables:
        remove_other(folder, name, kind)
    return {f"{name}.{kind}": table_bytes(rows, kind) for name, rows in tables.items()}
