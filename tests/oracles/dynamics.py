"""The recursion x_{t+1} = clip(decay x_t + pull played_t + drift, lo, hi), walked step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
# What is known of a history: nothing but numbers, one for each decision.
History = Sequence[float] | Sequence[int] | NDArray[Any]


class Walk(NamedTuple):
    """Many trajectories: states [start, decision], and at each step whether the clip bit below (−1) or above (1)."""

    states: Floats
    bites: NDArray[np.int8]


def walk(decay: float, pull: float, drift: float, lo: float, hi: float, x0: ArrayLike, played: History) -> Walk:
    """The states at decisions 0, 1, …, len(played) from each x0: one more than there are plays."""
    x = np.atleast_1d(np.asarray(x0, dtype=np.float64))
    states = np.empty((len(x), len(played) + 1))
    bites = np.zeros((len(x), len(played)), dtype=np.int8)
    states[:, 0] = x
    for t, played_t in enumerate(played):
        free = decay * states[:, t] + pull * float(played_t) + drift
        bites[:, t] = (free > hi).astype(np.int8) - (free < lo)
        states[:, t + 1] = np.minimum(np.maximum(free, lo), hi)
    return Walk(states, bites)


def states(decay: float, pull: float, drift: float, lo: float, hi: float, x0: ArrayLike, played: History) -> Floats:
    """The states at decisions 0, …, len(played); for a scalar x0 a vector, else one row for each x0."""
    rows = walk(decay, pull, drift, lo, hi, x0, played).states
    return rows[0] if np.ndim(x0) == 0 else rows


def slopes(decay: float, pull: float, drift: float, lo: float, hi: float, x0: float, played: History) -> Floats:
    """d x_t / d x0: decay^t, and 0 where a clip has bitten, also at the kink itself.

    A clip flattens x_t as a function of x0 at its ends only. So x_t still moves with x0 exactly where it lies between
    what x0 = lo and x0 = hi lead to, here by more than 1e-9 of that range.
    """
    x, one, other = states(decay, pull, drift, lo, hi, np.array([x0, lo, hi]), played)
    least, most = np.minimum(one, other), np.maximum(one, other)
    margin = 1e-9 * (most - least)
    moves = (x > least + margin) & (x < most - margin)
    return np.where(moves, decay ** np.arange(len(x), dtype=np.float64), 0.0)
