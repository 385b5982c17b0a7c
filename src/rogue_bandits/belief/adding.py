"""Adding a reward to the evidence on an arm: to its sums, to a pool, or to those that are kept one by one."""

from __future__ import annotations

from rogue_bandits.belief.evidence import LineEvidence, add_settled
from rogue_bandits.belief.nodes import NodeTables
from rogue_bandits.belief.pool import add_to_pool, fits, open_pool, pools_for
from rogue_bandits.belief.pool_laws import is_smooth_between
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.clipped_affine import is_settled, state_on_line
from rogue_bandits.model.protocols import ScalarDynamics
from rogue_bandits.types import Arm, Floats, Line


@inlined
def add_line_reward(nodes: NodeTables, e: LineEvidence, arm: Arm, person: int, k: int, line: Line, r: float) -> bool:
    """Add a reward that came at the state `line`; return whether it is kept, rather than summed up."""
    if is_settled(arm.dynamics, line):
        x = state_on_line(line, arm.dynamics.lo)
        if add_settled(arm.rewards, nodes, e.sums[person, k], e.w[person, k], k, x, r):
            return False
        line = Line(0.0, x, x, x)
    elif pooled(nodes, e, arm, person, k, line, r):
        return True
    row = e.early[person, k, e.early_n[person, k]]
    row[0], row[1], row[2], row[3], row[4] = line.slope, line.offset, line.lo, line.hi, r
    e.early_n[person, k] += 1
    if line.slope != 0.0:
        add_kinks(e, arm.dynamics, person, k, line)
    return True


@routine
def pooled(nodes: NodeTables, e: LineEvidence, arm: Arm, person: int, k: int, line: Line, r: float) -> bool:
    """Add a reward to the pool that it fits into, or open one for it if one is left; False if neither is possible."""
    f, d, pools, n = arm.rewards, arm.dynamics, e.pools[person, k], e.pools_n[person, k]
    allowed, room, segments = pools_for(e.early_n[person, k]), nodes.segments, 0
    if line.hi - line.lo > nodes.pool_spread[k]:
        segments = room
        if line.hi - line.lo > segments * nodes.pool_spread[k]:
            return False
    if allowed == 0 or not is_smooth_between(f, line.lo, line.hi, r):
        return False
    tiny, j = 1e-13 * max(abs(d.lo), abs(d.hi)), 0
    while j < n and not fits(pools[j], line, tiny):
        j += 1
    if j == n:
        if n == min(allowed, pools.shape[0]) or line.slope == 0.0:
            return False
        open_pool(pools[j], line, d.lo, d.hi)
        if not is_shared(e.early[person, k, : e.early_n[person, k]], pools[j], tiny):
            pools[j] = 0.0
            return False
        e.pools_n[person, k] += 1
        add_kinks(e, d, person, k, line)
    add_to_pool(f, pools[j], line, r, nodes.theta[k], nodes.to_w, nodes.c, nodes.to_c, segments)
    return True


@inlined
def is_shared(early: Floats, pool: Floats, tiny: float) -> bool:
    """Return whether a reward kept one by one fits into the pool: of a rotting arm none does."""
    for i in range(early.shape[0]):  # a pool of one reward would be slower than that reward
        if early[i, 0] != 0.0 and fits(pool, Line(early[i, 0], early[i, 1], early[i, 2], early[i, 3]), tiny):
            return True
    return False


@inlined
def add_kinks(e: LineEvidence, d: ScalarDynamics, person: int, k: int, line: Line) -> None:
    """Add the x0 at which the clip of a line becomes active."""
    # The flatter the line, the more rounding moves its kinks.
    same = 1e-12 * (d.hi - d.lo) + 2e-15 * max(abs(d.lo), abs(d.hi), abs(line.offset)) / abs(line.slope)
    add_kink(e, d, person, k, (line.lo - line.offset) / line.slope, same)
    add_kink(e, d, person, k, (line.hi - line.offset) / line.slope, same)


@routine
def add_kink(e: LineEvidence, d: ScalarDynamics, person: int, k: int, x0: float, same: float) -> None:
    """Insert x0 among the sorted kinks, unless one is as near as `same`: rounding makes no kinks."""
    kinks, n = e.kinks[person, k], e.kinks_n[person, k]
    if not d.lo + same < x0 < d.hi - same:
        return
    i = n
    while kinks[i - 1] > x0:
        i -= 1
    if x0 - kinks[i - 1] <= same or kinks[i] - x0 <= same:
        return
    for j in range(n, i, -1):
        kinks[j] = kinks[j - 1]
    kinks[i] = x0
    e.kinks_n[person, k] = n + 1
