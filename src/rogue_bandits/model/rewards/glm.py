"""Generalised linear models with a link of one's own: mean g(eta), eta = theta_weight·theta + state_weight·x.

A family of these kinds has fields `theta_weight` and `state_weight` and gives one law, `inverse_link`: g(eta) with its
slope, monotone in eta. `BernoulliGlm` rewards are 0 or 1, `PoissonGlm` counts; `GaussianGlm` ones have a field `sd`.
"""

from __future__ import annotations

import math
from typing import Any

from rogue_bandits.compile.laws import inlined, law
from rogue_bandits.model.rewards.exponential import by_weights, natural
from rogue_bandits.model.rewards.gaussian import normal_quantile
from rogue_bandits.model.rewards.numeric import Numeric
from rogue_bandits.model.validation import BELOW_1
from rogue_bandits.numerics.quantiles import whole_quantile
from rogue_bandits.types import draw, information, kl, kl_and_slopes, loglik, mean, support

LEAST = 1e-300  # what a mean must keep away from its ends, so that it has a logarithm


class Glm(Numeric):
    """The kind of all three."""


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
    """log p(r) when the mean is m."""


@law
def kl_by_mean(f: Any, m: float, m2: float) -> tuple[float, float]:
    """The KL of two laws with these means, and its slope by the second."""


@law
def variance_at(f: Any, m: float) -> float:
    """The variance when the mean is m."""


@mean.register(Glm)
def glm_mean(f: Any, theta: float, x: float) -> float:
    """g(eta)."""
    return inverse_link(f, natural(f, theta, x))[0]


@loglik.register(Glm)
def glm_loglik(f: Any, theta: float, x: float, r: float) -> float:
    """Through the mean alone."""
    return by_mean(f, mean(f, theta, x), r)


@kl.register(Glm)
def glm_kl(f: Any, theta: float, x: float, theta2: float, x2: float) -> float:
    """Through the means alone."""
    return max(0.0, kl_by_mean(f, mean(f, theta, x), mean(f, theta2, x2))[0])


@kl_and_slopes.register(Glm)
def glm_kl_and_slopes(f: Any, theta: float, x: float, theta2: float, x2: float) -> tuple[float, float, float]:
    """The chain rule: by the second mean, by its eta, by the weights."""
    g2, slope2 = inverse_link(f, natural(f, theta2, x2))
    value, by_m2 = kl_by_mean(f, mean(f, theta, x), g2)
    return max(0.0, value), f.theta_weight * by_m2 * slope2, f.state_weight * by_m2 * slope2


@information.register(Glm)
def glm_information(f: Any, theta: float, x: float) -> tuple[float, float, float]:
    """slope² / variance times the products of the weights."""
    g, slope = inverse_link(f, natural(f, theta, x))
    return by_weights(f, slope * slope / variance_at(f, g))


# ---- 0 or 1 ----------------------------------------------------------------------------------------------------------
@inlined
def proper(p: float) -> float:
    """A probability whose logarithm, and that of 1 − p, are numbers."""
    return min(max(p, LEAST), BELOW_1)


@support.register(BernoulliGlm)
def bernoulli_glm_support(f: Any) -> tuple[float, float, bool]:
    """0 and 1, and nothing between."""
    return 0.0, 1.0, True


@by_mean.register(BernoulliGlm)
def bernoulli_by_mean(f: Any, m: float, r: float) -> float:
    """log m, or log(1 − m)."""
    return math.log(proper(m)) if r > 0.5 else math.log1p(-proper(m))


@kl_by_mean.register(BernoulliGlm)
def bernoulli_kl_by_mean(f: Any, m: float, m2: float) -> tuple[float, float]:
    """m·log(m/m2) + (1 − m)·log((1 − m)/(1 − m2))."""
    p, q = proper(m), proper(m2)
    return p * math.log(p / q) + (1.0 - p) * (math.log1p(-p) - math.log1p(-q)), (q - p) / (q * (1.0 - q))


@variance_at.register(BernoulliGlm)
def bernoulli_variance_at(f: Any, m: float) -> float:
    """m·(1 − m)."""
    return proper(m) * (1.0 - proper(m))


@draw.register(BernoulliGlm)
def bernoulli_glm_draw(f: Any, theta: float, x: float, u: float) -> float:
    """1 where u is among the highest P(r = 1) of the unit interval."""
    return 1.0 if u >= 1.0 - mean(f, theta, x) else 0.0


# ---- counts ----------------------------------------------------------------------------------------------------------
@support.register(PoissonGlm)
def poisson_glm_support(f: Any) -> tuple[float, float, bool]:
    """0, 1, 2, … without end."""
    return 0.0, math.inf, True


@by_mean.register(PoissonGlm)
def poisson_by_mean(f: Any, m: float, r: float) -> float:
    """r·log m − m − log r!."""
    return r * math.log(max(m, LEAST)) - m - math.lgamma(r + 1.0)


@kl_by_mean.register(PoissonGlm)
def poisson_kl_by_mean(f: Any, m: float, m2: float) -> tuple[float, float]:
    """m·log(m/m2) − m + m2."""
    p, q = max(m, LEAST), max(m2, LEAST)
    return p * math.log(p / q) - p + q, (q - p) / q


@variance_at.register(PoissonGlm)
def poisson_variance_at(f: Any, m: float) -> float:
    """The mean."""
    return max(m, LEAST)


@draw.register(PoissonGlm)
def poisson_glm_draw(f: Any, theta: float, x: float, u: float) -> float:
    """By sums of probabilities from the mean."""
    return whole_quantile(f, theta, x, u)


# ---- the whole line --------------------------------------------------------------------------------------------------
@support.register(GaussianGlm)
def gaussian_glm_support(f: Any) -> tuple[float, float, bool]:
    """The whole line."""
    return -math.inf, math.inf, False


@by_mean.register(GaussianGlm)
def gaussian_by_mean(f: Any, m: float, r: float) -> float:
    """The log of the normal density."""
    z = (r - m) / f.sd
    return -0.5 * z * z - math.log(f.sd * math.sqrt(2.0 * math.pi))


@kl_by_mean.register(GaussianGlm)
def gaussian_kl_by_mean(f: Any, m: float, m2: float) -> tuple[float, float]:
    """Half the squared distance in sds."""
    shift = (m2 - m) / f.sd
    return 0.5 * shift * shift, shift / f.sd


@variance_at.register(GaussianGlm)
def gaussian_variance_at(f: Any, m: float) -> float:
    """sd²."""
    return f.sd * f.sd


@draw.register(GaussianGlm)
def gaussian_glm_draw(f: Any, theta: float, x: float, u: float) -> float:
    """The mean plus sd times the normal quantile of u."""
    return mean(f, theta, x) + f.sd * normal_quantile(u)
