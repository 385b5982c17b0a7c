"""Families of which nothing can be summed up: what they do not say themselves follows from `loglik`, by quadrature.

A family of this kind gives `support` and `loglik`. Where it can, it gives more: `reach` if its support has no end or
its density is narrow, `kinks` if that has several, `score` for exact slopes, `draw` or `mean` in closed form. Its
rewards are kept one by one.
"""

from __future__ import annotations

from abc import ABC
from typing import Any

from rogue_bandits.model.probe import probed_fault
from rogue_bandits.model.rewards.expectations import (
    expected_products,
    expected_ratio,
    expected_reward,
    expected_score,
    inverted_quantile,
    kinks,
    reach,
    score,
)
from rogue_bandits.model.validation import rewards_fault
from rogue_bandits.numerics.quantiles import whole_quantile
from rogue_bandits.types import (
    Arm,
    Potential,
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
    settled_kl,
    settled_loglik,
    statistics,
    support,
    theta_at,
)

STEP = 1e-3  # of differences; their error is of its fourth power
UNPROVEN = 1e-300  # a price that promises nothing


class Numeric(ABC):
    """The kind: `Numeric.register(YourFamily)` after giving `support` and `loglik`."""


@reach.register(Numeric)
def numeric_reach(f: Any, theta: float, x: float) -> tuple[float, float, float]:
    """The whole support."""
    lo, hi, _ = support(f)
    return lo, 0.5 * (lo + hi), hi


@kinks.register(Numeric)
def numeric_kinks(f: Any, theta: float, x: float) -> tuple[float, ...]:
    """One may lie at the middle one of `reach`."""
    return (reach(f, theta, x)[1],)


@score.register(Numeric)
def numeric_score(f: Any, theta: float, x: float, r: float) -> tuple[float, float]:
    """By differences, from four neighbours."""
    h, k = STEP * max(abs(theta), 1e-2), STEP * max(abs(x), 1e-2)
    by_theta = 8.0 * (loglik(f, theta + h, x, r) - loglik(f, theta - h, x, r))
    by_theta -= loglik(f, theta + 2.0 * h, x, r) - loglik(f, theta - 2.0 * h, x, r)
    by_x = 8.0 * (loglik(f, theta, x + k, r) - loglik(f, theta, x - k, r))
    by_x -= loglik(f, theta, x + 2.0 * k, r) - loglik(f, theta, x - 2.0 * k, r)
    return by_theta / (12.0 * h), by_x / (12.0 * k)


# Laws are part of the machine code of what calls them, so that the loops are functions of their own.
@mean.register(Numeric)
def numeric_mean(f: Any, theta: float, x: float) -> float:
    """E r."""
    return expected_reward(f, theta, x)


@kl.register(Numeric)
def numeric_kl(f: Any, theta: float, x: float, theta2: float, x2: float) -> float:
    """E log(p/p2)."""
    return expected_ratio(f, theta, x, theta2, x2)


@kl_and_slopes.register(Numeric)
def numeric_kl_and_slopes(f: Any, theta: float, x: float, theta2: float, x2: float) -> tuple[float, float, float]:
    """The slopes of kl are minus the expected score."""
    by_theta, by_x = expected_score(f, theta, x, theta2, x2)
    return kl(f, theta, x, theta2, x2), -by_theta, -by_x


@information.register(Numeric)
def numeric_information(f: Any, theta: float, x: float) -> tuple[float, float, float]:
    """The expected products of the score."""
    return expected_products(f, theta, x)


@draw.register(Numeric)
def numeric_draw(f: Any, theta: float, x: float, u: float) -> float:
    """Whole numbers by sums of their probabilities, others by inverting the distribution function."""
    return whole_quantile(f, theta, x, u) if support(f)[2] else inverted_quantile(f, theta, x, u)


# ---- nothing is summed up --------------------------------------------------------------------------------------------
@is_summable.register(Numeric)
def numeric_is_summable(f: Any) -> bool:
    """Every reward is kept."""
    return False


@curvature_ratio.register(Numeric)
def numeric_curvature_ratio(f: Any, arm: Any, theta2: float, x2: float) -> float:
    """No bound is proven."""
    return UNPROVEN


@coordinate.register(Numeric)
def numeric_coordinate(f: Any, theta: float) -> float:
    """Theta itself."""
    return theta


@theta_at.register(Numeric)
def numeric_theta_at(f: Any, y: float) -> float:
    """Theta itself."""
    return y


@statistics.register(Numeric)
def numeric_statistics(f: Any, x: float, r: float) -> tuple[float, float, float]:
    """Nothing."""
    return 0.0, 0.0, 0.0


@potential.register(Numeric)
def numeric_potential(f: Any, theta: float, x: float) -> float:
    """Nothing."""
    return 0.0


@settled_loglik.register(Numeric)
def numeric_settled_loglik(f: Any, theta: float, s1: float, s2: float, s3: float, w: float) -> float:
    """Nothing."""
    return 0.0


@settled_kl.register(Numeric)
def numeric_settled_kl(
    f: Any, theta: float, at: Potential, theta2: float, at2: Potential
) -> tuple[float, float, float]:
    """Nothing."""
    return 0.0, 0.0, 0.0


@rewards_fault.register
def numeric_fault(f: Numeric, arm: Arm) -> str | None:
    """Laws that break are found by trying them."""
    return probed_fault(f, arm)
