"""Arrays as columns and back, bit for bit."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rogue_bandits.online.personal import mapped
from rogue_bandits.partitions.columns import from_parquet, to_parquet
from tests.partitions.nights import bits


class Inner(NamedTuple):
    numbers: Any
    words: Any


class Outer(NamedTuple):
    inner: Inner
    flags: Any
    alone: Any


FLOATS = st.sampled_from([0.0, -0.0, 1.0, np.nan, np.inf, 5e-324, 0.1])


@settings(deadline=None, max_examples=30)
@given(st.data(), st.integers(1, 5))
def test_arrays_come_back_bit_for_bit(data: st.DataObject, people: int) -> None:
    floats = data.draw(hnp.arrays(np.float64, (people, 2, 3, 2), elements=FLOATS))
    words = data.draw(hnp.arrays(np.uint64, (people, 4), elements=st.integers(0, 2**64 - 1)))
    flags = data.draw(hnp.arrays(np.bool_, (people, 3)))
    held = Outer(Inner(floats, words), flags, np.arange(people))
    like = mapped(lambda array: array[:1], held)
    ids = pa.array([f"p{k}" for k in range(people)])
    found_ids, found = from_parquet(to_parquet(ids, {"a": held}, {"a": held}, "m"), {"a": like}, ["old", "m"])
    assert found_ids.equals(ids)
    for one, other in zip(_arrays(held), _arrays(found["a"]), strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        assert np.array_equal(bits(one), bits(other))
        assert other.flags.writeable


def _arrays(held: Outer) -> list[Any]:
    return [held.inner.numbers, held.inner.words, held.flags, held.alone]


def test_unused_room_takes_no_column_and_files_are_plain_parquet() -> None:
    held = Outer(
        Inner(np.zeros((3, 2, 9)), np.eye(3, 8, dtype=np.uint64)), np.ones((3, 1), dtype=np.bool_), np.arange(3)
    )
    content = to_parquet(pa.array([1, 2, 3]), {"a": held}, {"a": held}, "m")
    table = pq.read_table(pa.BufferReader(content))
    assert table.column_names == ["person", "a.inner.words", "a.flags", "a.alone"]
    assert table.column("a.inner.words").to_pylist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_files_of_others_are_refused() -> None:
    held = Outer(
        Inner(np.ones((1, 2)), np.ones((1, 2), dtype=np.uint64)), np.ones((1, 1), dtype=np.bool_), np.arange(1)
    )
    content = to_parquet(pa.array([1]), {"a": held}, {"a": held}, "m")
    with pytest.raises(ValueError, match="other arms or of another policy"):
        from_parquet(content, {"a": held}, ["n"])
    other = held._replace(alone=np.ones(1))
    with pytest.raises(ValueError, match=r"column 'a\.alone' has 1 numbers of type int64"):
        from_parquet(content, {"a": other}, ["m"])
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"x": [1]}), sink)
    with pytest.raises(ValueError, match="not a partition of people"):
        from_parquet(memoryview(sink.getvalue()), {"a": held}, ["m"])
