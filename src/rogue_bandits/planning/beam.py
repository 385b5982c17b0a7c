"""Beam search for a plan: partial plans are ranked by their reward to date plus relaxed values of their states."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.compile.laws import inlined, kernel
from rogue_bandits.model.dynamics.clipped_affine import mean_now, move
from rogue_bandits.planning.cells import Cells, value_at
from rogue_bandits.planning.plan import Plan, followed
from rogue_bandits.planning.relaxed import Relaxed
from rogue_bandits.types import Arm, Floats, Ints

NEIGHBOURS = 4  # partial plans of similar rank among which equal states are looked for


def beam_plan(arms: Arm, theta: Floats, x: Floats, cells: Cells, found: Relaxed, beam: int) -> Plan:
    """Return the best plan from states x that a beam of this width finds."""
    horizon = found.multiplier.size
    arm, steps = np.empty(horizon, dtype=np.int16), np.empty((horizon, beam), dtype=np.int32)
    search(arms, theta, x, cells, found.value, steps, arm)
    return followed(arms, theta, x, arm)


@kernel
def search(
    arms: Arm, theta: Floats, x0: Floats, cells: Cells, value: Floats, steps: NDArray[np.int32], arm: NDArray[np.int16]
) -> None:
    """Fill `arm`; steps[t, b] = (place in the beam before) · arms + (arm played)."""
    horizon, beam = steps.shape
    k_all = x0.size
    x, total = np.empty((beam, k_all)), np.zeros(beam)
    new, earned, rank = np.empty((beam * k_all, k_all)), np.empty(beam * k_all), np.empty(beam * k_all)
    x[0], kept = x0, 1
    for t in range(horizon):
        for b in range(kept):
            for k in range(k_all):
                c = b * k_all + k
                earned[c] = total[b] + mean_now(arms, theta, x[b], k)
                new[c] = x[b]
                move(arms, new[c], k)
                to_come = 0.0
                for j in range(k_all):
                    to_come += value_at(cells, j, value[j, t + 1], new[c, j])
                rank[c] = earned[c] + to_come
        kept = keep_best(np.argsort(-rank[: kept * k_all]), new, earned, x, total, steps[t])
    b = int(np.argmax(total[:kept]))
    for t in range(horizon - 1, -1, -1):
        arm[t] = steps[t, b] % k_all
        b = int(steps[t, b]) // k_all


@inlined
def keep_best(order: Ints, new: Floats, earned: Floats, x: Floats, total: Floats, step: NDArray[np.int32]) -> int:
    """Fill the beam with the partial plans ranked highest, one for equal states; return their number."""
    kept = 0
    for c in order:
        seen = False
        for b in range(max(0, kept - NEIGHBOURS), kept):
            seen = seen or np.array_equal(x[b], new[c])
        if not seen:
            x[kept], total[kept], step[kept] = new[c], earned[c], c
            kept += 1
        if kept == step.size:
            break
    return kept
