"""The value of a first sending by dynamic programming: two arms whose loads are known, on a grid, to the end."""

from __future__ import annotations

import numpy as np

from tests.oracles.dynamics import Floats


class Loaded:
    """An arm with mean level + slope · load, load' = keeps · load + sent."""

    def __init__(self, level: float, slope: float, load: float, keeps: float) -> None:
        self.level, self.slope, self.load, self.keeps = level, slope, load, keeps


def first_values(a: Loaded, b: Loaded, horizon: int, points: int = 121) -> Floats:
    """The total of the best plan of `horizon` decisions, undiscounted, if a or b is sent first."""
    grids = [np.linspace(0.0, reach(arm, horizon), points) for arm in (a, b)]
    mean_a, mean_b = (arm.level + arm.slope * grid for arm, grid in zip((a, b), grids, strict=True))
    value = np.zeros((points, points))
    for _ in range(horizon - 1):
        send_a = mean_a[:, None] + moved(value, grids, a, b, (1.0, 0.0))
        send_b = mean_b[None, :] + moved(value, grids, a, b, (0.0, 1.0))
        value = np.maximum(send_a, send_b)
    here = [np.array([a.load]), np.array([b.load])]
    first = [
        arm.level + arm.slope * arm.load + float(moved(value, grids, a, b, sent, here)[0, 0])
        for arm, sent in ((a, (1.0, 0.0)), (b, (0.0, 1.0)))
    ]
    return np.array(first)


def reach(arm: Loaded, horizon: int) -> float:
    """A load that is not exceeded."""
    forever = 1.0 / (1.0 - arm.keeps) if arm.keeps < 1.0 else np.inf
    return float(min(forever, horizon)) + arm.load


def moved(
    value: Floats, grids: list[Floats], a: Loaded, b: Loaded, sent: tuple[float, float], at: list[Floats] | None = None
) -> Floats:
    """The values one decision later, interpolated along either load."""
    loads = at or grids
    next_a, next_b = a.keeps * loads[0] + sent[0], b.keeps * loads[1] + sent[1]
    half = np.array([np.interp(next_b, grids[1], row) for row in value])
    return np.array([np.interp(next_a, grids[0], column) for column in half.T]).T
