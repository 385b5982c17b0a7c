"""Tables that a run is given, Parquet or CSV, read a piece at a time; a folder of such files is one table."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq

from rogue_bandits.partitions.bad_cells import bad_cell, fault_in_csv, header_of, raise_on_columns

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
    """Yield a table piece by piece, with the columns that `types` names, in these types.

    A ValueError names the file, the row, the column and the value that cannot be read, and says what is allowed.
    """
    schema = pa.schema(list(types.items()))
    for file in files_of(path):
        yield from (_parquet if file.suffix == ".parquet" else _csv)(file, schema)


def _parquet(file: Path, schema: Any) -> Iterator[Any]:
    try:
        opened, row = pq.ParquetFile(file), 1
    except (pa.ArrowException, OSError) as error:
        raise ValueError(f"table '{file}' is not a Parquet file, or is damaged: {_first_line(error)}") from None
    with opened:
        raise_on_columns(file, opened.schema_arrow.names, schema)
        try:
            for batch in opened.iter_batches(ROWS_AT_ONCE, columns=schema.names):
                yield pa.table([_cast(file, batch, field, row) for field in schema], schema=schema)
                row += batch.num_rows
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"table '{file}' is damaged: {_first_line(error)}") from None


def _cast(file: Path, batch: Any, field: Any, first_row: int) -> Any:
    """Return a column of a Parquet file in the type that is needed."""
    values = batch.column(field.name)
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if (found := bad_cell(values, field.type)) is not None:
        at, words = found
        raise ValueError(f"table '{file}', row {first_row + at}, column '{field.name}': {words}")
    return values.cast(field.type)


def _csv(file: Path, schema: Any) -> Iterator[Any]:
    raise_on_columns(file, header_of(file), schema)
    types = {field.name: field.type for field in schema}
    options = csv.ConvertOptions(column_types=types, include_columns=schema.names)
    try:
        with csv.open_csv(file, convert_options=options) as opened:
            for batch in opened:
                yield pa.Table.from_batches([batch])
    except (pa.ArrowException, OSError) as error:
        words = fault_in_csv(file, schema) or f"table '{file}': {_first_line(error)}"
        raise ValueError(words) from None


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
