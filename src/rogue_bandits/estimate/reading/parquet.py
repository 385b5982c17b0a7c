"""Read a Parquet file."""

from __future__ import annotations

from typing import Any

import numpy as np

from rogue_bandits.estimate.reading.columns import Choose, Column, Sheet, without_empty_rows
from rogue_bandits.estimate.reading.sources import Source, missing_extra
from rogue_bandits.estimate.reading.workbook import cell_text
from rogue_bandits.types import Ints


def read_parquet(source: Source, choose: Choose) -> Sheet:
    """Return the wanted columns of a Parquet file; its first row of data is row 2, as in a CSV file."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise missing_extra(source.name, "a Parquet file", "pyarrow") from None
    with source.open() as file:
        try:
            content = parquet.ParquetFile(file)
            header = list(content.schema_arrow.names)
            place = choose(header)
            table = content.read(columns=[header[k] for k in place.values()])
        except (pyarrow.ArrowException, OSError) as error:
            raise ValueError(f"{source.name} is a damaged Parquet file: {str(error).splitlines()[0]}") from None
        columns = {meaning: column_of(header[k], table.column(header[k]), source.name) for meaning, k in place.items()}
        row: Ints = np.arange(2, table.num_rows + 2, dtype=np.int64)
    return Sheet(source.name, *without_empty_rows(row, columns), [])


def column_of(name: str, values: Any, file: str) -> Column:
    """Return a column as text."""
    import pyarrow

    kind = values.type
    if pyarrow.types.is_nested(kind) or pyarrow.types.is_binary(kind):
        raise ValueError(f"{file}, column '{name}' has values of type {kind}: it must have numbers, texts or times")
    if pyarrow.types.is_dictionary(kind):
        values = values.cast(kind.value_type)
    elif pyarrow.types.is_timestamp(kind):
        values = values.cast(pyarrow.timestamp("us", kind.tz), safe=False)  # Python's times have no nanoseconds
    coded = values.combine_chunks().dictionary_encode(null_encoding="encode")
    found: dict[str, int] = {}
    cells = [cell_text(value).strip() for value in coded.dictionary.to_pylist()]
    merged = np.array([found.setdefault(cell, len(found)) for cell in cells], dtype=np.int64)
    return Column(name, list(found), merged[coded.indices.to_numpy(zero_copy_only=False)])
