"""Runs: hypotheses of a bank that pooling weighs together, and the hypothesis at a quantile.

Hypotheses with recovery are ordered by the pair of cells of their fresh level and loss. Those of a pair are a run, in
which pooling over arms (`pooling.py`) changes no relative weight: at a decision runs are weighed, of which there are
fewer. Each other kind is one run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.unknown import KINDS, RECOVERY
from rogue_bandits.types import Floats, Ints

FRESH, LOSS = 0, 1  # coordinates of the unit cube
CELLS = 32  # of the unit interval


@inlined
def cell_of(u: float) -> int:
    """Return the cell of a coordinate."""
    return min(int(u * CELLS), CELLS - 1)


@routine
def order_by_cell(cube: Any) -> Ints:
    """Return an order of points [CUBE, points] in which those of a pair of cells follow each other."""
    size, before = cube.shape[1], np.zeros(CELLS * CELLS + 1, np.int64)
    order = np.empty(size, np.int64)
    for i in range(size):
        before[pair_of(cube, i) + 1] += 1
    for pair in range(CELLS * CELLS):
        before[pair + 1] += before[pair]
    for i in range(size):
        pair = pair_of(cube, i)
        order[before[pair]] = i
        before[pair] += 1
    return order


@inlined
def pair_of(cube: Any, i: int) -> int:
    """Return the number of the pair of cells of point i."""
    return cell_of(cube[FRESH, i]) * CELLS + cell_of(cube[LOSS, i])


@inlined
def is_bound(starts: Ints, i: int) -> bool:
    """Return whether a kind of hypotheses begins or ends at i."""
    for kind in range(KINDS + 1):
        if i == starts[kind]:
            return True
    return False


@routine
def fill_runs(starts: Ints, cube: Any, out: Any) -> None:
    """Write where runs of hypotheses end: a run is a kind, or, with recovery, a pair of cells."""
    run, size = 0, starts[KINDS]
    for i in range(size):
        if is_bound(starts, i + 1) or (i >= starts[RECOVERY] and pair_of(cube, i) != pair_of(cube, i + 1)):
            out[run] = i + 1
            run += 1
    out[run:] = size


def most_runs(starts: Ints) -> int:
    """Return the largest number of runs that a bank may have."""
    return int(min(starts[-1], CELLS * CELLS + RECOVERY))


@inlined
def mass_of(cdf: Floats, begin: int, end: int, start_of_kind: int) -> float:
    """Return the weight of a run among the hypotheses of its kind."""
    return cdf[end - 1] - (cdf[begin - 1] if begin > start_of_kind else 0.0)


@inlined
def first_recovering(starts: Ints, runs: Any) -> int:
    """Return the number of the first run with recovery."""
    run = 0
    while starts[RECOVERY] < starts[KINDS] and runs[run] <= starts[RECOVERY]:
        run += 1
    return run


@inlined
def hypothesis_at_quantile(cdf: Floats, u: float) -> int:
    """Return the hypothesis at the quantile u; one of no weight is never returned."""
    return first_above(cdf, 0, cdf.size - 1, u * cdf[cdf.size - 1])


@inlined
def first_above(cdf: Floats, begin: int, last: int, at: float) -> int:
    """Return the first place from `begin` to `last` at which a distribution function is above a number."""
    low, high = begin, last
    while low < high:
        middle = (low + high) // 2
        if cdf[middle] <= at:
            low = middle + 1
        else:
            high = middle
    while low > begin and cdf[low] == cdf[low - 1]:  # the number was rounded to the end
        low -= 1
    return low


@routine
def hypothesis_in_runs(b: Any, person: int, k: int, of_runs: Floats, u: float) -> int:
    """Return the same where the distribution function of the runs is known: weights in a run are as without pooling."""
    runs, cdf, starts = b.personal.run[person, k], b.personal.cdf[person, k], b.shared.starts
    run = hypothesis_at_quantile(of_runs, u)
    begin, end, below = (runs[run - 1], runs[run], of_runs[run - 1]) if run > 0 else (0, runs[0], 0.0)
    before = 0.0
    if not is_bound(starts, begin):
        before = cdf[begin - 1]
    share = (u * of_runs[of_runs.size - 1] - below) / (of_runs[run] - below)
    return first_above(cdf, begin, end - 1, before + share * (cdf[end - 1] - before))
