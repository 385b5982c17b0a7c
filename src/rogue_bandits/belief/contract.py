"""What is known of the arms of many people: evidence, fits, and the regions around them, whatever evidence is like.

Of states that are clipped lines in x0 the evidence is `Evidence`; of all others it is `Trails` (`inference.trail`). The
laws below are chosen by that; policies, and the front door for data that are there already, ask no more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.evidence import (
    Evidence,
    count,
    divergence_of,
    line_now,
    loglik_of,
    no_line_evidence,
    observe_line,
    seen,
    set_line,
    with_capacity,
)
from rogue_bandits.belief.fit import maximise
from rogue_bandits.belief.local_fit import LOCAL_FIT_SIZE, local_fit_at, read_local_fit, write_local_fit
from rogue_bandits.belief.region import Region
from rogue_bandits.compile.laws import law, stack
from rogue_bandits.model.constants import corners
from rogue_bandits.model.rewards.weighted import projected_arm
from rogue_bandits.types import Arm, Floats, Ints, Line, is_summable, mean, next_line

# The looks that a branch and bound may take before it stops with what it has: for a decision among many, and for an
# answer that is asked for once. Arms whose states are clipped lines need none.
ONLINE_EVALUATIONS, OFFLINE_EVALUATIONS = 300, 20_000


class Belief(NamedTuple):
    """What is known of every arm of every person."""

    arms: Arm  # stacked
    evidence: Any
    local_fit: Floats  # [people, arms, numbers]: the fits
    plays: Ints  # [people, arms]
    tie_tolerance: float  # means this near are equal but for rounding


@law
def ticket(e: Any, arm: Any, person: int, k: int) -> Line:
    """What a reward of this decision must be told with, should it come late: arm k is played now."""


@law
def advance(e: Any, arm: Any, person: int, k: int, told: float) -> None:
    """The state of arm k moves on by one decision."""


@law
def observe(e: Any, arm: Any, person: int, k: int, line: Line, r: float) -> bool:
    """Take in a reward of that moment. Does it say something about x0?"""


@law
def refit(e: Any, arm: Any, person: int, k: int, row: Floats, early_came: bool) -> None:
    """Fit again, from where the last fit lay; the centre is kept in its row."""


@law
def fitted_to(e: Any, arm: Any, person: int, k: int, row: Floats) -> tuple[float, float, float]:
    """The log-likelihood of the fit, the number of rewards, and how much likelier another point may be."""


@law
def divergence_between(
    e: Any, arm: Any, person: int, k: int, theta: float, x0: Floats, theta2: float, x02: Floats
) -> float:
    """The trajectory divergence of two points, over the rewards seen."""


@law
def region_of(e: Any, arm: Any, person: int, k: int, local_fit: Floats, rule: Any, log_t: float) -> Any:
    """The confidence region around the fit."""


@law
def has_place(e: Any, person: int) -> bool:
    """Is there a place for one more decision and its reward, of any arm?"""


@singledispatch
def with_places(e: Any, places: int) -> Any:
    """The same evidence with places for at least so many rewards and decisions of each arm."""
    raise TypeError(f"{type(e).__name__} is no evidence")


@singledispatch
def empty_evidence(dynamics: Any, arms: Sequence[Arm], people: int, looks: int) -> tuple[Any, Floats]:
    """No evidence on arms of these dynamics, and the rows of their fits: those lie in the middle of nowhere."""
    local_fit = np.zeros((people, len(arms), LOCAL_FIT_SIZE))
    local_fit[:, :, 0] = [0.5 * (arm.theta_lo + arm.theta_hi) for arm in arms]
    local_fit[:, :, 1] = [arm.dynamics.lo for arm in arms]
    return no_line_evidence(arms, people), local_fit


@singledispatch
def fitted_point(e: Any, row: Floats) -> tuple[float, tuple[float, ...]]:
    """The theta and the x0 of a fit, from its row."""
    return float(row[0]), (float(row[1]),)


def empty_belief(arms: Sequence[Arm], people: int, looks: int) -> Belief:
    """Before the first decision. Searches, where there are any, may take so many looks."""
    arms = [projected_arm(arm) for arm in arms]
    evidence, local_fit = empty_evidence(arms[0].dynamics, arms, people, looks)
    tie_tolerance = 1e-9 * max(mean_range(arm) for arm in arms)
    return Belief(stack(arms), evidence, local_fit, np.zeros((people, len(arms)), dtype=np.int64), tie_tolerance)


def mean_range(arm: Arm) -> float:
    """The largest difference of two means of an arm: monotone in theta and in x, so at corners of the box."""
    means = [mean(arm.rewards, theta, x) for theta, x in corners(arm)]
    return max(means) - min(means)


# ---- clipped lines ---------------------------------------------------------------------------------------------------
@ticket.register(Evidence)
def line_moment(e: Evidence, arm: Any, person: int, k: int) -> Line:
    """The state as a function of x0."""
    return line_now(e, person, k)


@advance.register(Evidence)
def line_move_on(e: Evidence, arm: Any, person: int, k: int, told: float) -> None:
    """A line leads to a line."""
    set_line(e, person, k, next_line(arm.dynamics, line_now(e, person, k), told))


observe.register(Evidence)(observe_line)


@refit.register(Evidence)
def line_refit(e: Evidence, arm: Any, person: int, k: int, row: Floats, early_came: bool) -> None:
    """The global optimum, strip by strip."""
    s = seen(e, person, k)
    theta, x0 = maximise(arm.rewards, arm, s, row[0], row[1], early_came)
    write_local_fit(row, local_fit_at(arm.rewards, arm, s, theta, x0))


@fitted_to.register(Evidence)
def line_fitted_to(e: Evidence, arm: Any, person: int, k: int, row: Floats) -> tuple[float, float, float]:
    """A search finds it where nothing can be summed up; else it is the optimum."""
    s = seen(e, person, k)
    return loglik_of(arm.rewards, s, row[0], row[1]), count(s), 0.0 if is_summable(arm.rewards) else math.inf


@divergence_between.register(Evidence)
def line_divergence(
    e: Evidence, arm: Any, person: int, k: int, theta: float, x0: Floats, theta2: float, x02: Floats
) -> float:
    """Of x0 there is one number."""
    return divergence_of(arm.rewards, seen(e, person, k), theta, x0[0], theta2, x02[0])


@region_of.register(Evidence)
def line_region(e: Evidence, arm: Any, person: int, k: int, local_fit: Floats, rule: Any, log_t: float) -> Region:
    """With the state of now as a line."""
    return Region(arm, seen(e, person, k), read_local_fit(local_fit[person, k]), rule, line_now(e, person, k), log_t)


@has_place.register(Evidence)
def line_has_place(e: Evidence, person: int) -> bool:
    """Early rewards are kept one by one, and there may be no end of them."""
    for k in range(e.early_n.shape[1]):
        if e.early_n[person, k] >= e.early.shape[2]:
            return False
    return True


@with_places.register
def line_with_places(e: Evidence, places: int) -> Evidence:
    """Room for as many early rewards."""
    return with_capacity(e, places)
