"""From a table in any order to the rows of each partition.

A table is cut into chunks. Each is sorted by partition and written as an Arrow file with a batch for each partition,
so that a worker reads its own rows only. Memory is bounded by the length of a chunk, whatever that of the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from rogue_bandits.partitions.atomic import write_durable
from rogue_bandits.partitions.ids import partition_of

ROWS_OF_A_CHUNK = 4_000_000


def route(tables: Iterator[Any], partitions: int, into: Path) -> int:
    """Write the rows of tables by partition; return how many there are."""
    rows = 0
    for number, chunk in enumerate(chunks(tables)):
        write_durable(into / f"chunk-{number:05d}.arrow", by_partition(chunk, partitions))
        rows += chunk.num_rows
    return rows


def chunks(tables: Iterator[Any]) -> Iterator[Any]:
    """Yield tables joined until they are long enough."""
    held: list[Any] = []
    for table in tables:
        held.append(table)
        if sum(part.num_rows for part in held) >= ROWS_OF_A_CHUNK:
            yield pa.concat_tables(held).combine_chunks()
            held = []
    if held:
        yield pa.concat_tables(held).combine_chunks()


def by_partition(table: Any, partitions: int) -> memoryview:
    """Return a table as an Arrow file with a batch for each partition."""
    ids = table.column("person")
    where = partition_of(ids.combine_chunks(), partitions)
    order = np.argsort(where, kind="stable")
    table, ends = table.take(pa.array(order)).combine_chunks(), np.searchsorted(where[order], np.arange(partitions + 1))
    sink = pa.BufferOutputStream()
    whole = table.to_batches()[0] if table.num_rows else pa.RecordBatch.from_pylist([], schema=table.schema)
    with pa.ipc.new_file(sink, table.schema) as file:
        for first, end in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
            file.write_batch(whole.slice(first, end - first))
    return memoryview(sink.getvalue())


def rows_of(partition: int, folder: Path) -> Any | None:
    """Return the rows of a partition that were routed to a folder; None if there are none."""
    found = []
    for chunk in sorted(folder.glob("chunk-*.arrow")):
        with pa.memory_map(str(chunk)) as mapped:
            batch = pa.ipc.open_file(mapped).get_batch(partition)
            if batch.num_rows:
                found.append(pa.Table.from_batches([batch]).take(pa.array(np.arange(batch.num_rows))))  # a copy
    return pa.concat_tables(found).combine_chunks() if found else None
