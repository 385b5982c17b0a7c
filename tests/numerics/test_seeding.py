"""Streams of many people are those of numpy's SeedSequence, one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rogue_bandits.numerics.pcg64 import stream_of
from rogue_bandits.numerics.seeding import MOST_PEOPLE, streams_of

ENTROPY = st.one_of(st.integers(0, 2**200), st.lists(st.integers(0, 2**70), min_size=1, max_size=7).map(tuple))


@given(ENTROPY, st.integers(0, MOST_PEOPLE - 3))
def test_streams_are_those_of_numpy(entropy: int | tuple[int, ...], first: int) -> None:
    people = range(first, first + 3)
    one_by_one = [stream_of(np.random.SeedSequence(entropy, spawn_key=(person,))) for person in people]
    assert np.array_equal(streams_of(entropy, people), np.array(one_by_one))


def test_a_number_of_two_words_is_refused() -> None:
    with pytest.raises(ValueError, match="must be a number below 4294967296"):
        streams_of(1, range(MOST_PEOPLE, MOST_PEOPLE + 1))
