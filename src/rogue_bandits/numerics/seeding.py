"""Random streams of many people at once: those of `numpy.random.SeedSequence(entropy, spawn_key=(person,))`.

One such sequence after the other takes some 30 µs a person, in Python; in arrays it is below 1 µs. The constants are
those of numpy's `bit_generator.pyx`, whose streams are guaranteed not to change.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.numerics.pcg64 import FACTOR_HI, FACTOR_LO, ONE, TURN, Words, high_word

POOL = 4
FIRST_A, FACTOR_A = 0x43B0D7E5, 0x931E8875
FIRST_B, FACTOR_B = 0x8B51F9DD, 0x58F38DED
LEFT, RIGHT = np.uint32(0xCA01F9DD), np.uint32(0x4973F715)
MOST_PEOPLE = 2**32  # a larger number would be two words
WORD, SHIFT = 0xFFFFFFFF, np.uint32(16)

Halves = NDArray[np.uint32]


def streams_of(entropy: Any, people: range | NDArray[np.int64]) -> Words:
    """Return the stream of each person, [people, 4], as `pcg64.stream_of` returns that of one.

    >>> from rogue_bandits.numerics.pcg64 import stream_of
    >>> (streams_of(7, range(2, 5))[1] == stream_of(np.random.SeedSequence(7, spawn_key=(3,)))).all()
    np.True_
    """
    numbers = np.arange(people.start, people.stop, people.step) if isinstance(people, range) else people
    if numbers.size and numbers.max() >= MOST_PEOPLE:
        raise ValueError(f"person {numbers.max()} must be a number below {MOST_PEOPLE}")
    with np.errstate(over="ignore"):
        pool = _pool(_words(entropy), numbers.astype(np.uint32))
        return _pcg64(_state(pool))


def _words(entropy: Any) -> list[int]:
    """Return entropy in words of 32 bits, at least as many as the pool has, as a spawn key comes after these."""
    words: list[int] = []
    for number in entropy if isinstance(entropy, tuple | list) else [int(entropy)]:
        rest = int(number)
        words.append(rest & WORD)
        while rest := rest >> 32:
            words.append(rest & WORD)
    return words + [0] * (POOL - len(words))


class _Hash:
    """The hash of `SeedSequence`, whose constant changes at each call."""

    def __init__(self, first: int, factor: int) -> None:
        self._constant, self._factor = first, factor

    def __call__(self, value: Halves) -> Halves:
        value = value ^ np.uint32(self._constant)
        self._constant = self._constant * self._factor & WORD
        value = value * np.uint32(self._constant)
        return value ^ (value >> SHIFT)


def _mix(x: Halves, y: Halves) -> Halves:
    mixed: Halves = LEFT * x - RIGHT * y
    return mixed ^ (mixed >> SHIFT)


def _pool(words: list[int], last: Halves) -> list[Halves]:
    """Return the pool after mixing in words that all share, and a last one that differs."""
    given = [np.array([word], dtype=np.uint32) for word in words]
    hashed = _Hash(FIRST_A, FACTOR_A)
    pool = [hashed(word) for word in given[:POOL]]
    for source in range(POOL):
        for k in range(POOL):
            if k != source:
                pool[k] = _mix(pool[k], hashed(pool[source]))
    for word in (*given[POOL:], last):
        pool = [_mix(part, hashed(word)) for part in pool]
    return pool


def _state(pool: list[Halves]) -> list[Words]:
    """Return four words of 64 bits."""
    hashed = _Hash(FIRST_B, FACTOR_B)
    halves = [hashed(pool[i % POOL]).astype(np.uint64) for i in range(2 * POOL)]
    return [low | (high << np.uint64(32)) for low, high in zip(halves[::2], halves[1::2], strict=True)]


def _pcg64(words: list[Words]) -> Words:
    """Return the state and the increment of a PCG64 that is seeded with four words."""
    hi, lo, step_hi, step_lo = words
    step_hi, step_lo = (step_hi << ONE) | (step_lo >> TURN), (step_lo << ONE) | ONE
    hi, lo = _sum(hi, lo, step_hi, step_lo)
    carried: Any = high_word  # written for one word, and right for arrays of them
    hi, lo = carried(lo, FACTOR_LO) + hi * FACTOR_LO + lo * FACTOR_HI, lo * FACTOR_LO
    return np.stack([*_sum(hi, lo, step_hi, step_lo), step_hi, step_lo], axis=1)


def _sum(hi: Words, lo: Words, other_hi: Words, other_lo: Words) -> tuple[Words, Words]:
    low = lo + other_lo
    return hi + other_hi + (low < lo).astype(np.uint64), low
