"""Tables that a run is given, Parquet or CSV, read a piece at a time; a folder of such files is one table."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq

ROWS_AT_ONCE = 1_000_000  # bounds the memory of reading
SUFFIXES = (".parquet", ".csv")


def files_of(path: Path) -> list[Path]:
    """Return the files of a table, in the order of their names."""
    found = sorted(p for p in path.iterdir() if p.suffix in SUFFIXES) if path.is_dir() else [path]
    if not found or not all(file.is_file() for file in found):
        raise ValueError(f"table '{path}' does not exist" if not path.is_dir() else f"'{path}' has no table in it")
    for file in found:
        if file.suffix not in SUFFIXES:
            raise ValueError(f"table '{file}' must be a .parquet or a .csv file, or a folder of these")
    return found


def content_hash(*paths: Path | None) -> str:
    """Return a hash of what tables contain, byte by byte; None stands for no table."""
    total = hashlib.sha256()
    for path in paths:
        total.update(b"none" if path is None else b"table")
        for file in [] if path is None else files_of(path):
            with file.open("rb") as opened:
                total.update(hashlib.file_digest(opened, "sha256").digest())
    return total.hexdigest()[:32]


def pieces(path: Path, types: dict[str, Any]) -> Iterator[Any]:
    """Yield a table piece by piece, with the columns that `types` names, in these types."""
    schema = pa.schema(list(types.items()))
    for file in files_of(path):
        try:
            for piece in (_parquet if file.suffix == ".parquet" else _csv)(file, schema):
                yield pa.Table.from_batches([piece]).select(schema.names).cast(schema)
        except (pa.ArrowException, KeyError) as error:
            raise ValueError(f"table '{file}': {_in_words(error, schema)}") from None


def _parquet(file: Path, schema: Any) -> Iterator[Any]:
    opened = pq.ParquetFile(file)
    _raise_on_missing(opened.schema_arrow.names, schema)
    yield from opened.iter_batches(ROWS_AT_ONCE, columns=schema.names)


def _csv(file: Path, schema: Any) -> Iterator[Any]:
    types = {field.name: field.type for field in schema}
    options = csv.ConvertOptions(column_types=types, include_columns=schema.names)
    with csv.open_csv(file, convert_options=options) as opened:
        yield from opened


def _raise_on_missing(names: list[str], schema: Any) -> None:
    for name in schema.names:
        if name not in names:
            raise pa.ArrowInvalid(f"it has no column '{name}', among {', '.join(names)}")


def _in_words(error: Exception, schema: Any) -> str:
    """Return the first line of Arrow's message, and which columns are needed."""
    words = str(error).splitlines()[0]
    return f"{words}. It needs the columns {', '.join(f'{field.name} ({field.type})' for field in schema)}"
