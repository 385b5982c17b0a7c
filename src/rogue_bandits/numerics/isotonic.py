"""Isotonic regression: the monotone sequence that is nearest to a given one, by pooling adjacent violators."""

from __future__ import annotations

import numpy as np

from rogue_bandits.compile.laws import routine
from rogue_bandits.types import Floats


@routine
def make_monotone(values: Floats, weights: Floats, rising: bool) -> None:
    """Replace values by the sequence y that rises (or falls) and has the least Σ weights·(values − y)².

    Neighbours in the wrong order are replaced by their weighted mean, until there are none.

    >>> values = np.array([1.0, 3.0, 2.0, 4.0])
    >>> make_monotone(values, np.array([1.0, 1.0, 3.0, 1.0]), True)
    >>> values.tolist()
    [1.0, 2.25, 2.25, 4.0]
    """
    n, blocks = values.size, 0
    level, mass, size = np.empty(n), np.empty(n), np.empty(n, dtype=np.int64)
    for s in range(n):
        i = s if rising else n - 1 - s
        level[blocks], mass[blocks], size[blocks] = values[i], weights[i], 1
        blocks += 1
        while blocks > 1 and level[blocks - 2] > level[blocks - 1]:
            a, b = blocks - 2, blocks - 1
            level[a] = (mass[a] * level[a] + mass[b] * level[b]) / (mass[a] + mass[b])
            mass[a] += mass[b]
            size[a] += size[b]
            blocks -= 1
    s = 0
    for b in range(blocks):
        for _ in range(size[b]):
            values[s if rising else n - 1 - s] = level[b]
            s += 1
