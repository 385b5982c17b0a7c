"""What all exponential families share: natural parameter eta = theta_weight·theta + state_weight·x.

A family of this kind gives `log_partition`, `steepest`, `dispersion` and `log_base`; the other laws follow here.
p(r) = exp((r·eta − A(eta)) / dispersion + log_base(r)), so that A' is the mean and A''·dispersion the variance. Where
not r itself is multiplied by eta but a function of it, the family gives that as `sufficient`, and its `mean`.
"""

from __future__ import annotations

import math
from abc import ABC
from typing import Any

from rogue_bandits.compile.laws import inlined, law
from rogue_bandits.model.constants import corners, lipschitz_mean, lipschitz_parameters, lipschitz_reward
from rogue_bandits.model.probe import probed_fault
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
    """The kind: `Exponential.register(YourFamily)` after giving the four laws below."""


@law
def log_partition(f: Any, eta: float) -> tuple[float, float, float]:
    """A(eta) with its first and second derivative."""


@law
def steepest(f: Any) -> float:
    """The eta at which A'' is largest; on either side it falls. ±inf where it rises or falls all the way."""


@law
def dispersion(f: Any) -> float:
    """The variance is A''(eta)·dispersion."""


@law
def log_base(f: Any, r: float) -> float:
    """What of log p does not depend on eta."""


@law
def sufficient(f: Any, r: float) -> float:
    """The function of the reward that eta multiplies."""


@sufficient.register(Exponential)
def exponential_sufficient(f: Any, r: float) -> float:
    """The reward itself."""
    return r


@inlined
def natural(f: Any, theta: float, x: float) -> float:
    """Eta, the natural parameter."""
    return f.theta_weight * theta + f.state_weight * x


@inlined
def mean_of(f: Any, eta: float) -> float:
    """The mean reward by its natural parameter alone."""
    if f.theta_weight == 0.0:
        return mean(f, 0.0, eta / f.state_weight if f.state_weight != 0.0 else 0.0)
    return mean(f, eta / f.theta_weight, 0.0)


@inlined
def eta_range(f: Any, arm: Any) -> tuple[float, float]:
    """The least and the largest natural parameter of an arm."""
    theta_reach = abs(f.theta_weight) * 0.5 * (arm.theta_hi - arm.theta_lo)
    state_reach = abs(f.state_weight) * 0.5 * (arm.dynamics.hi - arm.dynamics.lo)
    middle = natural(f, 0.5 * (arm.theta_lo + arm.theta_hi), 0.5 * (arm.dynamics.lo + arm.dynamics.hi))
    return middle - theta_reach - state_reach, middle + theta_reach + state_reach


def natural_range(f: Any, arm: Arm) -> float:
    """The largest difference of two natural parameters in the box."""
    etas = [natural(f, theta, x) for theta, x in corners(arm)]
    return max(etas) - min(etas)


def largest_curvature(f: Any, arm: Arm) -> float:
    """The largest A'' in the box: where eta comes nearest to `steepest`."""
    etas = [natural(f, theta, x) for theta, x in corners(arm)]
    return log_partition(f, min(max(steepest(f), min(etas)), max(etas)))[2]


def slope_range(f: Any, arm: Arm) -> tuple[float, float]:
    """The least and the largest A' in the box: at corners, as A' rises."""
    slopes = [log_partition(f, natural(f, theta, x))[1] for theta, x in corners(arm)]
    return min(slopes), max(slopes)


@rewards_fault.register
def exponential_fault(f: Exponential, arm: Arm) -> str | None:
    """Unless the family says more, laws that break are found by trying them."""
    return probed_fault(f, arm)


@lipschitz_mean.register
def exponential_lipschitz_mean(f: Exponential, arm: Arm) -> float:
    """The gradient of A'(eta) is A''(eta)·(weights)."""
    family: Any = f
    return math.hypot(family.theta_weight, family.state_weight) * largest_curvature(f, arm)


@lipschitz_parameters.register
def exponential_lipschitz_parameters(f: Exponential, arm: Arm) -> float:
    """The gradient is (r − A'(eta))·(weights) / dispersion: the largest, where rewards are bounded."""
    family: Any = f
    (lo, hi, _), (least, most) = support(f), slope_range(f, arm)
    if not math.isfinite(hi - lo):
        return root_mean_square_slope(f, arm)
    return math.hypot(family.theta_weight, family.state_weight) * max(hi - least, most - lo) / dispersion(f)


def root_mean_square_slope(f: Any, arm: Arm) -> float:
    """Where rewards are not bounded, the gradient (r − A')·(weights) / dispersion has no bound, as Assumption 3 asks.

    The proof needs only its root mean square under the truth: at most the standard deviation plus the range of A'.
    """
    least, most = slope_range(f, arm)
    sd = math.sqrt(largest_curvature(f, arm) * dispersion(f))
    return math.hypot(f.theta_weight, f.state_weight) * (sd + most - least) / dispersion(f)


