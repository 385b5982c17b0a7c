"""Exponential families with natural parameter eta = theta_weight·theta + state_weight·x.

p(r) = exp((r·eta − A(eta)) / dispersion + log_base(r)), so that A' is the mean and A''·dispersion the variance. A
family of this kind gives `support`, `log_partition`, `steepest` and `draw`, and `dispersion` and `log_base` where they
are not 1 and 0. Where the sufficient statistic is not r itself, the family gives `sufficient` and `mean`.
"""

from __future__ import annotations

import math
from abc import ABC
from typing import Any

from rogue_bandits.compile.laws import inlined, law
from rogue_bandits.model.constants import corners, lipschitz_mean, lipschitz_parameters, lipschitz_reward
from rogue_bandits.model.probe import BrokenLawError, evaluate, probed_fault
from rogue_bandits.model.protocols import LinearPredictor
from rogue_bandits.model.validation import rewards_fault
from rogue_bandits.types import (
    Arm,
    Potential,
    coordinate,
    curvature_ratio,
    information,
    kl,
    kl_and_slopes,
    loglik,
    mean,
    potential,
    settled_kl,
    settled_loglik,
    statistics,
    support,
    theta_at,
)


class Exponential(ABC):
    """The kind: `Exponential.register(YourFamily)`."""


@law
def log_partition(f: Any, eta: float) -> tuple[float, float, float]:
    """A(eta) with its first and second derivative."""


@law
def steepest(f: Any) -> float:
    """Return the eta at which A'', which is unimodal, is largest; ±inf where A'' is monotone."""


@law
def dispersion(f: Any) -> float:
    """Return the variance over A''(eta); 1 by default."""


@law
def log_base(f: Any, r: float) -> float:
    """Return the part of log p that does not depend on eta; 0 by default."""


@law
def sufficient(f: Any, r: float) -> float:
    """Return the sufficient statistic; the reward itself by default."""


dispersion.register(Exponential)(lambda f: 1.0)
log_base.register(Exponential)(lambda f, r: 0.0)
sufficient.register(Exponential)(lambda f, r: r)
mean.register(Exponential)(lambda f, theta, x: log_partition(f, natural(f, theta, x))[1])
kl.register(Exponential)(lambda f, theta, x, theta2, x2: kl_and_slopes(f, theta, x, theta2, x2)[0])
coordinate.register(Exponential)(lambda f, theta: theta)
theta_at.register(Exponential)(lambda f, y: y)
information.register(Exponential)(
    lambda f, theta, x: by_weights(f, log_partition(f, natural(f, theta, x))[2] / dispersion(f))
)
potential.register(Exponential)(lambda f, theta, x: log_partition(f, natural(f, theta, x))[0] / dispersion(f))
settled_loglik.register(Exponential)(lambda f, theta, s1, s2, s3, w: theta * s1 + s2 - w)
# The gradient of A'(eta) is A''(eta) times the weights; the log-ratio is r·(eta' − eta) / dispersion plus a constant.
lipschitz_mean.register(Exponential, lambda f, arm: norm_of_weights(f) * _largest_curvature(f, etas_of(f, arm)))
lipschitz_reward.register(Exponential, lambda f, arm: (etas_of(f, arm)[-1] - etas_of(f, arm)[0]) / dispersion(f))


@inlined
def natural(f: LinearPredictor, theta: float, x: float) -> float:
    """Return eta, the natural parameter."""
    return f.theta_weight * theta + f.state_weight * x


@inlined
def mean_of(f: LinearPredictor, eta: float) -> float:
    """Return the mean reward at a natural parameter."""
    if f.theta_weight == 0.0:
        return mean(f, 0.0, eta / f.state_weight if f.state_weight != 0.0 else 0.0)
    return mean(f, eta / f.theta_weight, 0.0)


@inlined
def eta_range(f: LinearPredictor, arm: Arm) -> tuple[float, float]:
    """Return the least and the largest natural parameter of an arm."""
    theta_half = abs(f.theta_weight) * 0.5 * (arm.theta_hi - arm.theta_lo)
    state_half = abs(f.state_weight) * 0.5 * (arm.dynamics.hi - arm.dynamics.lo)
    middle = natural(f, 0.5 * (arm.theta_lo + arm.theta_hi), 0.5 * (arm.dynamics.lo + arm.dynamics.hi))
    return middle - theta_half - state_half, middle + theta_half + state_half


def etas_of(f: LinearPredictor, arm: Arm) -> list[float]:
    """Return the natural parameters at the corners of the box, in increasing order."""
    return sorted(natural(f, theta, x) for theta, x in corners(arm))


def norm_of_weights(f: LinearPredictor) -> float:
    """Return the norm of the gradient of eta."""
    return math.hypot(f.theta_weight, f.state_weight)


def _largest_curvature(f: LinearPredictor, etas: list[float]) -> float:
    """Return the largest A'' in the box: where eta is nearest to `steepest`."""
    return log_partition(f, min(max(steepest(f), etas[0]), etas[-1]))[2]


