"""The recursion x_{t+1} = clip(decay x_t + pull played_t + drift, lo, hi), walked step by step."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
# What is known of a history: nothing but numbers, one for each decision.
History = Sequence[float] | Sequence[int] | NDArray[Any]
STEP = 1e-9  # of the range of x0: kinks nearer than this cannot be told from x0


class Walk(NamedTuple):
    """Many trajectories: states [start, decision], and at each step whether the clip bit below (−1) or above (1)."""

    states: Floats
    bites: NDArray[np.int8]


def walk(decay: float, pull: float, drift: float, lo: float, hi: float, x0: ArrayLike, played: History) -> Walk:
    """The states at decisions 0, 1, …, len(played) from each x0: one more than there are plays."""
    x, plays = (np.atleast_1d(np.asarray(numbers, dtype=np.float64)) for numbers in (x0, played))
    return walked(decay, pull, drift, lo, hi, x.tobytes(), plays.tobytes())


@lru_cache(maxsize=8)  # sums over a history go along the same states several times
def walked(decay: float, pull: float, drift: float, lo: float, hi: float, x0: bytes, played: bytes) -> Walk:
    """The same, of numbers as bytes."""
    x, plays = np.frombuffer(x0), np.frombuffer(played)
    states = np.empty((len(plays) + 1, len(x)))
    bites = np.zeros((len(plays), len(x)), dtype=np.int8)
    states[0] = x
    for t, played_t in enumerate(plays.tolist()):
        free = decay * states[t] + pull * played_t + drift
        bites[t] = (free > hi).astype(np.int8) - (free < lo)
        states[t + 1] = np.minimum(np.maximum(free, lo), hi)
    for array in (states, bites):
        array.setflags(write=False)
    return Walk(states.T, bites.T)


def states(decay: float, pull: float, drift: float, lo: float, hi: float, x0: ArrayLike, played: History) -> Floats:
    """The states at decisions 0, …, len(played); for a scalar x0 a vector, else one row for each x0."""
    rows = walk(decay, pull, drift, lo, hi, x0, played).states
    return rows[0] if np.ndim(x0) == 0 else rows


def slopes(decay: float, pull: float, drift: float, lo: float, hi: float, x0: float, played: History) -> Floats:
    """d x_t / d x0 by differences from inside the box of x0, in exact arithmetic.

    Between its bounds x0 can move both ways; at a kink one way is flat, and the flatter one counts.
    """
    least, most = Fraction(lo), Fraction(hi)
    ends = [Fraction(x0) + way * Fraction(STEP) * (most - least) for way in (-1, 1)]
    here = exact_states(decay, pull, drift, lo, hi, x0, played)
    flattest = np.full(len(here), np.inf)
    for end in ends:
        if least <= end <= most and least < most:
            there = exact_states(decay, pull, drift, lo, hi, end, played)
            slope = np.array([float((b - a) / (end - Fraction(x0))) for a, b in zip(here, there, strict=True)])
            flattest = np.where(abs(slope) < abs(flattest), slope, flattest)
    return np.where(np.isinf(flattest), 0.0, flattest)


def exact_states(
    decay: float, pull: float, drift: float, lo: float, hi: float, x0: Fraction | float, played: History
) -> list[Fraction]:
    """The states at decisions 0, …, len(played), without rounding."""
    a, b, k, least, most = (Fraction(number) for number in (decay, pull, drift, lo, hi))
    x = [Fraction(x0)]
    for played_t in played:
        x.append(min(max(a * x[-1] + b * Fraction(float(played_t)) + k, least), most))
    return x
