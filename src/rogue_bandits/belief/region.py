"""The confidence region of an arm: the (theta, x0) whose mean divergence from the fit is inside the radius."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from rogue_bandits.belief.evidence import (
    ArmEvidence,
    count,
    settled_from,
)
from rogue_bandits.belief.from_fit import DivergenceFromFit, divergence_from_fit, is_prepared, prepared_early
from rogue_bandits.belief.local_fit import LocalFit
from rogue_bandits.belief.pool import AT_FIT
from rogue_bandits.belief.radius import RadiusRule, largest_divergence
from rogue_bandits.compile.borrowed import borrowed, hold
from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.model.dynamics.clipped_affine import state_on_line
from rogue_bandits.types import Arm, Floats, Line, mean

if TYPE_CHECKING:
    from rogue_bandits.belief.likelihood_region import LikelihoodRegion

R = TypeVar("R")
FAR = 1e9  # stands for +inf where normalised divergences are subtracted


class OfArm(Protocol):
    """A confidence region, of any kind."""

    @property
    def arm(self) -> Arm:
        """The arm whose (theta, x0) it contains."""


class Region(NamedTuple):
    """What decides whether a (theta, x0) is inside the confidence region."""

    arm: Arm
    seen: ArmEvidence
    local_fit: LocalFit
    rule: RadiusRule
    line: Line  # the state at the decision being made
    log_t: float
    prepared: Floats  # of the early rewards, see `prepared_early`; no rows until a search begins


@inlined
def prepared(search: Callable[[Region, float], R], g: Region, level: float) -> R:
    """Return search(g, level), a search that evaluates the region many times."""
    if not is_prepared(g.arm.rewards, g.seen):
        return search(g, level)
    rows = prepared_early(g.arm.rewards, g.seen, g.local_fit)
    found = search(Region(g.arm, g.seen, g.local_fit, g.rule, g.line, g.log_t, borrowed(rows)), level)
    hold(rows)
    return found


@inlined
def away_from_fit(g: Region, theta: float, x0: float) -> DivergenceFromFit:
    """Return the divergence of (theta, x0) from the fit."""
    return divergence_from_fit(g.arm.rewards, g.seen, g.prepared, g.local_fit, theta, x0)


@routine
def normalised_divergence(g: Region, theta: float, x0: float) -> float:
    """Return the mean divergence over the radius: (theta, x0) is inside the region where this is at most 1.

    Under the tuned radius it grows as the distance from the fit, so that secants find where it is 1 in a few steps.
    """
    if count(g.seen) == 0.0:
        return 0.0
    return normalised_divergence_of(g, away_from_fit(g, theta, x0))


@inlined
def normalised_divergence_of(g: Region, away: DivergenceFromFit) -> float:
    """Return the normalised divergence; 0 everywhere before the first reward."""
    n = count(g.seen)
    if n == 0.0:
        return 0.0
    return normalise(away.divergence, largest_divergence(g.rule, n, g.log_t, away.spread), rounding(g))


@inlined
def normalise(divergence: float, most: float, rounding: float) -> float:
    """Return a divergence over the largest one inside; 0 where the divergence is a rounding error of 0.

    Where theta and x0 are collinear, both are rounding errors on a whole line through the fit, and their ratio is
    meaningless.
    """
    if divergence <= rounding:
        return 0.0
    return min(divergence / most, FAR) if most > 0.0 else FAR


@law
def rounding(g: Any) -> float:
    """Return the rounding error of a divergence of 0."""


@rounding.register(Region)
def line_rounding(g: Region) -> float:
    """Return the rounding error of sums as large as W and the pools' potentials, and of each early reward."""
    size = abs(g.local_fit.w.value)
    for j in range(g.seen.pools.shape[0]):
        size += abs(g.seen.pools[j, AT_FIT])
    return rounding_of(size, g.seen.early.shape[0])


@inlined
def rounding_of(size: float, kept: int) -> float:
    """Return the rounding error of a divergence of 0, from sums of this size and so many rewards kept one by one."""
    return 1e-13 + 4e-16 * size + 1e-14 * kept


# ---- laws of a region, of either kind of evidence --------------------------------------------------------------------
@law
def region_under(rule: Any, arm: Any, seen: ArmEvidence, local_fit: LocalFit, line: Line, log_t: float) -> Any:
    """Return the confidence region that a radius rule makes around the fit, where states are clipped lines in x0."""


@region_under.register(RadiusRule)
def divergence_region(
    rule: RadiusRule, arm: Arm, seen: ArmEvidence, local_fit: LocalFit, line: Line, log_t: float
) -> Region:
    """Return the region of all points within a divergence from the fit."""
    return Region(arm, seen, local_fit, rule, line, log_t, seen.early[:0])


@law
def rewards_of(g: Any) -> float:
    """Return n, the number of rewards."""


@law
def settled_divergence_from_fit(g: Any, theta: float) -> tuple[float, float, float]:
    """Return `settled_kl` from theta to the fit."""


@law
def mean_at_fit(g: Any) -> float:
    """Return the mean of the next reward at the fit."""


@law
def best_state(g: Any) -> float:
    """Return the present state with the largest mean, over all x0."""


@law
def optimistic_mean(g: Any) -> float:
    """Return the mean at the fit; before the first reward, the largest mean."""


@rewards_of.register(Region)
def line_rewards_of(g: Region | LikelihoodRegion) -> float:
    """Return the number of rewards, early and settled."""
    return count(g.seen)


@settled_divergence_from_fit.register(Region)
def line_settled_divergence_from_fit(g: Region, theta: float) -> tuple[float, float, float]:
    """Return the divergence of settled rewards from their sums."""
    f, c = g.arm.rewards, g.local_fit
    return settled_from(f, g.seen, theta, c.theta, c.w)


@mean_at_fit.register(Region)
def line_mean_at_fit(g: Region | LikelihoodRegion) -> float:
    """Return the mean at the state that the fitted x0 has led to."""
    return mean(g.arm.rewards, g.local_fit.theta, state_on_line(g.line, g.local_fit.x0))


@inlined
def best_end(g: OfArm, x: float) -> float:
    """Return the bound of theta at which the mean at state x is larger."""
    f = g.arm.rewards
    end: float = g.arm.theta_hi if mean(f, g.arm.theta_hi, x) >= mean(f, g.arm.theta_lo, x) else g.arm.theta_lo
    return end


@best_state.register(Region)
def line_best_state(g: Region) -> float:
    """Return the best state, which is at an end of x0."""
    f, d = g.arm.rewards, g.arm.dynamics
    a, b = state_on_line(g.line, d.lo), state_on_line(g.line, d.hi)
    return a if a == b or mean(f, g.local_fit.theta, a) >= mean(f, g.local_fit.theta, b) else b


@optimistic_mean.register(Region)
def line_optimistic_mean(g: Region) -> float:
    """Return the mean at the fit; without a reward, at the best theta and state."""
    if count(g.seen) > 0.0:
        return mean_at_fit(g)
    x = best_state(g)
    return mean(g.arm.rewards, best_end(g, x), x)
