"""The largest mean reward inside the radius: g^UCB.  [Alg. 1, Alg. 3]

The mean is monotone in theta, so at one x0 the bound lies where theta leaves the region, a root in one dimension. Over
x0, which matters only through the early rewards and a state that has not settled, the best of those is searched for
piece by piece.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rogue_bandits.belief.local_fit import divergence_from_fit
from rogue_bandits.belief.region import Region, best_end, best_state, normalised_divergence, normalised_divergence_of
from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.model.dynamics.clipped_affine import state_at
from rogue_bandits.numerics.brent import MOST_TRIALS, Brent, has_converged, initialise, next_trial, updated
from rogue_bandits.numerics.illinois import Bracket, narrowed, next_point
from rogue_bandits.types import Floats, Line, mean

LOOKS = 5  # on each piece
LENIENT = 2.0  # a peak over x0 is not quite concave: hope is stretched by this


@routine
def leaving(g: Region, x0: float, believed: float, at_believed: float, doubted: float, at_doubted: float) -> float:
    """The theta between the two at which belief ends."""
    search = Bracket(believed, at_believed - 1.0, doubted, at_doubted - 1.0, 0)
    tiny = 1e-11 * (g.arm.theta_hi - g.arm.theta_lo)
    for step in range(100):
        if abs(search.b - search.a) <= tiny or search.fa == 0.0:
            break
        theta = next_point(search, step % 8 == 7)
        at = normalised_divergence(g, theta, x0) - 1.0
        if abs(at) <= 1e-11:
            return theta
        search = narrowed(search, theta, at)
    return search.a


@routine
def level_theta(g: Region, x0: float) -> float:
    """The theta at which the gradient of the divergence has no part along theta: steps that are kept in between.

    Where early rewards are at odds with this x0, divergence remains there while the radius all but vanishes: what is
    believed may fall into two pieces, one on each side. It is taken to be the only such theta. Of an exponential family
    it is; an agent at the edge of its states can have two.
    """
    f, s, c = g.arm.rewards, g.seen, g.local_fit
    a, b = g.arm.theta_lo, g.arm.theta_hi
    theta = c.theta
    for _ in range(60):
        slope = divergence_from_fit(f, s, c, theta, x0).by_theta
        if slope > 0.0:
            a = theta
        else:
            b = theta
        # The information at the fit is what the slope falls by for each unit of theta, or nearly.
        step = slope * c.per_theta
        inside = a < theta + step < b
        to = theta + step if inside else 0.5 * (a + b)
        if abs(to - theta) <= 1e-9 * (g.arm.theta_hi - g.arm.theta_lo):
            return to
        theta = to
    return theta


@routine
def least_divergent(g: Region, x0: float, level: float, end: float) -> tuple[float, float]:
    """A theta between the level one and an end that is believed, or else the one least in doubt; and its doubt.

    Were the divergence quadratic, it would lie where divergence and spread are equal: Brent's method begins there.
    """
    here = divergence_from_fit(g.arm.rewards, g.seen, g.local_fit, level, x0)
    at = normalised_divergence_of(g, here)
    if at <= 1.0:
        return level, at
    away = math.sqrt(max(0.0, 2.0 * (here.divergence - here.spread) * g.local_fit.per_theta))
    theta = min(level + away, end) if end > level else max(level - away, end)
    # The top may lie next to the x0 at which belief vanishes, so that this decides its last digits.
    tiny = 1e-7 * abs(end - level)
    search = initialise(min(level, end), max(level, end), theta, -normalised_divergence(g, theta, x0), tiny)
    for _ in range(MOST_TRIALS):
        if search.fx >= -1.0 or has_converged(search):
            break
        search = next_trial(search)
        search = updated(search, -normalised_divergence(g, search.trial, x0))
    return search.x, -search.fx


@law
def peak_at_fit(g: Any) -> float:
    """The largest mean with x0 as fitted."""


@law
def upper_bound_of(g: Any) -> float:
    """The largest mean of the next reward inside the region."""


@law
def bound_and_gap(g: Any) -> tuple[float, float]:
    """The same, and how much larger it may be."""


@bound_and_gap.register(Region)
def line_bound_and_gap(g: Region) -> tuple[float, float]:
    """No proof comes with it (docs/decisions/0005), only tests."""
    return larger_bound(g, -math.inf), math.inf


@peak_at_fit.register(Region)
@routine
def peak_with_fitted_x0(g: Region) -> float:
    """Doubt grows from the fit to either end."""
    c = g.local_fit
    x = state_at(g.line, c.x0)
    end = best_end(g, x)
    at_end = normalised_divergence(g, end, c.x0)
    theta = end if at_end <= 1.0 else leaving(g, c.x0, c.theta, 0.0, end, at_end)
    return mean(g.arm.rewards, theta, x)


@routine
def peak_at(g: Region, x0: float) -> float:
    """The largest mean at this x0; −inf where no theta is believed."""
    return max(peak_towards(g, x0, g.arm.theta_lo, -math.inf), peak_towards(g, x0, g.arm.theta_hi, -math.inf))


@routine
def peak_towards(g: Region, x0: float, end: float, known: float) -> float:
    """The largest mean at this x0 from the level theta to an end of theta; −inf where nothing there is inside.

    Over x0 each of the two is continuous as long as something is inside: their larger one jumps where one ends. Where
    it cannot exceed what is `known`, an upper bound of it that does not either is returned.
    """
    f, x = g.arm.rewards, state_at(g.line, x0)
    if best_end(g, x) == end:
        theta = farthest_inside(g, x0, end)
    else:
        level = level_theta(g, x0)
        most = mean(f, level, x)
        if most <= known:
            return most
        theta = nearest_inside(g, x0, level, end)
    return -math.inf if math.isnan(theta) else mean(f, theta, x)


@routine
def farthest_inside(g: Region, x0: float, end: float) -> float:
    """The last theta from the level one to an end that is believed; nan if none is."""
    at_end = normalised_divergence(g, end, x0)
    if at_end <= 1.0:
        return end
    theta = g.local_fit.theta
    here = divergence_from_fit(g.arm.rewards, g.seen, g.local_fit, theta, x0)
    at = normalised_divergence_of(g, here)
    # The gradient points to the level: where it points away from the end, the fitted theta is on the way there.
    if at > 1.0 or here.by_theta * (end - theta) > 0.0:
        theta, at = least_divergent(g, x0, level_theta(g, x0), end)
    return leaving(g, x0, theta, at, end, at_end) if at <= 1.0 else math.nan


@routine
def nearest_inside(g: Region, x0: float, level: float, end: float) -> float:
    """The first theta from the level one to an end that is believed; nan if none is."""
    theta, at = least_divergent(g, x0, level, end)
    if at > 1.0:
        return math.nan
    return level if theta == level else leaving(g, x0, theta, at, level, normalised_divergence(g, level, x0))


@routine
def peak_between(g: Region, lo: float, hi: float, end: float, known: float) -> float:
    """The largest mean with x0 in [lo, hi], a piece without kinks, or what is `known` already if that is larger.

    A few looks, then Brent's method at the best, if there is hope.
    """
    looks, best = np.empty(LOOKS), 0
    for j in range(LOOKS):
        looks[j] = peak_towards(g, lo + (hi - lo) * j / (LOOKS - 1), end, known)
        best = j if looks[j] > looks[best] else best
    top = looks[best]
    if top == -math.inf or top + LENIENT * (concave_limit(looks, best) - top) <= known:
        return max(top, known)
    width = (hi - lo) / (LOOKS - 1)
    at = lo + width * best
    nowhere = top - 1.0 - abs(top)  # stands for −inf where values are subtracted
    search = initialise(max(lo, at - width), min(hi, at + width), at, top, 3e-8 * (hi - lo))
    for _ in range(MOST_TRIALS):
        if has_converged(search) or cannot_improve(search, nowhere, known):
            break
        search = next_trial(search)
        search = updated(search, max(nowhere, peak_towards(g, search.trial, end, known)))
    return max(search.fx, known)


@inlined
def cannot_improve(s: Brent, nowhere: float, known: float) -> bool:
    """Do lines as steep as the steepest through the three best points stay below what is known all over the bracket?"""
    if s.x in (s.w, s.v) or s.w == s.v or min(s.fw, s.fv) <= nowhere:
        return False
    steep = max(abs((s.fx - s.fw) / (s.x - s.w)), abs((s.fx - s.fv) / (s.x - s.v)), abs((s.fw - s.fv) / (s.w - s.v)))
    return s.fx + LENIENT * steep * (s.b - s.a) <= known


@inlined
def concave_limit(looks: Floats, j: int) -> float:
    """What could lie beside the best look, the j-th, were the peak concave: lines through two looks bound it there.

    +inf where the looks themselves are not concave.
    """
    left = min(beyond(looks, j + 1, j), beyond(looks, j - 2, j - 1)) if j > 0 else looks[j]
    right = min(beyond(looks, j - 1, j), beyond(looks, j + 2, j + 1)) if j < looks.size - 1 else looks[j]
    return max(left, right) if min(left, right) >= looks[j] else math.inf


@inlined
def beyond(looks: Floats, i: int, j: int) -> float:
    """The line through looks i and j, one look beyond j; +inf where there is no such line."""
    if min(i, j) < 0 or max(i, j) >= looks.size or min(looks[i], looks[j]) == -math.inf:
        return math.inf
    return 2.0 * looks[j] - looks[i]


@upper_bound_of.register(Region)
def line_upper_bound_of(g: Region) -> float:
    """Piece by piece of x0."""
    return larger_bound(g, -math.inf)


@routine
def larger_bound(g: Region, known: float) -> float:
    """The upper bound, or what is `known` already if that is larger: less is then to be looked for."""
    x = best_state(g)
    most = mean(g.arm.rewards, best_end(g, x), x)
    best, cuts, lo = max(known, peak_with_fitted_x0(g)), x0_cuts(g), g.arm.dynamics.lo
    while lo < g.arm.dynamics.hi and best < most:
        hi = next_cut(g, cuts, lo)
        best = peak_between(g, lo, hi, g.arm.theta_lo, best)
        best = peak_between(g, lo, hi, g.arm.theta_hi, best)
        lo = hi
    return best


@inlined
def x0_cuts(g: Region) -> tuple[float, float, float]:
    """The x0 at which a search is cut into pieces, beside the early rewards' kinks: the fit's, and the kinks of now."""
    lo = g.arm.dynamics.lo
    return g.local_fit.x0, kink(g.line, g.line.lo, lo), kink(g.line, g.line.hi, lo)


@inlined
def next_cut(g: Region, cuts: tuple[float, float, float], lo: float) -> float:
    """The end of the piece that begins at lo."""
    hi = g.arm.dynamics.hi
    for j in range(g.seen.kinks.size):
        hi = nearer(lo, g.seen.kinks[j], hi)
    return nearer(lo, cuts[0], nearer(lo, cuts[1], nearer(lo, cuts[2], hi)))


@inlined
def kink(line: Line, level: float, otherwise: float) -> float:
    """The x0 at which the state of a line comes to a level."""
    # A slope that has all but vanished belongs to a settled state, and would overflow.
    return (level - line.offset) / line.slope if abs(line.slope) > 1e-300 else otherwise


@inlined
def nearer(lo: float, x0: float, hi: float) -> float:
    """x0 if it cuts the piece (lo, hi), else hi."""
    return x0 if lo < x0 < hi else hi
