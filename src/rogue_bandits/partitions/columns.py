"""The arrays of people as columns of a Parquet file, one for each array, and back.

An array [people, …] is a column of fixed-size lists, or of numbers. Zeros at the end of its axes, unused room, are left
out; the shape is in the metadata of the schema.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from rogue_bandits.online.personal import Array, fitted_into, leaves, rebuilt, with_room_of

KEY = b"rogue-bandits"
FORMAT_VERSION = 1
LEVEL = 1  # of zstd: higher ones take longer and save little


def named_leaves(structure: Any, prefix: str = "") -> Iterator[tuple[str, Array]]:
    """Yield arrays by their names, however deep."""
    for name, part in structure._asdict().items() if hasattr(structure, "_asdict") else ():
        if isinstance(part, tuple):
            yield from named_leaves(part, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", part


def trimmed(array: Array) -> Array:
    """Return an array without the zeros at the end of its axes, but the first; −0.0 is not zero here."""
    for axis in range(1, array.ndim):
        others = tuple(i for i in range(array.ndim) if i != axis)
        used = np.flatnonzero(_bits(array).any(axis=others))
        array = array[(slice(None),) * axis + (slice(int(used[-1]) + 1 if used.size else 0),)]
    return np.ascontiguousarray(array)


def _bits(array: Array) -> Array:
    if array.dtype != np.float64:
        return array
    return array.view(np.uint64) if array.strides[-1] == 8 else np.ascontiguousarray(array).view(np.uint64)


def column_of(array: Array) -> Any:
    """Return an array as a column."""
    flat = array.reshape(len(array), -1)
    if flat.shape[1] == 1:
        return pa.array(flat[:, 0])
    return pa.FixedSizeListArray.from_arrays(pa.array(flat.ravel()), flat.shape[1])


def to_parquet(ids: Any, parts: dict[str, Any], rooms: dict[str, Any], mark: str) -> memoryview:
    """Return a Parquet file of people: `parts` are structures of arrays by name, `rooms` the same with all room."""
    columns, shapes = {"person": ids}, {}
    for name, structure in parts.items():
        room = dict(named_leaves(rooms[name]))
        for leaf, array in named_leaves(structure):
            short = trimmed(array)
            shapes[f"{name}.{leaf}"] = [list(short.shape[1:]), list(room[leaf].shape[1:])]
            if math.prod(short.shape[1:]):
                columns[f"{name}.{leaf}"] = column_of(short)
    about = {"format": FORMAT_VERSION, "mark": mark, "shapes": shapes}
    table = pa.table(columns).replace_schema_metadata({KEY: json.dumps(about).encode()})
    return parquet_bytes(table)


def parquet_bytes(table: Any) -> memoryview:
    """Return a table as a Parquet file; equal tables are equal files."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", compression_level=LEVEL, write_statistics=["person"])
    return memoryview(sink.getvalue())


def from_parquet(content: Any, like: dict[str, Any], marks: Sequence[str]) -> tuple[Any, dict[str, Any]]:
    """Return the people and the structures of arrays of `to_parquet`; a ValueError says how a file differs.

    Its mark must be one of `marks`.
    """
    table = pq.read_table(pa.BufferReader(content), use_threads=False)
    about = json.loads((table.schema.metadata or {}).get(KEY, b"{}"))
    if about.get("format", 0) > FORMAT_VERSION:
        raise ValueError(f"it has format version {about['format']}, and this release reads up to {FORMAT_VERSION}: "
                         "upgrade rogue-bandits")  # fmt: skip
    if about.get("format") is None or "person" not in table.column_names:
        raise ValueError("its schema differs: it is not a partition of people")
    if about["mark"] not in marks:
        raise ValueError("it is of other arms or of another policy than population.json, which only "
                         "`rogue population migrate` may change: restore either from a backup")  # fmt: skip
    found: dict[str, Any] = {}
    for name, structure in like.items():
        arrays = [_array(table, f"{name}.{leaf}", old, about["shapes"]) for leaf, old in named_leaves(structure)]
        found[name] = rebuilt(structure, iter(arrays)) if list(leaves(structure)) else structure
    return table.column("person").combine_chunks(), found


def _array(table: Any, column: str, like: Array, shapes: dict[str, Any]) -> Array:
    """Return a column as an array with all its room."""
    if column not in shapes or len(shapes[column][1]) != like.ndim - 1:
        raise ValueError(f"its schema differs: it has no column '{column}' of {like.ndim - 1} axes")
    short, room = shapes[column]
    if not math.prod(short):
        return with_room_of(np.zeros((table.num_rows, *room), dtype=like.dtype), like)
    if column not in table.column_names:
        raise ValueError(f"its schema differs: it has no column '{column}'")
    values = table.column(column).combine_chunks()
    flat = (values.flatten() if isinstance(values.type, pa.FixedSizeListType) else values).to_numpy(
        zero_copy_only=False
    )
    if flat.dtype != like.dtype or flat.size != table.num_rows * math.prod(short):
        raise ValueError(f"its schema differs: column '{column}' has {flat.size} numbers of type {flat.dtype}")
    array = with_room_of(fitted_into(flat.reshape(table.num_rows, *short), (table.num_rows, *room)), like)
    return array if array.flags.writeable else array.copy()
