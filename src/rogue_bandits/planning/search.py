"""The plan that the relaxed values lead to: a beam of the most promising beginnings, decision by decision."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.compile.laws import inlined, kernel, pick, stack
from rogue_bandits.model.dynamics.clipped_affine import move
from rogue_bandits.planning.cells import Cells
from rogue_bandits.planning.plan import Plan, plan_of
from rogue_bandits.planning.relaxed import Relaxed
from rogue_bandits.types import Arm, Floats, Truth, mean

NEIGHBOURS = 4  # beginnings of like promise, among which equal states are looked for


def searched_plan(truth: Truth, cells: Cells, found: Relaxed, beam: int) -> Plan:
    """Of all beginnings keep those with the most reward to date plus Σ_k W_k of the states, to the end."""
    horizon = found.multiplier.size
    arm = np.empty(horizon, dtype=np.int16)
    steps = np.empty((horizon, beam), dtype=np.int32)
    search(stack(list(truth.arms)), np.array(truth.theta), np.array(truth.x0), cells, found.worth, steps, arm)
    return plan_of(truth, arm)


@kernel
def search(
    arms: Arm, theta: Floats, x0: Floats, cells: Cells, worth: Floats, steps: NDArray[np.int32], arm: NDArray[np.int16]
) -> None:
    """Fill `arm`; steps[t, b] = (place in the beam before) · arms + (arm played)."""
    horizon, beam = steps.shape
    k_all = x0.size
    x, total = np.empty((beam, k_all)), np.zeros(beam)
    new, earned, promise = np.empty((beam * k_all, k_all)), np.empty(beam * k_all), np.empty(beam * k_all)
    x[0], kept = x0, 1
    for t in range(horizon):
        for b in range(kept):
            for k in range(k_all):
                c = b * k_all + k
                earned[c] = total[b] + mean(pick(arms, k).rewards, theta[k], x[b, k])
                new[c] = x[b]
                move(arms, new[c], k)
                promise[c] = earned[c] + outlook(cells, worth[t + 1], new[c])
        kept = keep_best(np.argsort(-promise[: kept * k_all]), new, earned, x, total, steps[t])
    b = int(np.argmax(total[:kept]))
    for t in range(horizon - 1, -1, -1):
        arm[t] = steps[t, b] % k_all
        b = int(steps[t, b]) // k_all


@inlined
def outlook(cells: Cells, worth: Floats, x: Floats) -> float:
    """Σ_k W_k(x_k), between the upper edges of cells, at which W is sharpest."""
    total = 0.0
    for k in range(x.size):
        at = (x[k] - cells.lo[k]) / cells.width[k] if cells.width[k] > 0.0 else 0.0
        i = min(int(at), worth.shape[1] - 1)
        total += worth[k, i] + (worth[k, i] - worth[k, max(i - 1, 0)]) * (at - i - 1.0)
    return total


@inlined
def keep_best(
    order: NDArray[np.int64], new: Floats, earned: Floats, x: Floats, total: Floats, step: NDArray[np.int32]
) -> int:
    """Take over the most promising beginnings, of equal states once; their number."""
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
