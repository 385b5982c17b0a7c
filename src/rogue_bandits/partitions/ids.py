"""Who people are: whole numbers or text; and in which partition each of them is, which follows from it alone."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
import pyarrow as pa

from rogue_bandits.types import Ints


def partition_of(ids: Any, partitions: int) -> Ints:
    """Return the partition of each id.

    >>> partition_of(pa.array([0, 1, 2, 3]), 2).tolist()
    [0, 1, 0, 1]
    >>> partition_of(pa.array(["ann", "bob"]), 3).tolist()
    [0, 2]
    """
    if pa.types.is_integer(ids.type):
        return np.asarray(ids.to_numpy(zero_copy_only=False), dtype=np.int64) % partitions
    return np.array([zlib.crc32(name.encode()) % partitions for name in ids.to_pylist()], dtype=np.int64)


def checked_id(person: Any, ids: str) -> Any:
    """Return an id of the type that a population has."""
    if ids == "int64" and isinstance(person, int | np.integer) and not isinstance(person, bool):
        return int(person)
    if ids == "string" and isinstance(person, str):
        return person
    raise TypeError(f"person {person!r} must be {'a whole number' if ids == 'int64' else 'a text'}, as all ids here")
