"""Generalised linear models with any link: mean g(eta), eta = theta_weight·theta + state_weight·x.

A family of these kinds has fields `theta_weight` and `state_weight` and gives one law, `inverse_link`: g(eta) with its
slope, monotone in eta. `BernoulliGlm` rewards are 0 or 1, `PoissonGlm` counts; `GaussianGlm` ones have a field `sd`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rogue_bandits.compile.laws import inlined, law
from rogue_bandits.model.constants import lipschitz_mean
from rogue_bandits.model.protocols import LinearPredictor, NormalPredictor
from rogue_bandits.model.rewards.expectations import whole_quantile
from rogue_bandits.model.rewards.exponential import by_weights, etas_of, natural, norm_of_weights
from rogue_bandits.model.rewards.numeric import Numeric
from rogue_bandits.model.validation import BELOW_1, rewards_fault
from rogue_bandits.numerics.normal import normal_quantile
from rogue_bandits.types import Arm, draw, information, kl, kl_and_slopes, loglik, mean, support

LEAST = 1e-300  # smallest distance of a mean from its ends, so that its logarithm is finite
FARTHEST = 8.0  # beyond, the normal distribution function rounds to 1, and P(r = 0) is lost


class Glm(Numeric):
    """The kind of all generalised linear models."""


class BernoulliGlm(Glm):
    """The kind of rewards 0 and 1, with P(r = 1) = g(eta)."""


class PoissonGlm(Glm):
    """The kind of counts with mean g(eta) > 0."""


class GaussianGlm(Glm):
    """The kind of rewards with mean g(eta) and a known `sd`."""


@law
def inverse_link(f: Any, eta: float) -> tuple[float, float]:
    """g(eta), and its slope."""


@law
def by_mean(f: Any, m: float, r: float) -> float:
    """log p(r) of the distribution with mean m."""


@law
def kl_by_mean(f: Any, m: float, m2: float) -> tuple[float, float]:
    """Return the KL of the distributions with these means, and its slope by the second."""


@law
def variance_at(f: Any, m: float) -> float:
    """Return the variance of the distribution with mean m."""


mean.register(Glm)(lambda f, theta, x: inverse_link(f, natural(f, theta, x))[0])
loglik.register(Glm)(lambda f, theta, x, r: by_mean(f, mean(f, theta, x), r))
kl.register(Glm)(lambda f, theta, x, theta2, x2: max(0.0, kl_by_mean(f, mean(f, theta, x), mean(f, theta2, x2))[0]))


@kl_and_slopes.register(Glm)
def glm_kl_and_slopes(
    f: LinearPredictor, theta: float, x: float, theta2: float, x2: float
) -> tuple[float, float, float]:
    """Apply the chain rule: by the second mean, its eta, the weights."""
    g2, slope2 = inverse_link(f, natural(f, theta2, x2))
    value, by_m2 = kl_by_mean(f, mean(f, theta, x), g2)
    return max(0.0, value), f.theta_weight * by_m2 * slope2, f.state_weight * by_m2 * slope2


@information.register(Glm)
def glm_information(f: LinearPredictor, theta: float, x: float) -> tuple[float, float, float]:
    """slope² / variance times the products of the weights."""
    g, slope = inverse_link(f, natural(f, theta, x))
    return by_weights(f, slope * slope / variance_at(f, g))


# ---- 0 or 1 ----------------------------------------------------------------------------------------------------------
support.register(BernoulliGlm)(lambda f: (0.0, 1.0, True))
draw.register(BernoulliGlm)(lambda f, theta, x, u: 1.0 if u >= 1.0 - mean(f, theta, x) else 0.0)
variance_at.register(BernoulliGlm)(lambda f, m: _proper(m) * (1.0 - _proper(m)))


@inlined
def _proper(p: float) -> float:
    """Return p, moved inside (0, 1) so that log p and log(1 − p) are finite."""
    return min(max(p, LEAST), BELOW_1)


@by_mean.register(BernoulliGlm)
def bernoulli_by_mean(f: LinearPredictor, m: float, r: float) -> float:
    """log m, or log(1 − m)."""
    return math.log(_proper(m)) if r > 0.5 else math.log1p(-_proper(m))


@kl_by_mean.register(BernoulliGlm)
def bernoulli_kl_by_mean(f: LinearPredictor, m: float, m2: float) -> tuple[float, float]:
    """m·log(m/m2) + (1 − m)·log((1 − m)/(1 − m2))."""
    p, q = _proper(m), _proper(m2)
    return p * math.log(p / q) + (1.0 - p) * (math.log1p(-p) - math.log1p(-q)), (q - p) / (q * (1.0 - q))


# ---- counts ----------------------------------------------------------------------------------------------------------
support.register(PoissonGlm)(lambda f: (0.0, math.inf, True))
draw.register(PoissonGlm)(lambda f, theta, x, u: whole_quantile(f, theta, x, u))
variance_at.register(PoissonGlm)(lambda f, m: max(m, LEAST))
by_mean.register(PoissonGlm)(lambda f, m, r: r * math.log(max(m, LEAST)) - m - math.lgamma(r + 1.0))


@kl_by_mean.register(PoissonGlm)
def poisson_kl_by_mean(f: LinearPredictor, m: float, m2: float) -> tuple[float, float]:
    """m·log(m/m2) − m + m2."""
    p, q = max(m, LEAST), max(m2, LEAST)
    return p * math.log(p / q) - p + q, (q - p) / q


# ---- the real line ---------------------------------------------------------------------------------------------------
support.register(GaussianGlm)(lambda f: (-math.inf, math.inf, False))
draw.register(GaussianGlm)(lambda f, theta, x, u: mean(f, theta, x) + f.sd * normal_quantile(u))
variance_at.register(GaussianGlm)(lambda f, m: f.sd * f.sd)


@by_mean.register(GaussianGlm)
def gaussian_by_mean(f: NormalPredictor, m: float, r: float) -> float:
    """Return the log of the normal density."""
    z = (r - m) / f.sd
    return -0.5 * z * z - math.log(f.sd * math.sqrt(2.0 * math.pi))


@kl_by_mean.register(GaussianGlm)
def gaussian_kl_by_mean(f: NormalPredictor, m: float, m2: float) -> tuple[float, float]:
    """Return half the squared distance of the means in standard deviations, and its slope."""
    shift = (m2 - m) / f.sd
    return 0.5 * shift * shift, shift / f.sd


# ---- the probit model ------------------------------------------------------------------------------------------------
class BernoulliProbit(NamedTuple):
    """P(r = 1) = Φ(theta_weight·theta + state_weight·x), Φ the normal distribution function.

    >>> from rogue_bandits.types import mean
    >>> mean(BernoulliProbit(theta_weight=0.4, state_weight=0.6), 0.0, 0.0)
    0.5
    """

    theta_weight: float
    state_weight: float


BernoulliGlm.register(BernoulliProbit)
# The normal density is largest at 0.
lipschitz_mean.register(BernoulliProbit, lambda f, arm: norm_of_weights(f) / math.sqrt(2.0 * math.pi))


@inverse_link.register(BernoulliProbit)
def bernoulli_probit_inverse_link(f: BernoulliProbit, eta: float) -> tuple[float, float]:
    """Φ(eta), and the normal density."""
    return 0.5 * math.erfc(-eta / math.sqrt(2.0)), math.exp(-0.5 * eta * eta) / math.sqrt(2.0 * math.pi)


@rewards_fault.register
def bernoulli_probit_fault(f: BernoulliProbit, arm: Arm) -> str | None:
    """Check that |eta| is at most 8."""
    farthest = max(map(abs, etas_of(f, arm)))
    if farthest <= FARTHEST:
        return None
    return f"theta_weight·theta + state_weight·x reaches ±{farthest:g} and must stay from -{FARTHEST:g} to {FARTHEST:g}"
