"""The decisions of several people, as arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rogue_bandits.types import Floats, Ints


class Decisions(NamedTuple):
    """One decision of each of several people, as arrays: who, its number, the arm played and its probability.

    `probabilities` [n, arms] has that of every arm; nan where it is not known. `token` tells the decisions of one
    person from those of another, as that of a `Decision`; decisions written by hand may leave it out, or have 0 there.
    """

    person: Ints
    number: Ints
    arm: Ints
    probability: Floats
    probabilities: Floats = np.empty((0, 0))
    token: Ints = np.empty(0, dtype=np.int64)

    def at(self, rows: ArrayLike | slice) -> Decisions:
        """Return some of them, by row, by a slice of rows or by a mask; there may be none."""
        n = len(self.person)
        chosen = np.atleast_1d(np.arange(n)[rows] if isinstance(rows, slice) else rows)
        if not chosen.size and chosen.dtype != np.bool_:
            chosen = chosen.astype(np.int64)  # numpy makes floats of an empty list
        if not _are_rows(chosen, n):
            raise IndexError(f"rows {rows!r} must be numbers from 0 to {n - 1}, or a mask of {n}, of these decisions")
        every = self.probabilities[chosen] if self.probabilities.size else self.probabilities
        token = self.token[chosen] if self.token.size else self.token
        return Decisions(
            self.person[chosen], self.number[chosen], self.arm[chosen], self.probability[chosen], every, token
        )


def _are_rows(rows: NDArray[Any], n: int) -> bool:
    """Return whether these are rows of n decisions, or a mask of them."""
    if rows.dtype == np.bool_:
        return rows.shape == (n,)
    whole = rows.ndim == 1 and np.issubdtype(rows.dtype, np.integer)
    return whole and (not rows.size or bool(-n <= rows.min() <= rows.max() < n))
