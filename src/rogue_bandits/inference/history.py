"""Fit, divergence and upper bound of one arm from its history: the front door for data that are already there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rogue_bandits.inference.centre import centre_at
from rogue_bandits.inference.evidence import (
    Evidence,
    count,
    divergence_of,
    line_now,
    loglik_of,
    no_evidence,
    observe,
    seen,
    set_line,
    with_capacity,
)
from rogue_bandits.inference.fit import maximise
from rogue_bandits.inference.radius import TunedRadius, rule_for
from rogue_bandits.inference.region import Region
from rogue_bandits.inference.upper_bound import upper_bound_of
from rogue_bandits.laws import kernel, pick, stack
from rogue_bandits.model.check import checked_arm, checked_history, checked_point
from rogue_bandits.types import Arm, Fit, Floats, next_line

Point = tuple[float, float]
PAPERS = TunedRadius()


def fit(arm: Arm, played: Sequence[float], rewards: Sequence[float]) -> Fit:
    """The maximum-likelihood (theta, x0) of an arm.

    `played` says decision by decision whether this arm was played, `rewards` what followed (nan: not played, or played
    and not observed). Of several x0 that are equally likely, one is returned.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine, fit
    >>> nan = float("nan")
    >>> arm = Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), BernoulliLogit(0.4, 0.6))
    >>> fit(arm, [1, 0, 1, 1], [1.0, nan, 0.0, nan]).n
    2
    """
    arms, evidence = evidence_from(checked_arm(arm), played, rewards)
    theta, x0, loglik, n = fit_kernel(arms, evidence)
    if n == 0:
        raise ValueError(f"fit needs at least one observed reward, and none of the {len(rewards)} rewards is one")
    return Fit(theta, x0, loglik, int(n))


def divergence(
    arm: Arm, played: Sequence[float], rewards: Sequence[float], point: Point | Fit, point2: Point | Fit
) -> float:
    """The trajectory divergence of one (theta, x0) or Fit from another, over the observed decisions.  [Def. 1]

    >>> from rogue_bandits import Arm, ClippedAffine, Gaussian, divergence
    >>> arm = Arm(ClippedAffine(decay=1.0, pull=0.0, drift=0.0), Gaussian(1.0, 1.0, sd=1.0))
    >>> divergence(arm, [1, 1], [0.3, 0.1], (0.5, 0.5), (0.0, 0.0))
    1.0
    """
    arm = checked_arm(arm)
    arms, evidence = evidence_from(arm, played, rewards)
    return divergence_kernel(arms, evidence, pair(arm, point, "point"), pair(arm, point2, "point2"))


def upper_bound(arm: Arm, played: Sequence[float], rewards: Sequence[float], radius: Any = PAPERS) -> float:
    """The largest mean reward of the next decision that is inside the radius.  [Alg. 1, Alg. 3]

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine, TunedRadius, upper_bound
    >>> arm = Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), BernoulliLogit(0.4, 0.6))
    >>> round(upper_bound(arm, [1, 1] * 50, [1.0, 0.0] * 50, TunedRadius(variant="corrected")), 4)
    0.5987
    """
    arm = checked_arm(arm)
    arms, evidence = evidence_from(arm, played, rewards)
    rule = rule_for(radius, arm)
    return upper_bound_kernel(arms, evidence, rule, math.log(len(played) + 1))


def pair(arm: Arm, point: Any, name: str) -> Point:
    """The (theta, x0) of a point; a Fit is one too."""
    if np.ndim(point) != 1 or len(point) < 2:
        raise TypeError(f"{name} {point!r} must be (theta, x0), or a Fit")
    return checked_point(arm, point[0], point[1], name)


def evidence_from(arm: Arm, played: Sequence[float], rewards: Sequence[float]) -> tuple[Arm, Evidence]:
    """The evidence of a history, as kernels take it."""
    p, r = checked_history(arm, played, rewards)
    arms = stack([arm])
    evidence = with_capacity(no_evidence([arm], 1), int(np.count_nonzero(~np.isnan(r))))
    replay_kernel(arms, evidence, p, r)
    return arms, evidence


@kernel
def replay_kernel(arms: Any, e: Evidence, played: Floats, rewards: Floats) -> None:
    """Take in a history, decision by decision."""
    arm = pick(arms, 0)
    for t in range(played.size):
        line = line_now(e, 0, 0)
        if not math.isnan(rewards[t]):
            observe(e, arm, 0, 0, line, rewards[t])
        set_line(e, 0, 0, next_line(arm.dynamics, line, played[t]))


@kernel
def fit_kernel(arms: Any, e: Evidence) -> tuple[float, float, float, float]:
    """The fit, from nowhere in particular: theta, x0, its log-likelihood and n."""
    arm, s = pick(arms, 0), seen(e, 0, 0)
    theta, x0 = maximise(arm.rewards, arm, s, 0.5 * (arm.theta_lo + arm.theta_hi), arm.dynamics.lo, True)
    return theta, x0, loglik_of(arm.rewards, s, theta, x0), count(s)


@kernel
def divergence_kernel(arms: Any, e: Evidence, point: Point, point2: Point) -> float:
    """The divergence of two points."""
    arm = pick(arms, 0)
    return divergence_of(arm.rewards, seen(e, 0, 0), point[0], point[1], point2[0], point2[1])


@kernel
def upper_bound_kernel(arms: Any, e: Evidence, rule: Any, log_t: float) -> float:
    """The upper bound around the fit."""
    arm, s = pick(arms, 0), seen(e, 0, 0)
    theta, x0 = maximise(arm.rewards, arm, s, 0.5 * (arm.theta_lo + arm.theta_hi), arm.dynamics.lo, True)
    centre = centre_at(arm.rewards, arm, s, theta, x0)
    return upper_bound_of(Region(arm, s, centre, rule, line_now(e, 0, 0), log_t))
