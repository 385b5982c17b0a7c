"""How large the log-likelihood of an exponential family may be with x0 in an interval that spans many strips.

The log-likelihood of a reward is concave in eta, so it lies below its tangent at any eta. The sum of the tangents at
(theta, the middle of the interval) is a ceiling: theta enters it linearly, and so do the states that are straight lines
in x0 on the whole interval. Only the rewards with a kink inside of it are bounded one by one. See
docs/decisions/0033-groups-of-strips.md.
"""

from __future__ import annotations

from typing import NamedTuple

from rogue_bandits.belief.evidence import ArmEvidence, early_line, pool_surface, potential_at
from rogue_bandits.belief.pool import AT_FIRST, AT_LAST, FIRST, LAST, clipped_x0
from rogue_bandits.belief.surfaces import pooled_loglik
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.clipped_affine import state_on_line
from rogue_bandits.model.protocols import LinearPredictor
from rogue_bandits.model.rewards.exponential import by_weights, dispersion, log_partition, natural, sufficient
from rogue_bandits.numerics.newton import MOST_STEPS, initialise, newton_step
from rogue_bandits.types import Arm, Line, settled_loglik


class Ceiling(NamedTuple):
    """The log-likelihood at theta and the middle x0, up to a constant, its derivatives, and what other x0 may add."""

    value: float
    by_theta: float
    theta_theta: float  # the curvature, as a positive
    rise: float


class Rises(NamedTuple):
    """What a move of x0 to either end may add: the sum over straight states, and the largest for each of the others."""

    left: float
    right: float
    kinked_left: float
    kinked_right: float


@inlined
def with_state(rises: Rises, line: Line, middle: float, lo: float, hi: float, score: float) -> Rises:
    """Add a state with this slope of the log-likelihood: it is monotone in x0, so its range is given by the ends."""
    x = state_on_line(line, middle)
    left, right = score * (state_on_line(line, lo) - x), score * (state_on_line(line, hi) - x)
    a, b = line.slope * lo + line.offset, line.slope * hi + line.offset
    if line.lo <= min(a, b) and max(a, b) <= line.hi:
        return Rises(rises.left + left, rises.right + right, rises.kinked_left, rises.kinked_right)
    kinked_left, kinked_right = rises.kinked_left + max(0.0, left), rises.kinked_right + max(0.0, right)
    return Rises(rises.left, rises.right, kinked_left, kinked_right)


@routine
def ceiling_between(f: LinearPredictor, s: ArmEvidence, theta: float, lo: float, hi: float) -> Ceiling:
    """Return the ceiling at theta with x0 in [lo, hi]; with lo = hi its value is the log-likelihood itself."""
    middle, w, rises = 0.5 * (lo + hi), potential_at(f, s, theta), Rises(0.0, 0.0, 0.0, 0.0)
    value = settled_loglik(f, theta, s.sums[1], s.sums[2], s.sums[3], w.value)
    by_theta, theta_theta = s.sums[1] - w.slope, w.curvature
    for i in range(s.early.shape[0]):
        line, t = early_line(s, i), sufficient(f, s.early[i, 4])
        eta = natural(f, theta, state_on_line(line, middle))
        a, a1, a2 = log_partition(f, eta)
        score = (t - a1) / dispersion(f)
        value += (t * eta - a) / dispersion(f)
        by_theta += f.theta_weight * score
        theta_theta += by_weights(f, a2 / dispersion(f))[0]
        rises = with_state(rises, line, middle, lo, hi, f.state_weight * score)
    for j in range(s.pools.shape[0]):
        pool, line = s.pools[j], clipped_x0(s.pools[j])
        c = state_on_line(line, middle)
        at = pool_surface(f, s, j, theta, c)
        value += pooled_loglik(f, pool, theta, c, at)
        by_theta += pool[AT_FIRST] - at.by_theta
        theta_theta += at.theta_theta
        score = (pool[AT_LAST + 1] - pool[AT_FIRST + 1]) / (pool[LAST] - pool[FIRST]) - at.by_c
        rises = with_state(rises, line, middle, lo, hi, score)
    to_left, to_right = max(0.0, rises.left) + rises.kinked_left, max(0.0, rises.right) + rises.kinked_right
    return Ceiling(value, by_theta, theta_theta, max(to_left, to_right))


@routine
def may_exceed(f: LinearPredictor, arm: Arm, s: ArmEvidence, lo: float, hi: float, theta: float, level: float) -> bool:
    """Return whether the log-likelihood may exceed the level with x0 in [lo, hi]; False is proven.

    Any theta gives a ceiling over all thetas; the best one for the middle x0 gives a low one. Newton steps lead there
    from `theta`, until one has proven it, or promises too little.
    """
    climb = initialise(arm.theta_lo, arm.theta_hi, theta)
    for _ in range(MOST_STEPS):
        at = ceiling_between(f, s, climb.at, lo, hi)
        end = arm.theta_hi if at.by_theta > 0.0 else arm.theta_lo
        if at.value + at.rise + at.by_theta * (end - climb.at) <= level:
            return False
        promised = at.by_theta * at.by_theta <= 0.2 * at.rise * at.theta_theta
        if climb.done or (promised and at.value + at.rise > level):
            return True
        climb = newton_step(climb, at.by_theta, at.theta_theta)
    return True