@rewards_fault.register(Exponential)
def exponential_fault(f: LinearPredictor, arm: Arm) -> str | None:
    """Check that A is finite on the range of eta; then try the laws."""
    etas = etas_of(f, arm)
    for eta in (*etas, 0.5 * (etas[0] + etas[-1])):
        try:
            evaluate(log_partition, f, eta)
        except BrokenLawError as broken:
            return (
                f"{broken}; eta = theta_weight·theta + state_weight·x runs from {etas[0]:g} to {etas[-1]:g} within the "
                "bounds of theta and x, and A(eta) must be finite there"
            )
    return probed_fault(f, arm)


@lipschitz_parameters.register(Exponential)
def exponential_lipschitz_parameters(f: LinearPredictor, arm: Arm) -> float:
    """Return the largest norm of the gradient (r − A'(eta))·(weights) / dispersion, where rewards are bounded."""
    lo, hi, _ = support(f)
    if not math.isfinite(hi - lo):
        return root_mean_square_slope(f, arm)
    least, *_, most = (log_partition(f, eta)[1] for eta in etas_of(f, arm))
    return norm_of_weights(f) * max(hi - least, most - lo) / dispersion(f)


def root_mean_square_slope(f: LinearPredictor, arm: Arm) -> float:
    """Return a bound of the root mean square of the gradient (r − A')·(weights) / dispersion.

    Where rewards are unbounded, so is the gradient, which Assumption 3 bounds. The proof needs only its root mean
    square under the truth: at most the standard deviation plus the range of A'.
    """
    etas = etas_of(f, arm)
    least, *_, most = (log_partition(f, eta)[1] for eta in etas)
    sd = math.sqrt(_largest_curvature(f, etas) * dispersion(f))
    return norm_of_weights(f) * (sd + most - least) / dispersion(f)


@loglik.register(Exponential)
def exponential_loglik(f: LinearPredictor, theta: float, x: float, r: float) -> float:
    """(r·eta − A(eta)) / dispersion + log_base(r)."""
    eta = natural(f, theta, x)
    return (sufficient(f, r) * eta - log_partition(f, eta)[0]) / dispersion(f) + log_base(f, r)


@inlined
def bregman(at: float, value: float, slope: float, at2: float, value2: float) -> float:
    """Return how far a convex function lies above its tangent at `at`."""
    return max(0.0, value2 - value - slope * (at2 - at))


@kl_and_slopes.register(Exponential)
def exponential_kl_and_slopes(
    f: LinearPredictor, theta: float, x: float, theta2: float, x2: float
) -> tuple[float, float, float]:
    """A(eta2) − A(eta) − A'(eta)·(eta2 − eta), and A'(eta2) − A'(eta) times the weights, over the dispersion."""
    eta, eta2 = natural(f, theta, x), natural(f, theta2, x2)
    a, slope, _ = log_partition(f, eta)
    a2, slope2, _ = log_partition(f, eta2)
    shift = (slope2 - slope) / dispersion(f)
    return bregman(eta, a, slope, eta2, a2) / dispersion(f), f.theta_weight * shift, f.state_weight * shift


@inlined
def by_weights(f: LinearPredictor, curvature: float) -> tuple[float, float, float]:
    """Return a curvature in eta as curvatures in (theta, x): theta-theta, theta-x, x-x."""
    along_theta, along_x = f.theta_weight * curvature, f.state_weight * curvature
    return f.theta_weight * along_theta, f.state_weight * along_theta, f.state_weight * along_x


@curvature_ratio.register(Exponential)
def exponential_curvature_ratio(f: LinearPredictor, arm: Arm, theta2: float, x2: float) -> float:
    """Pinsker: kl ≥ (A'(eta) − A'(eta2))² / (2 max A''·dispersion), where a unit is that square over A''(eta2)."""
    lo, hi = eta_range(f, arm)
    largest = log_partition(f, min(max(steepest(f), lo), hi))[2]  # 0 if A'' underflows everywhere
    return 0.5 * log_partition(f, natural(f, theta2, x2))[2] / largest if largest > 0.0 else 0.0


@statistics.register(Exponential)
def exponential_statistics(f: LinearPredictor, x: float, r: float) -> tuple[float, float, float]:
    """Return the factor of theta in r·eta / dispersion + log_base, and the rest."""
    t = sufficient(f, r) / dispersion(f)
    return t * f.theta_weight, t * f.state_weight * x + log_base(f, r), 0.0


@settled_kl.register(Exponential)
def exponential_settled_kl(
    f: LinearPredictor, theta: float, at: Potential, theta2: float, at2: Potential
) -> tuple[float, float, float]:
    """Return the Bregman divergence of W, its slope in theta2, and W''(theta2)."""
    return bregman(theta, at.value, at.slope, theta2, at2.value), at2.slope - at.slope, at2.curvature
