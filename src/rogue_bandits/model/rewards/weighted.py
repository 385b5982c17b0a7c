"""Families of vectors theta and x through one number each: mean g(alpha·theta + beta·x).  [Sec. 2.4.2]

As alpha and beta are known, policies work with the number alpha·theta, and the family with the number beta·x.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.model.constants import lipschitz_mean, lipschitz_parameters, lipschitz_reward, sub_gaussian
from rogue_bandits.model.dynamics.projected import ProjectedDynamics, dot, extent, lipschitz_state
from rogue_bandits.model.probe import has_law
from rogue_bandits.model.rewards.tabulated import have_curves, with_curves
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


takes_vectors.register(Weighted, lambda f: True)
support.register(Weighted)(lambda f: support(f.rewards))
is_summable.register(Weighted)(lambda f: is_summable(f.rewards))
point_masses.register(Weighted)(lambda f: point_masses(f.rewards))
sub_gaussian.register(Weighted, lambda f: sub_gaussian(f.rewards))
lipschitz_reward.register(Weighted, lambda f, arm: lipschitz_reward(f.rewards, reduced(arm)))


@rewards_fault.register
def weighted_fault(f: Weighted, arm: Arm) -> str | None:
    """Check that there is a weight for every component; then the family itself."""
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
    """Return an arm of vectors with theta projected to a number, and projected dynamics."""
    f, d = arm.rewards, arm.dynamics
    if not isinstance(f, Weighted):
        return arm
    theta_lo, theta_hi = extent(f.theta_weights, arm.theta_lo, arm.theta_hi)
    lo, hi = extent(f.state_weights, d.lo, d.hi)
    return Arm(
        ProjectedDynamics(d, f.state_weights, lo, hi, lipschitz_state(d)),
        f.rewards,
        theta_lo,
        theta_hi,
        arm.name,
        arm.x0,
    )


def projected_arm(arm: Arm) -> Arm:
    """Return `reduced(arm)`, with scalar dynamics without `next_line` as vectors of one component."""
    arm = reduced(arm)
    d = arm.dynamics
    if isinstance(d, ProjectedDynamics) or has_law(next_line, d):
        return arm
    return arm._replace(dynamics=ProjectedDynamics(d, (1.0,), d.lo, d.hi, lipschitz_state(d)))


def projected_theta(arm: Arm, theta: Any) -> float:
    """Return theta_weights·theta, or theta itself where it is a number."""
    f = arm.rewards
    return dot(f.theta_weights, theta) if isinstance(f, Weighted) else theta


def theta_on_diagonal(arm: Arm, value: float) -> Any:
    """Return the theta with this projection on the diagonal of the box; the value itself where theta is a number."""
    f = arm.rewards
    if not isinstance(f, Weighted):
        return float(value)
    least, most = extent(f.theta_weights, arm.theta_lo, arm.theta_hi)
    share = min(max((value - least) / (most - least), 0.0), 1.0)
    theta = []
    for w, lo, hi in zip(f.theta_weights, arm.theta_lo, arm.theta_hi, strict=True):
        along = share if w > 0.0 else 1.0 - share if w < 0.0 else 0.5
        theta.append(float(min(max(lo + along * (hi - lo), lo), hi)))  # inside the bounds in spite of rounding
    return tuple(theta)


def arms_and_states(truth: Truth) -> tuple[list[Arm], Floats, Floats]:
    """Return a truth as kernels take it: reduced arms, projected thetas, first states [arms] or [arms, components].

    Where theta is a curve, it is in the reward family (`Tabulated`).
    """
    if have_curves(truth.arms):
        return with_curves(list(truth.arms), truth.theta), np.zeros(len(truth.arms)), np.array(truth.x0)
    pairs = list(zip(truth.arms, truth.theta, strict=True))
    return [reduced(arm) for arm in truth.arms], np.array([projected_theta(*p) for p in pairs]), np.array(truth.x0)


def _weighted_lipschitz(constant: Callable[[Any, Arm], float]) -> Callable[[Weighted, Arm], float]:
    """Return L_f or L_g of a Weighted family: a gradient by (theta, x) is the family's, times the weight vectors."""
    return lambda f, arm: (
        max(math.hypot(*f.theta_weights), math.hypot(*f.state_weights)) * constant(f.rewards, reduced(arm))
    )


lipschitz_parameters.register(Weighted, _weighted_lipschitz(lipschitz_parameters))
lipschitz_mean.register(Weighted, _weighted_lipschitz(lipschitz_mean))
