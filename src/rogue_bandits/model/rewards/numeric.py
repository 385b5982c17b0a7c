"""Families without sufficient statistics: laws that they do not give are computed from `loglik` by quadrature.

A family of this kind gives `support` and `loglik`. It may give more: `effective_support` if its support is unbounded
or its density narrow, `kinks` if that has several, `score` for exact derivatives, `draw` or `mean` in closed form.
Its rewards are stored one by one.
"""

from __future__ import annotations

import math
from abc import ABC
from typing import Any

from rogue_bandits.model.probe import probed_fault, support_fault
from rogue_bandits.model.protocols import Model
from rogue_bandits.model.rewards.expectations import (
    effective_support,
    expected_products,
    expected_ratio,
    expected_reward,
    expected_score,
    inverted_quantile,
    kinks,
    score,
    whole_quantile,
)
from rogue_bandits.model.validation import rewards_fault
from rogue_bandits.types import (
    Arm,
    coordinate,
    curvature_ratio,
    draw,
    information,
    is_summable,
    kl,
    kl_and_slopes,
    loglik,
    mean,
    potential,
    settled_loglik,
    statistics,
    support,
    theta_at,
)

STEP = 1e-3  # of fourth-order differences
UNPROVEN = 1e-300  # a curvature ratio that proves nothing
# Laws that quadrature computes where a family does not give them.
QUADRATURE: tuple[Any, ...] = (draw, mean, kl, kl_and_slopes, information)


class Numeric(ABC):
    """The kind: `Numeric.register(YourFamily)` after giving `support` and `loglik`."""


kinks.register(Numeric)(lambda f, theta, x: (effective_support(f, theta, x)[1],))
# Laws are inlined into what calls them; the loops of quadrature are functions of their own.
mean.register(Numeric)(lambda f, theta, x: expected_reward(f, theta, x))
kl.register(Numeric)(lambda f, theta, x, theta2, x2: expected_ratio(f, theta, x, theta2, x2))
information.register(Numeric)(lambda f, theta, x: expected_products(f, theta, x))
# There are no sufficient statistics: `belief.settled_numeric` sums up functions of theta instead.
is_summable.register(Numeric)(lambda f: False)
curvature_ratio.register(Numeric)(lambda f, arm, theta2, x2: UNPROVEN)
coordinate.register(Numeric)(lambda f, theta: theta)
theta_at.register(Numeric)(lambda f, y: y)
statistics.register(Numeric)(lambda f, x, r: (0.0, 0.0, 0.0))
potential.register(Numeric)(lambda f, theta, x: 0.0)
settled_loglik.register(Numeric)(lambda f, theta, s1, s2, s3, w: w)  # W is the sum of the log-likelihoods


@effective_support.register(Numeric)
def numeric_effective_support(f: Model, theta: float, x: float) -> tuple[float, float, float]:
    """Return the whole support, and its middle."""
    lo, hi, _ = support(f)
    return lo, 0.5 * (lo + hi), hi


@score.register(Numeric)
def numeric_score(f: Model, theta: float, x: float, r: float) -> tuple[float, float]:
    """Return central differences of fourth order."""
    h, k = STEP * max(abs(theta), 1e-2), STEP * max(abs(x), 1e-2)
    by_theta = 8.0 * (loglik(f, theta + h, x, r) - loglik(f, theta - h, x, r))
    by_theta -= loglik(f, theta + 2.0 * h, x, r) - loglik(f, theta - 2.0 * h, x, r)
    by_x = 8.0 * (loglik(f, theta, x + k, r) - loglik(f, theta, x - k, r))
    by_x -= loglik(f, theta, x + 2.0 * k, r) - loglik(f, theta, x - 2.0 * k, r)
    return by_theta / (12.0 * h), by_x / (12.0 * k)


@kl_and_slopes.register(Numeric)
def numeric_kl_and_slopes(f: Model, theta: float, x: float, theta2: float, x2: float) -> tuple[float, float, float]:
    """Return kl, and minus the expected score."""
    by_theta, by_x = expected_score(f, theta, x, theta2, x2)
    return kl(f, theta, x, theta2, x2), -by_theta, -by_x


@draw.register(Numeric)
def numeric_draw(f: Model, theta: float, x: float, u: float) -> float:
    """Sum probabilities of whole numbers; else invert the distribution function."""
    return whole_quantile(f, theta, x, u) if support(f)[2] else inverted_quantile(f, theta, x, u)


@rewards_fault.register(Numeric)
def numeric_fault(f: Model, arm: Arm) -> str | None:
    """Return what is wrong when the laws are tried; where quadrature is needed, rewards must be bounded."""
    if (wrong := support_fault(f)) is not None:
        return wrong
    lo, hi, _ = support(f)
    computed = [law.__name__ for law in QUADRATURE if _is_default(law, f)]
    if computed and _is_default(effective_support, f) and not math.isfinite(hi - lo):
        return (
            f"support from {lo:g} to {hi:g} is unbounded: give the law `effective_support`, a bounded range of rewards "
            f"that holds all but a rounding error of the probability ({', '.join(computed)} are computed from it)"
        )
    return probed_fault(f, arm)


def _is_default(law: Any, f: Model) -> bool:
    """Return whether a family leaves a law to this kind."""
    return law.dispatch(type(f)) is law.registry[Numeric]


def is_by_quadrature(f: Model) -> bool:
    """Return whether the divergence of a family of this kind is computed by quadrature."""
    return _is_default(kl_and_slopes, f)
