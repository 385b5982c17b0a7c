"""numpy's PCG64 for kernels: the state of a random stream is four words of an array, one row for each person.

M. O'Neill (2014), PCG: a family of simple fast space-efficient statistically good algorithms for random number
generation; the XSL-RR variant of 128 bits. The doubles are those of `numpy.random.Generator.random`, bit for bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.compile.laws import inlined

Words = NDArray[np.uint64]

LOW = 0xFFFFFFFFFFFFFFFF
# 47026247687942121848144207491837523525, in two words.
FACTOR_HI, FACTOR_LO = np.uint64(2549297995355413924), np.uint64(4865540595714422341)
HALF, MASK = np.uint64(32), np.uint64(0xFFFFFFFF)
SHIFT, BITS, TURN, ONE = np.uint64(58), np.uint64(11), np.uint64(63), np.uint64(1)
STATE_HI, STATE_LO, STEP_HI, STEP_LO = 0, 1, 2, 3


def stream_of(seed: np.random.SeedSequence) -> Words:
    """Return the four numbers of a fresh stream.

    >>> stream = stream_of(np.random.SeedSequence(7))
    >>> with np.errstate(over="ignore"):  # interpreted, numpy warns of words that overflow, as they should
    ...     u = next_double(stream)
    >>> u == np.random.Generator(np.random.PCG64(np.random.SeedSequence(7))).random()
    True
    """
    return stream_from(np.random.PCG64(seed).state)


def stream_from(state: Any) -> Words:
    """Return the four numbers of the state of a numpy `PCG64`."""
    x, step = state["state"]["state"], state["state"]["inc"]
    return np.array([x >> 64, x & LOW, step >> 64, step & LOW], dtype=np.uint64)


@inlined
def high_word(a: np.uint64, b: np.uint64) -> np.uint64:
    """Return the upper 64 bits of the product of two words."""
    a1, a0, b1, b0 = a >> HALF, a & MASK, b >> HALF, b & MASK
    low, mid, mid2 = a0 * b0, a1 * b0, a0 * b1
    carry = (low >> HALF) + (mid & MASK) + (mid2 & MASK)
    return a1 * b1 + (mid >> HALF) + (mid2 >> HALF) + (carry >> HALF)


@inlined
def next_double(s: Any) -> float:
    """Advance a stream, and return a number in [0, 1)."""
    hi, lo = s[STATE_HI], s[STATE_LO]
    new_lo = lo * FACTOR_LO + s[STEP_LO]
    carry = ONE if new_lo < s[STEP_LO] else np.uint64(0)
    new_hi = high_word(lo, FACTOR_LO) + hi * FACTOR_LO + lo * FACTOR_HI + s[STEP_HI] + carry
    s[STATE_HI], s[STATE_LO] = new_hi, new_lo
    word, turn = new_hi ^ new_lo, new_hi >> SHIFT
    word = (word >> turn) | (word << ((np.uint64(64) - turn) & TURN))
    return float(word >> BITS) * 1.1102230246251565e-16


@inlined
def stir(s: Any, value: float) -> None:
    """Let a number change all that a stream returns from now on, in place.

    >>> stream, other = stream_of(np.random.SeedSequence(7)), stream_of(np.random.SeedSequence(7))
    >>> stir(stream, 0.25), stir(other, 0.75)
    (None, None)
    >>> with np.errstate(over="ignore"):
    ...     next_double(stream) == next_double(other)
    False
    """
    word = np.array([value]).view(np.uint64)[0]
    s[STATE_HI] ^= word
    s[STATE_LO] ^= (word >> HALF) | (word << HALF)  # digits of short numbers are in the upper half
