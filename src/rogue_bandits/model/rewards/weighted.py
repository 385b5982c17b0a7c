"""Theta and state as vectors, of which rewards see one number each: mean g(alpha·theta + beta·x).  [Sec. 2.4.2]

As alpha and beta are known, a vector theta is one number to the policies, alpha·theta. So is beta·x to the family.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.model.constants import (
    lipschitz_mean,
    lipschitz_parameters,
    lipschitz_reward,
    sub_gaussian,
)
from rogue_bandits.model.dynamics.projected import ProjectedDynamics, dot, extent, shrinks
from rogue_bandits.model.probe import is_given
from rogue_bandits.model.shapes import takes_vectors
from rogue_bandits.model.validation import rewards_fault
from rogue_bandits.types import Arm, Floats, Truth, Vector, is_summable, next_line, point_masses, support


class Weighted(NamedTuple):
    """A reward family whose theta is theta_weights·theta, and whose state is state_weights·x.

    >>> import rogue_bandits as rb
    >>> two_paces = rb.MatrixAffine(((0.5, 0.0), (0.0, 0.95)), (-0.5, -0.1), (0.5, 0.05), (0.0, 0.0), (1.0, 1.0))
    >>> rewards = Weighted(rb.BernoulliLogit(1.0, 1.0), theta_weights=(0.4, -0.2), state_weights=(0.6, 0.8))
    >>> arm = rb.Arm(two_paces, rewards, theta_lo=(0.0, 0.0), theta_hi=(1.0, 1.0))
    >>> rb.fit(arm, [1, 1, 1], [1, 0, 0]).theta
    (0.0, 1.0)
    """

    rewards: Any
    theta_weights: Vector
    state_weights: Vector


@takes_vectors.register
def weighted_takes_vectors(f: Weighted) -> bool:
    """Theta and state are vectors."""
    return True


@support.register(Weighted)
def weighted_support(f: Weighted) -> tuple[float, float, bool]:
    """As the family."""
    return support(f.rewards)


@is_summable.register(Weighted)
def weighted_is_summable(f: Weighted) -> bool:
    """As the family."""
    return is_summable(f.rewards)


@point_masses.register(Weighted)
def weighted_point_masses(f: Weighted) -> bool:
    """As the family."""
    return point_masses(f.rewards)


@rewards_fault.register
def weighted_fault(f: Weighted, arm: Arm) -> str | None:
    """Weights for every component; then what the family itself has to say."""
    if isinstance(f.rewards, Weighted):
        return "rewards of Weighted must be a family of its own, not Weighted again"
    for field, bound, size in (
        ("theta_weights", "theta_lo", len(arm.theta_lo)),
        ("state_weights", "dynamics.lo", len(arm.dynamics.lo)),
    ):
        if len(getattr(f, field)) != size:
            return f"{field} has {len(getattr(f, field))} numbers where {bound} has {size}"
    if not any(f.theta_weights):
        return f"theta_weights {f.theta_weights} must not all be 0: nothing could be learned"
    return rewards_fault(f.rewards, reduced(arm))


def reduced(arm: Arm) -> Arm:
    """An arm of vectors as policies see it: theta is one number, and rewards see one number of the state."""
    f, d = arm.rewards, arm.dynamics
    if not isinstance(f, Weighted):
        return arm
    theta_lo, theta_hi = extent(f.theta_weights, arm.theta_lo, arm.theta_hi)
    lo, hi = extent(f.state_weights, d.lo, d.hi)
    return Arm(ProjectedDynamics(d, f.state_weights, lo, hi, shrinks(d)), f.rewards, theta_lo, theta_hi, arm.name)


def projected_arm(arm: Arm) -> Arm:
    """The same, and single numbers that are no clipped lines in x0 are vectors of one component."""
    arm = reduced(arm)
    d = arm.dynamics
    if isinstance(d, ProjectedDynamics) or is_given(next_line, d):
        return arm
    return arm._replace(dynamics=ProjectedDynamics(d, (1.0,), d.lo, d.hi, shrinks(d)))


def theta_seen(arm: Arm, theta: Any) -> float:
    """The one number that policies see of a theta."""
    f = arm.rewards
    return dot(f.theta_weights, theta) if isinstance(f, Weighted) else theta


def theta_told(arm: Arm, seen: float) -> Any:
    """A theta that looks like this: of all that do, the one on the diagonal from the least to the largest."""
    f = arm.rewards
    if not isinstance(f, Weighted):
        return seen
    least, most = extent(f.theta_weights, arm.theta_lo, arm.theta_hi)
    share = min(max((seen - least) / (most - least), 0.0), 1.0)
    theta = []
    for w, lo, hi in zip(f.theta_weights, arm.theta_lo, arm.theta_hi, strict=True):
        along = share if w > 0.0 else 1.0 - share if w < 0.0 else 0.5
        theta.append(min(max(lo + along * (hi - lo), lo), hi))  # rounding must not lead out of the bounds
    return tuple(theta)


def arms_and_states(truth: Truth) -> tuple[list[Arm], Floats, Floats]:
    """A truth as kernels take it: arms, what they see of theta, and the first states, [arms] or [arms, components]."""
    pairs = list(zip(truth.arms, truth.theta, strict=True))
    return [reduced(arm) for arm in truth.arms], np.array([theta_seen(*p) for p in pairs]), np.array(truth.x0)


# ---- constants of the theorems: a gradient by (theta, x) is one by (alpha·theta, beta·x) times the weights -----------
def stretch(f: Weighted) -> float:
    """The longer of the two weight vectors."""
    return max(math.hypot(*f.theta_weights), math.hypot(*f.state_weights))


@lipschitz_parameters.register
def weighted_lipschitz_parameters(f: Weighted, arm: Arm) -> float:
    """At most the family's, times the longer of the weight vectors."""
    return stretch(f) * lipschitz_parameters(f.rewards, reduced(arm))


@lipschitz_mean.register
def weighted_lipschitz_mean(f: Weighted, arm: Arm) -> float:
    """At most the family's, times the longer of the weight vectors."""
    return stretch(f) * lipschitz_mean(f.rewards, reduced(arm))


@lipschitz_reward.register
def weighted_lipschitz_reward(f: Weighted, arm: Arm) -> float:
    """As the family's: it is a slope by the reward."""
    return lipschitz_reward(f.rewards, reduced(arm))


@sub_gaussian.register
def weighted_sub_gaussian(f: Weighted) -> float:
    """As the family's."""
    return sub_gaussian(f.rewards)
