"""An approximate Whittle index of any dynamics in less than a microsecond: for dynamics drawn anew at every decision.

Path A plays at state x, path B rests; both then play if and only if the state is at least x. With rewards r, plays n,

    W(x) = (mean(x) + Σ_t w_t (r_A − r_B)) / (1 + Σ_t w_t (n_A − n_B)),   t = 1 … H − 1,

where w_t = (1 − s)²(1 + 2s), s = t/H, tapers the sums. For arms that recover at rest and wear when played. Where plays
take the state to its lower bound, playing always may be better than any threshold, and W is too small there:
`whittle.py` has the exact index, by tables that take milliseconds.

Plays are at states from x to one rest above it, or to the worn-out level if that is higher. Between these the mean is a
polynomial through `NODES` of its values, so that a step of a path is arithmetic alone, and several pairs of paths
advance in one vector instruction. Rows of WIDTH numbers, one for each pair, lie one after another in a flat array: at
such known distances the compiler sees that rows do not overlap.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine, clip
from rogue_bandits.types import Floats, mean, next_state

SHORTEST = 200.0  # with a taper over 100 decisions or fewer the denominator nearly vanishes
LONGEST = 1_000.0
MEMORY = 10.0  # time constants of the decay, for the taper
MET = 1e-9  # of the range of the state: paths this near have met; a larger tolerance would miss that one of them plays
ROUNDING = 1e-12  # of the range of the state: states this near to the threshold have reached it
NARROW = 1e-12  # of the range of the state: a mean is constant over less

WIDTH = 64  # pairs of paths that advance together
VECTOR = 8  # numbers of a vector instruction, or a multiple of that
STRIDE = 8  # steps between two checks of which paths have met
NODES = 5
A, B, REWARD, PLAYS, RATE, LEAST, MIDDLE, SCALE, DECAY, PULL, DRIFT, LO, HI, TARGET, C0, C1, C2, C3, C4 = range(
    0, 19 * WIDTH, WIDTH
)
ROOM = 19 * WIDTH
_EXTREMES = np.cos(np.pi * np.arange(NODES) / (NODES - 1))
NODE = tuple(_EXTREMES.tolist())
TO_COEFFICIENTS = tuple(map(tuple, np.linalg.inv(np.vander(_EXTREMES, increasing=True)).tolist()))


@inlined
def new_paths() -> Floats:
    """Return room for `WIDTH` pairs of paths."""
    return np.zeros(ROOM)


@routine
def add_paths(f: Any, d: ClippedAffine, theta: float, x: float, target: int, paths: Floats, j: int) -> None:
    """Set pair j to the start of the paths from state x; its index will be number `target` of the result."""
    horizon = LONGEST if d.decay >= 1.0 else min(max(SHORTEST, MEMORY / (1.0 - d.decay)), LONGEST)
    a, b, span = next_state(d, x, 1.0), next_state(d, x, 0.0), d.hi - d.lo
    highest = max(x, b)
    if d.decay < 1.0:
        highest = max(highest, clip((d.pull + d.drift) / (1.0 - d.decay), d.lo, d.hi))
    half = 0.5 * (highest - x)
    fill_mean(f, theta, x + half, half, paths, j)
    paths[A + j], paths[B + j], paths[REWARD + j], paths[PLAYS + j] = a, b, mean(f, theta, x), 1.0
    paths[RATE + j], paths[LEAST + j] = 1.0 / horizon, x - ROUNDING * span
    paths[MIDDLE + j], paths[SCALE + j] = x + half, 1.0 / half if half > NARROW * span else 0.0
    paths[DECAY + j], paths[PULL + j], paths[DRIFT + j] = d.decay, d.pull, d.drift
    paths[LO + j], paths[HI + j], paths[TARGET + j] = d.lo, d.hi, float(target)


@routine
def fill_mean(f: Any, theta: float, middle: float, half: float, paths: Floats, j: int) -> None:
    """Write the coefficients of the polynomial of the mean in (state − middle)/half."""
    for m in range(NODES):
        paths[C0 + m * WIDTH + j] = 0.0
    for n in range(NODES):
        value = mean(f, theta, middle + half * NODE[n])
        for m in range(NODES):
            paths[C0 + m * WIDTH + j] += TO_COEFFICIENTS[m][n] * value


@routine
def fill_path_indices(paths: Floats, pairs: int, out: Floats) -> None:
    """Write the index of each of the first `pairs` pairs of paths, at most `WIDTH`."""
    t = 1.0
    while pairs > 0:
        pairs = drop_finished(paths, pairs, t, out)
        advance_paths(paths, (pairs + VECTOR - 1) // VECTOR * VECTOR, t)
        t += STRIDE


@routine
def drop_finished(paths: Floats, pairs: int, t: float, out: Floats) -> int:
    """Write the index of pairs that have met or reached their horizon; return how many are left, without gaps."""
    j = 0
    while j < pairs:
        near = MET * (paths[HI + j] - paths[LO + j])
        if abs(paths[A + j] - paths[B + j]) > near and t * paths[RATE + j] < 1.0:
            j += 1
            continue
        out[int(paths[TARGET + j])] = paths[REWARD + j] / paths[PLAYS + j]
        pairs -= 1
        for row in range(0, ROOM, WIDTH):
            paths[row + j] = paths[row + pairs]
    return pairs


@routine
def advance_paths(paths: Floats, pairs: int, t: float) -> None:
    """Advance by `STRIDE` steps. No branches and no choice between two loads: either would keep it from vectors."""
    for _ in range(STRIDE):
        for j in range(pairs):
            a, b, least = paths[A + j], paths[B + j], paths[LEAST + j]
            s = min(t * paths[RATE + j], 1.0)
            weight = (1.0 - s) * (1.0 - s) * (1.0 + 2.0 * s)
            a_plays, b_plays = 1.0 if a >= least else 0.0, 1.0 if b >= least else 0.0
            y, z = (a - paths[MIDDLE + j]) * paths[SCALE + j], (b - paths[MIDDLE + j]) * paths[SCALE + j]
            c0, c1, c2, c3, c4 = paths[C0 + j], paths[C1 + j], paths[C2 + j], paths[C3 + j], paths[C4 + j]
            mean_a = (((c4 * y + c3) * y + c2) * y + c1) * y + c0
            mean_b = (((c4 * z + c3) * z + c2) * z + c1) * z + c0
            paths[REWARD + j] += weight * (a_plays * mean_a - b_plays * mean_b)
            paths[PLAYS + j] += weight * (a_plays - b_plays)
            d = ClippedAffine(paths[DECAY + j], paths[PULL + j], paths[DRIFT + j], paths[LO + j], paths[HI + j])
            paths[A + j], paths[B + j] = next_state(d, a, a_plays), next_state(d, b, b_plays)
        t += 1.0
