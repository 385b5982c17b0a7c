"""The range of x0 in pieces on which divergence and mean are smooth: searches over x0 go piece by piece.

Pieces end where the clip of an early reward, or of the state now, begins; and at the fitted x0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rogue_bandits.compile.laws import inlined
from rogue_bandits.types import Line

if TYPE_CHECKING:
    from rogue_bandits.belief.likelihood_region import LikelihoodRegion
    from rogue_bandits.belief.region import Region

PIECES = 32  # of x0, at most, beside those between cuts


@inlined
def is_cut_coarsely(g: Region | LikelihoodRegion) -> bool:
    """Return whether there are so many kinks that a piece contains several."""
    coarsely: bool = g.seen.kinks.size > PIECES + 1
    return coarsely


@inlined
def x0_cuts(g: Region | LikelihoodRegion) -> tuple[float, float, float]:
    """Return further x0 at which a search is cut: that of the fit, and the kinks of the present state."""
    lo = g.arm.dynamics.lo
    return g.local_fit.x0, kink(g.line, g.line.lo, lo), kink(g.line, g.line.hi, lo)


@inlined
def next_cut(g: Region | LikelihoodRegion, cuts: tuple[float, float, float], lo: float) -> float:
    """Return the end of the piece that begins at lo: the next kink, or a later one where there are many.

    Of an arm that is clipped at another x0 by each reward, a kink is that of one reward among many. Pieces are then at
    least a PIECES-th of the range, and a peak over one of them is all but smooth.
    """
    hi, kinks = g.arm.dynamics.hi, g.seen.kinks
    first = lo + (hi - g.arm.dynamics.lo) / PIECES if is_cut_coarsely(g) else lo
    j = np.searchsorted(kinks, first, side="right")
    if j < kinks.size:
        hi = nearer(lo, kinks[j], hi)
    return next_of(cuts, lo, hi)


@inlined
def next_of(cuts: tuple[float, float, float], lo: float, hi: float) -> float:
    """Return the first cut after lo, or hi if that comes first."""
    return nearer(lo, cuts[0], nearer(lo, cuts[1], nearer(lo, cuts[2], hi)))


@inlined
def kink(line: Line, level: float, otherwise: float) -> float:
    """Return the x0 at which the state of a line comes to a level."""
    # A slope that has all but vanished belongs to a settled state, and would overflow.
    return (level - line.offset) / line.slope if abs(line.slope) > 1e-300 else otherwise


@inlined
def nearer(lo: float, x0: float, hi: float) -> float:
    """Return x0 if it cuts the piece (lo, hi), else hi."""
    return x0 if lo < x0 < hi else hi
