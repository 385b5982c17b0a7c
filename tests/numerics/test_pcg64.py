"""Random streams inside kernels are numpy's, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from rogue_bandits.compile.laws import kernel
from rogue_bandits.numerics.pcg64 import Words, next_double, stream_from, stream_of
from rogue_bandits.types import Floats


@kernel
def fill(stream: Words, out: Floats) -> None:
    for i in range(out.size):
        out[i] = next_double(stream)


@pytest.mark.parametrize("seed", [0, 1, 2**63, 12345678901234567890123])
@pytest.mark.parametrize("key", [(), (0,), (7, 2**31)])
def test_a_stream_is_that_of_numpy(seed: int, key: tuple[int, ...]) -> None:
    sequence = np.random.SeedSequence(seed, spawn_key=key)
    generator, stream, out = np.random.Generator(np.random.PCG64(sequence)), stream_of(sequence), np.empty(5000)
    fill(stream, out)
    assert out.tolist() == generator.random(5000).tolist()
    assert stream.tolist() == stream_from(generator.bit_generator.state).tolist(), "and goes on where numpy's does"


def test_interpreted_is_compiled() -> None:
    stream, other, out = stream_of(np.random.SeedSequence(3)), stream_of(np.random.SeedSequence(3)), np.empty(100)
    fill(stream, out)
    with np.errstate(over="ignore"):
        assert [next_double(other) for _ in range(100)] == out.tolist()
