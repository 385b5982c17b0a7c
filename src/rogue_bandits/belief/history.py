"""Fit, divergence and upper bound of one arm from its history: the entry point for data already collected."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from rogue_bandits.belief import contract
from rogue_bandits.belief.contract import OFFLINE_EVALUATIONS, Belief, empty_belief, mean_range, with_places
from rogue_bandits.belief.likelihood_bounds import farthest_x0, largest_inside
from rogue_bandits.belief.likelihood_region import MeanTowards, ThetaTowards
from rogue_bandits.belief.radius import (
    LikelihoodRatioRadius,
    LikelihoodRule,
    Radius,
    RadiusRule,
    TunedRadius,
    rule_for,
)
from rogue_bandits.belief.upper_bound import bound_and_gap
from rogue_bandits.compile.borrowed import borrowed
from rogue_bandits.compile.laws import kernel, overwrite
from rogue_bandits.model.compiling import named_laws
from rogue_bandits.model.histories import checked_history
from rogue_bandits.model.numbers import is_list
from rogue_bandits.model.rewards.weighted import projected_theta, reduced, theta_on_diagonal
from rogue_bandits.model.validation import checked_arm, checked_point
from rogue_bandits.types import Arm, Fit, FitIntervals, Floats, Problem

Point = tuple[Any, Any]  # (theta, x0), numbers or vectors
PAPERS = TunedRadius()
NEAR = 1e-5  # of the range of means: what the search for an upper bound may leave open without a word


def fit(arm: Arm, played: Sequence[float], rewards: Sequence[float]) -> Fit:
    """Return the maximum-likelihood (theta, x0) of an arm.

    `played` says decision by decision whether this arm was played, `rewards` what followed (nan: not played, or played
    and not observed). Of several x0 that are equally likely, one is returned.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine, fit
    >>> nan = float("nan")
    >>> arm = Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), BernoulliLogit(0.4, 0.6))
    >>> fit(arm, [1, 0, 1, 1], [1.0, nan, 0.0, nan]).n
    2
    """
    arm = checked_arm(arm)
    belief, x0 = belief_from(arm, played, rewards), np.empty(np.size(arm.dynamics.lo))
    with named_laws([arm]):
        theta, loglik, n, gap = fit_kernel(belief, x0)
    if n == 0:
        raise ValueError(f"fit needs at least one observed reward: none of {len(rewards)} was observed")
    first = tuple(x0.tolist()) if isinstance(arm.dynamics.lo, tuple) else float(x0[0])
    return Fit(theta_on_diagonal(arm, theta), first, loglik, int(n), gap)


def divergence(
    arm: Arm, played: Sequence[float], rewards: Sequence[float], point: Point | Fit, point2: Point | Fit
) -> float:
    """Return the trajectory divergence of one (theta, x0) or Fit from another, over the observed decisions.  [Def. 1]

    >>> from rogue_bandits import Arm, ClippedAffine, Gaussian, divergence
    >>> arm = Arm(ClippedAffine(decay=1.0, pull=0.0, drift=0.0), Gaussian(1.0, 1.0, sd=1.0))
    >>> divergence(arm, [1, 1], [0.3, 0.1], (0.5, 0.5), (0.0, 0.0))
    1.0
    """
    arm = checked_arm(arm)
    belief = belief_from(arm, played, rewards)
    points = *pair(arm, point, "point"), *pair(arm, point2, "point2")
    with named_laws([arm]):
        return divergence_kernel(belief, *points)


def upper_bound(arm: Arm, played: Sequence[float], rewards: Sequence[float], radius: Radius = PAPERS) -> float:
    """Return the largest mean of the next reward over all (theta, x0) inside the radius.  [Alg. 1, Alg. 3]

    Where states are vectors, or dynamics your own, it is searched for. A RuntimeWarning says how much larger it may be
    if that could not be proven to be next to nothing; of families that are not exponential nothing is proven.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine, TunedRadius, upper_bound
    >>> arm = Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), BernoulliLogit(0.4, 0.6))
    >>> round(upper_bound(arm, [1, 1] * 50, [1.0, 0.0] * 50, TunedRadius(variant="corrected")), 4)
    0.5987
    """
    arm = checked_arm(arm)
    belief, rule = belief_from(arm, played, rewards), rule_for(radius, arm)
    with named_laws([arm]):
        found, gap = upper_bound_kernel(belief, rule, math.log(len(played) + 1))
    if math.isfinite(gap) and gap > NEAR * mean_range(reduced(arm)):
        warnings.warn(
            f"upper bound {found:.6g}: the search reached its limit, and the bound may be larger by up to {gap:.2g}",
            RuntimeWarning,
            stacklevel=2,
        )
    return found


def fit_intervals(arm: Arm, played: Sequence[float], rewards: Sequence[float], alpha: float = 0.05) -> FitIntervals:
    """Return intervals of theta, x0 and the mean of the next reward, from the likelihood-ratio confidence set.

    With probability 1 − `alpha` all three contain the true numbers, at every decision at once, also if plays depend on
    earlier rewards and if you stop when you like: they are the extent of one region, that of `LikelihoodRatioRadius`.
    They are wider than intervals for one fixed number of rewards. The dynamics are taken as known: docs/theory.md
    compares them with the intervals of `rogue fit`, which estimates the dynamics.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine, fit_intervals
    >>> arm = Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), BernoulliLogit(2.0, 1.0), -2.0, 2.0)
    >>> found = fit_intervals(arm, [1] * 200, [1.0, 0.0] * 100)
    >>> [tuple(round(end, 3) for end in interval) for interval in found]
    [(-0.255, 0.25), (0.0, 1.0), (0.375, 0.623)]
    """
    arm = checked_arm(arm)
    if not isinstance(arm.theta_lo, int | float):
        raise TypeError("fit_intervals needs an arm whose theta is a number, not a vector")
    belief, rule = belief_from(arm, played, rewards), rule_for(LikelihoodRatioRadius(alpha), arm)
    with named_laws([arm]):
        theta_lo, theta_hi, x0_lo, x0_hi, mean_lo, mean_hi = intervals_kernel(belief, rule)
    x0 = (x0_lo, x0_hi) if arm.x0 is None else (float(arm.x0), float(arm.x0))  # kernels know lines, not x0
    return FitIntervals((theta_lo, theta_hi), x0, (mean_lo, mean_hi))


def pair(arm: Arm, point: Any, name: str) -> tuple[float, Floats]:
    """Return the (theta, x0) of a point in the form that kernels take; a Fit is a point too."""
    two = is_list(point) and len(point) == 2
    if not two and not isinstance(point, Fit):
        raise TypeError(f"{name} {point!r} must be (theta, x0), or a Fit")
    theta, x0 = checked_point(arm, point[0], point[1], name)
    return projected_theta(arm, theta), np.atleast_1d(np.array(x0))


def belief_from(arm: Arm, played: Sequence[float], rewards: Sequence[float]) -> Any:
    """Return the belief after a history of one arm; it is still to be fitted."""
    p, r = checked_history(arm, played, rewards)
    belief = empty_belief(Problem((arm,)), 1, OFFLINE_EVALUATIONS)
    belief = belief._replace(personal=with_places(belief.personal, p.size + 1))
    with named_laws([arm]):
        replay_kernel(belief, p, r)
    return belief


@kernel
def replay_kernel(belief: Belief, played: Floats, rewards: Floats) -> None:
    """Replay a history, decision by decision."""
    b = borrowed(belief)
    for t in range(played.size):
        if not math.isnan(rewards[t]):
            contract.add_reward(b, 0, 0, contract.ticket(b, 0, 0), rewards[t])
        contract.advance(b, 0, 0, played[t])


@kernel
def fit_kernel(belief: Belief, x0: Floats) -> tuple[float, float, float, float]:
    """Return theta, its log-likelihood, n and the gap of a cold-start fit; x0 is written in place."""
    b = borrowed(belief)
    contract.refit(b, 0, 0, True)
    theta, at = contract.fit(b, 0, 0)
    overwrite(x0, at)
    loglik = contract.log_likelihood(b, 0, 0, theta, at)
    return theta, loglik, contract.rewards_count(b, 0, 0), contract.fit_gap(b, 0, 0)


@kernel
def divergence_kernel(belief: Belief, theta: float, x0: Floats, theta2: float, x02: Floats) -> float:
    """Return the divergence of two points."""
    return contract.divergence(borrowed(belief), 0, 0, theta, x0, theta2, x02)


@kernel
def upper_bound_kernel(belief: Belief, rule: RadiusRule | LikelihoodRule, log_t: float) -> tuple[float, float]:
    """Return the upper bound around the fit, and how much larger it may be."""
    b = borrowed(belief)
    contract.refit(b, 0, 0, True)
    return bound_and_gap(contract.region(b, 0, 0, rule, log_t))


@kernel
def intervals_kernel(belief: Belief, rule: LikelihoodRule) -> tuple[float, float, float, float, float, float]:
    """Return the smallest and the largest theta, x0 and mean of the next reward in a likelihood region."""
    b = borrowed(belief)
    contract.refit(b, 0, 0, True)
    g = contract.region(b, 0, 0, rule, 0.0)
    return (
        -largest_inside(ThetaTowards(g.arm, -1.0), g), largest_inside(ThetaTowards(g.arm, 1.0), g),
        farthest_x0(g, -1.0), farthest_x0(g, 1.0),
        -largest_inside(MeanTowards(g.arm, -1.0), g), largest_inside(MeanTowards(g.arm, 1.0), g),
    )  # fmt: skip
