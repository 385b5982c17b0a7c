"""The decisions of several people, as arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

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

    def at(self, rows: ArrayLike) -> Decisions:
        """Return some of them, by row or by a mask."""
        rows = np.atleast_1d(rows)
        n = len(self.person)
        mask = rows.dtype == np.bool_
        if rows.shape != (n,) if mask else rows.size and not -n <= rows.min() <= rows.max() < n:
            raise IndexError(f"rows {rows} must be numbers from 0 to {n - 1}, or a mask of {n}, of these decisions")
        every = self.probabilities[rows] if self.probabilities.size else self.probabilities
        token = self.token[rows] if self.token.size else self.token
        return Decisions(self.person[rows], self.number[rows], self.arm[rows], self.probability[rows], every, token)
