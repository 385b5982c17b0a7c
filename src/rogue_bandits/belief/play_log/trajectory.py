"""From x0 to the states at which rewards came: of one x0, with or without its slopes, and of a whole box at once."""

from __future__ import annotations

import numpy as np

from rogue_bandits.belief.play_log.evidence import DECISION, SLOPE, STATE, PlayLog, known_now
from rogue_bandits.compile.laws import inlined, overwrite, routine
from rogue_bandits.model.dynamics.clipped_affine import KINK
from rogue_bandits.model.dynamics.enclosure import AffineForm, initialise_form, move_form
from rogue_bandits.model.dynamics.projected import ProjectedDynamics, extent, limits, next_vector, project, tangent
from rogue_bandits.types import Floats

# Columns of the rows of `trajectory_box`, one row for each reward and the last for now: the state in the middle, its
# margin, and (to the end) its slopes by x0.
MIDDLE, MARGIN, BY_X0 = 0, 1, 2


@inlined
def needed(d: ProjectedDynamics, s: PlayLog) -> int:
    """Return the length of the trajectory: to the last reward, or to the present if the present state is not known."""
    if not known_now(d, s.now):
        return s.signals.size
    last = 0
    for i in range(s.early.shape[0]):
        last = max(last, int(s.early[i, DECISION]))
    return last


@routine
def trajectory(d: ProjectedDynamics, s: PlayLog, x0: Floats, seen: Floats) -> None:
    """Write the projected states from x0 to `seen`: at each reward, and last the present one."""
    n, end, i = s.early.shape[0], needed(d, s), 0
    x, after = x0.copy(), np.empty(x0.size)
    for t in range(end + 1):
        while i < n and s.early[i, DECISION] == t:
            seen[i] = project(d, x)
            i += 1
        if t < end:
            next_vector(d.dynamics, x, s.signals[t], after)
            overwrite(x, after)
    for j in range(i, n):
        seen[j] = s.early[j, STATE]
    seen[n] = project(d, s.now[2]) if known_now(d, s.now) else project(d, x)


@routine
def trajectory_slopes(d: ProjectedDynamics, s: PlayLog, x0: Floats) -> None:
    """Write the states from x0 and their slopes by x0 to the columns STATE and SLOPE of `early`.

    A component of x0 at its bound moves inwards: its slopes are one-sided. At other kinks they are 0.
    """
    n, m, i = s.early.shape[0], x0.size, 0
    x, after = x0.copy(), np.empty(m)
    v, inwards = np.zeros((m, m)), np.zeros(m)  # row k: the derivative of the state as component k of x0 moves
    for k in range(m):
        lo, hi = limits(d.dynamics, k)
        inwards[k] = 1.0 if x[k] <= lo + KINK * (hi - lo) else -1.0 if x[k] >= hi - KINK * (hi - lo) else 0.0
        v[k, k] = -1.0 if inwards[k] < 0.0 else 1.0
    for t in range(s.signals.size + 1):
        while i < n and s.early[i, DECISION] == t:
            s.early[i, STATE] = project(d, x)
            for k in range(m):
                s.early[i, SLOPE + k] = -project(d, v[k]) if inwards[k] < 0.0 else project(d, v[k])
            i += 1
        if i == n or s.early[i, DECISION] < 0.0 or t == s.signals.size:
            break
        for k in range(m):
            tangent(d.dynamics, x, v[k], s.signals[t], inwards[k] != 0.0, after)
            overwrite(v[k], after)
        next_vector(d.dynamics, x, s.signals[t], after)
        overwrite(x, after)


@routine
def trajectory_box(d: ProjectedDynamics, s: PlayLog, lo: Floats, hi: Floats, form: AffineForm, rows: Floats) -> None:
    """Write the projected states from all x0 of a box to `rows`: at each reward, and last the present one."""
    n, end, i = s.early.shape[0], needed(d, s), 0
    initialise_form(form, lo, hi)
    for t in range(end + 1):
        while i < n and s.early[i, DECISION] == t:
            note(d, form, rows[i])
            i += 1
        if t < end:
            move_form(d, form, s.signals[t])
    for j in range(i, n):
        rows[j] = 0.0
        rows[j, MIDDLE] = s.early[j, STATE]
    if known_now(d, s.now):
        rows[n] = 0.0
        rows[n, MIDDLE] = project(d, s.now[2])
    else:
        note(d, form, rows[n])


@inlined
def note(d: ProjectedDynamics, form: AffineForm, row: Floats) -> None:
    """Write the projection of a form: linear in x0, unless the interval alone is narrower than the margin."""
    margin = 0.0
    for j in range(form.x.size):
        margin += abs(d.weights[j]) * form.margin[j]
    low, high = extent(d.weights, form.hull.lo, form.hull.hi)
    for k in range(form.x.size):
        by_x0 = 0.0
        for j in range(form.x.size):
            by_x0 += d.weights[j] * form.slope[j, k]
        row[BY_X0 + k] = by_x0
    row[MIDDLE], row[MARGIN] = project(d, form.x), margin
    if 0.5 * (high - low) < margin:
        row[MIDDLE], row[MARGIN] = 0.5 * (low + high), 0.5 * (high - low)
        row[BY_X0:] = 0.0
