"""Rewards strictly between 0 and 1: a share, Beta distributed with one of the two parameters known.

With both parameters unknown the family is not one-parameter. With their sum known it is, but A'' is then not unimodal,
which the exact fit needs. With b known, A'' decreases.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from rogue_bandits.model.constants import lipschitz_mean, lipschitz_parameters, lipschitz_reward, sub_gaussian
from rogue_bandits.model.rewards.exponential import (
    Exponential,
    etas_of,
    log_base,
    log_partition,
    natural,
    norm_of_weights,
    root_mean_square_slope,
    steepest,
    sufficient,
)
from rogue_bandits.model.validation import ABOVE_0, BELOW_1, rewards_fault
from rogue_bandits.numerics.special import beta_distribution, digamma
from rogue_bandits.types import Arm, draw, mean, support

MOST = 1e4  # beyond, log Γ(a) − log Γ(a + b) loses too many digits


class BetaFraction(NamedTuple):
    """r ~ Beta(eta, b), eta = theta_weight·theta + state_weight·x ≥ 1 and b ≥ 1 known: log-concave, mean eta/(eta + b).

    >>> from rogue_bandits.types import mean
    >>> mean(BetaFraction(theta_weight=2.0, state_weight=1.0, b=3.0), 1.0, 1.0)
    0.5
    """

    theta_weight: float
    state_weight: float
    b: float


Exponential.register(BetaFraction)
# Without 0, whose logarithm is infinite, and with 1 only where the density does not vanish there.
support.register(BetaFraction)(lambda f: (ABOVE_0, 1.0 if f.b == 1.0 else BELOW_1, False))
sufficient.register(BetaFraction)(lambda f, r: math.log(r))
steepest.register(BetaFraction)(lambda f: -math.inf)  # A'' decreases in eta
sub_gaussian.register(BetaFraction, lambda f: 0.5)
# log r is unbounded: the root mean square, as for a Gaussian.
lipschitz_parameters.register(BetaFraction, root_mean_square_slope)
# b/(eta + b)² times the weights, at the smallest eta.
lipschitz_mean.register(BetaFraction, lambda f, arm: norm_of_weights(f) * f.b / (etas_of(f, arm)[0] + f.b) ** 2)


@log_partition.register(BetaFraction)
def beta_fraction_log_partition(f: BetaFraction, eta: float) -> tuple[float, float, float]:
    """log Γ(eta) − log Γ(eta + b): its slope is the mean of log r."""
    (first, second), (first_b, second_b) = digamma(eta), digamma(eta + f.b)
    return math.lgamma(eta) - math.lgamma(eta + f.b), first - first_b, second - second_b


@mean.register(BetaFraction)
def beta_fraction_mean(f: BetaFraction, theta: float, x: float) -> float:
    """eta / (eta + b)."""
    eta = natural(f, theta, x)
    return eta / (eta + f.b)


@log_base.register(BetaFraction)
def beta_fraction_log_base(f: BetaFraction, r: float) -> float:
    """(b − 1)·log(1 − r) − log r − log Γ(b)."""
    rest = (f.b - 1.0) * math.log1p(-r) if f.b > 1.0 else 0.0
    return rest - math.log(r) - math.lgamma(f.b)


@draw.register(BetaFraction)
def beta_fraction_draw(f: BetaFraction, theta: float, x: float, u: float) -> float:
    """Return the quantile, by bisection of the distribution function."""
    eta = natural(f, theta, x)
    lo, hi, _ = support(f)
    a, b = 0.0, 1.0
    for _ in range(60):
        r = 0.5 * (a + b)
        if beta_distribution(eta, f.b, r) < u:
            a = r
        else:
            b = r
    return min(max(0.5 * (a + b), lo), hi)


@rewards_fault.register
def beta_fraction_fault(f: BetaFraction, arm: Arm) -> str | None:
    """Check that both parameters are at least 1: below, the density is not log-concave (Assumption 2)."""
    if not 1.0 <= f.b <= MOST:
        return f"b {f.b:g} must be from 1 to {MOST:g}: below 1 the density is not log-concave"
    etas = etas_of(f, arm)
    if etas[0] < 1.0 or etas[-1] > MOST:
        return (
            f"theta_weight {f.theta_weight} and state_weight {f.state_weight} lead to an eta from {etas[0]:g} to "
            f"{etas[-1]:g}: it must be from 1 to {MOST:g} within the bounds; below 1 the density is not log-concave"
        )
    return None


@lipschitz_reward.register
def beta_fraction_lipschitz_reward(f: BetaFraction, arm: Arm) -> float:
    """Raise TypeError: (eta' − eta)·log r has no bounded slope near r = 0."""
    raise TypeError(
        "Assumption 4 has no constant L_p for BetaFraction: log r changes without bound near r = 0. "
        "Use TunedRadius, or ContinuousBernoulli or TruncatedGaussian rewards"
    )
