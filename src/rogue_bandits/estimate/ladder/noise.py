"""The noise of people by least squares, before a model is fitted: what is left after all that may explain rewards.

The spread of a person's rewards is no measure of it, as wear-out spreads them too.
"""

from __future__ import annotations

import numpy as np

from rogue_bandits.estimate.ladder.panel import Panel, deviations
from rogue_bandits.types import Bools, Floats, Ints

LOADS = 5  # half-lives whose loads explain rewards
SHARED_ROWS, OWN_ROWS = 10, 2  # rewards for each column of a regression, of all people and of one
TINY = 1e-18  # sum of squares of rewards that do not vary, but for rounding


def noises_of(y: Floats, person: Ints, explains: Floats, relative: bool = False) -> Floats:
    """Return the residual standard deviation of each person whose y vary; `explains` is [rows, columns].

    Effects that people share are taken out first, so that people with few rewards have them taken out too, then those
    of their own. If `relative`, y are logarithms, and what is returned is relative to their exponentials.

    >>> x = np.arange(8.0)
    >>> noises_of(3.0 - x + 0.5 * (-1.0) ** x, np.zeros(8, dtype=np.int64), x[:, None]).round(2).tolist()
    [0.56]
    """
    sizes = np.bincount(person)
    varies = np.bincount(person, weights=deviations(y, person) ** 2) > TINY
    if not varies.any():
        return np.zeros(0)
    rows = varies[person]
    y, x, person = deviations(y[rows], person[rows]), deviations(explains[rows].T, person[rows]).T, person[rows]
    y, _ = residuals(y, x[:, : (y.size - int(varies.sum())) // SHARED_ROWS])
    found = []
    for mine, n in zip(np.split(np.arange(y.size), np.cumsum(sizes[varies])[:-1]), sizes[varies], strict=True):
        left, rank = residuals(y[mine], x[mine, : n // OWN_ROWS - 1])
        if relative:
            left = np.exp(left) / np.exp(left).mean() - 1.0
        found.append(np.sqrt((left**2).sum() / (n - 1 - rank)))
    return np.array(found)


def residuals(y: Floats, x: Floats) -> tuple[Floats, int]:
    """Return what a least-squares regression leaves of y, and how many columns were of use."""
    if not x.size:
        return y, 0
    slope, _, rank, _ = np.linalg.lstsq(x, y, rcond=None)
    return y - x @ slope, int(rank)


def explaining(panel: Panel, rows: Bools) -> Floats:
    """Return what may explain rewards, [rows, columns]: loads and time, the most useful first, and covariates."""
    grid = panel.half_lives.size
    places = np.unique(np.rint(np.linspace(0, grid - 1, LOADS)).astype(np.int64))
    middle_first = sorted(places.tolist(), key=lambda place: abs(place - grid // 2))
    columns = [panel.loads[middle_first[0]], panel.sendings, panel.time, *panel.loads[middle_first[1:]]]
    return np.column_stack([*columns, *panel.covariates.T])[rows]