@lipschitz_reward.register
def exponential_lipschitz_reward(f: Exponential, arm: Arm) -> float:
    """The ratio is r·(eta' − eta) / dispersion and a constant."""
    return natural_range(f, arm) / dispersion(f)


@mean.register(Exponential)
def exponential_mean(f: Any, theta: float, x: float) -> float:
    """A'(eta)."""
    return log_partition(f, natural(f, theta, x))[1]


@loglik.register(Exponential)
def exponential_loglik(f: Any, theta: float, x: float, r: float) -> float:
    """(r·eta − A(eta)) / dispersion + log_base(r)."""
    eta = natural(f, theta, x)
    return (sufficient(f, r) * eta - log_partition(f, eta)[0]) / dispersion(f) + log_base(f, r)


@inlined
def bregman(at: float, value: float, slope: float, at2: float, value2: float) -> float:
    """How far a convex function lies above its tangent: value and slope are of the place where they touch."""
    return max(0.0, value2 - value - slope * (at2 - at))


@kl.register(Exponential)
def exponential_kl(f: Any, theta: float, x: float, theta2: float, x2: float) -> float:
    """The Bregman divergence of A, from eta2 to eta."""
    return kl_and_slopes(f, theta, x, theta2, x2)[0]


@kl_and_slopes.register(Exponential)
def exponential_kl_and_slopes(f: Any, theta: float, x: float, theta2: float, x2: float) -> tuple[float, float, float]:
    """A(eta2) − A(eta) − A'(eta)·(eta2 − eta), and A'(eta2) − A'(eta) times the weights, over the dispersion."""
    eta, eta2 = natural(f, theta, x), natural(f, theta2, x2)
    a, slope, _ = log_partition(f, eta)
    a2, slope2, _ = log_partition(f, eta2)
    shift = (slope2 - slope) / dispersion(f)
    return bregman(eta, a, slope, eta2, a2) / dispersion(f), f.theta_weight * shift, f.state_weight * shift


@inlined
def by_weights(f: Any, curvature: float) -> tuple[float, float, float]:
    """A curvature in eta as curvatures in (theta, x): theta-theta, theta-x, x-x."""
    along_theta, along_x = f.theta_weight * curvature, f.state_weight * curvature
    return f.theta_weight * along_theta, f.state_weight * along_theta, f.state_weight * along_x


@information.register(Exponential)
def exponential_information(f: Any, theta: float, x: float) -> tuple[float, float, float]:
    """A''(eta) / dispersion times the products of the weights."""
    return by_weights(f, log_partition(f, natural(f, theta, x))[2] / dispersion(f))


@curvature_ratio.register(Exponential)
def exponential_curvature_ratio(f: Any, arm: Any, theta2: float, x2: float) -> float:
    """Pinsker: kl ≥ (A'(eta) − A'(eta2))² / (2 max A''·dispersion), where a unit is that square over A''(eta2)."""
    lo, hi = eta_range(f, arm)
    largest = log_partition(f, min(max(steepest(f), lo), hi))[2]
    # Where A'' underflows everywhere, no bound is proven.
    return 0.5 * log_partition(f, natural(f, theta2, x2))[2] / largest if largest > 0.0 else 0.0


@coordinate.register(Exponential)
def exponential_coordinate(f: Any, theta: float) -> float:
    """A is analytic in theta itself."""
    return theta


@theta_at.register(Exponential)
def exponential_theta_at(f: Any, y: float) -> float:
    """Theta itself."""
    return y


@statistics.register(Exponential)
def exponential_statistics(f: Any, x: float, r: float) -> tuple[float, float, float]:
    """Of r·(theta_weight·theta + state_weight·x) / dispersion + log_base: the factor of theta, and the rest."""
    t = sufficient(f, r) / dispersion(f)
    return t * f.theta_weight, t * f.state_weight * x + log_base(f, r), 0.0


@potential.register(Exponential)
def exponential_potential(f: Any, theta: float, x: float) -> float:
    """A(eta) / dispersion."""
    return log_partition(f, natural(f, theta, x))[0] / dispersion(f)


@settled_loglik.register(Exponential)
def exponential_settled_loglik(f: Any, theta: float, s1: float, s2: float, s3: float, w: float) -> float:
    """theta·Σ r·theta_weight − W(theta) + the rest."""
    return theta * s1 + s2 - w


@settled_kl.register(Exponential)
def exponential_settled_kl(
    f: Any, theta: float, at: Potential, theta2: float, at2: Potential
) -> tuple[float, float, float]:
    """The Bregman divergence of W, its slope in theta2, and W''(theta2)."""
    return bregman(theta, at.value, at.slope, theta2, at2.value), at2.slope - at.slope, at2.curvature
