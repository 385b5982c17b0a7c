"""Families of which nothing can be summed up: what they do not say themselves follows from `loglik`, by quadrature.

A family of this kind gives `support` and `loglik`. Where it can, it gives more: `reach` if its support has no end or
its density is narrow, `score` for exact slopes, `draw` or `mean` in closed form. Its rewards are kept one by one.
"""

from __future__ import annotations

import math
from abc import ABC
from typing import Any

import numpy as np

from rogue_bandits.laws import inlined, law, routine
from rogue_bandits.model.check import rewards_fault
from rogue_bandits.model.probe import probed_fault
from rogue_bandits.model.quantiles import whole_quantile
from rogue_bandits.types import (
    Arm,
    Potential,
    coordinate,
    draw,
    information,
    kl,
    kl_and_slopes,
    loglik,
    mean,
    point_masses,
    potential,
    price,
    settled_kl,
    settled_loglik,
    settles,
    statistics,
    support,
    theta_at,
)

NODES, WEIGHTS = np.polynomial.legendre.leggauss(32)
STEP = 1e-3  # of differences; their error is of its fourth power
UNPROVEN = 1e-300  # a price that promises nothing


class Numeric(ABC):
    """The kind: `Numeric.register(YourFamily)` after giving `support` and `loglik`."""


@law
def reach(f: Any, theta: float, x: float) -> tuple[float, float, float]:
    """The least reward, one in between, and the largest, but for a rounding error of the probability.

    Between them `loglik` is smooth in r; at the middle one it may have a kink.
    """


@law
def score(f: Any, theta: float, x: float, r: float) -> tuple[float, float]:
    """The slopes of `loglik` by theta and by x."""


@reach.register(Numeric)
def numeric_reach(f: Any, theta: float, x: float) -> tuple[float, float, float]:
    """The whole support."""
    lo, hi, _ = support(f)
    return lo, 0.5 * (lo + hi), hi


@score.register(Numeric)
def numeric_score(f: Any, theta: float, x: float, r: float) -> tuple[float, float]:
    """By differences, from four neighbours."""
    h, k = STEP * max(abs(theta), 1e-2), STEP * max(abs(x), 1e-2)
    by_theta = 8.0 * (loglik(f, theta + h, x, r) - loglik(f, theta - h, x, r))
    by_theta -= loglik(f, theta + 2.0 * h, x, r) - loglik(f, theta - 2.0 * h, x, r)
    by_x = 8.0 * (loglik(f, theta, x + k, r) - loglik(f, theta, x - k, r))
    by_x -= loglik(f, theta, x + 2.0 * k, r) - loglik(f, theta, x - 2.0 * k, r)
    return by_theta / (12.0 * h), by_x / (12.0 * k)


# ---- expectations: sums over the rewards of a rule, each with its probability ----------------------------------------
@inlined
def rule_size(f: Any, theta: float, x: float) -> int:
    """How many rewards the rule has: every whole number, or Gauss's on three pieces, and the two ends."""
    lo, _, hi = reach(f, theta, x)
    return int(math.floor(hi) - math.ceil(lo)) + 1 if support(f)[2] else 3 * NODES.size + 2


@inlined
def rule_at(f: Any, theta: float, x: float, kink: float, i: int) -> tuple[float, float]:
    """The i-th reward of the rule, and its probability; at `kink`, too, what is summed may not be smooth."""
    lo, middle, hi = reach(f, theta, x)
    least, most, whole = support(f)
    n = NODES.size
    if whole:
        r, weight = math.ceil(lo) + 1.0 * i, 1.0
    elif i >= 3 * n:
        r, weight = least if i == 3 * n else most, 1.0 if point_masses(f) else 0.0
    else:
        kink = min(max(kink, lo), hi)
        first, second = min(middle, kink), max(middle, kink)
        a, b = (lo, first) if i < n else (first, second) if i < 2 * n else (second, hi)
        r, weight = float(a + 0.5 * (b - a) * (1.0 + NODES[i % n])), float(0.5 * (b - a) * WEIGHTS[i % n])
    return r, weight * math.exp(loglik(f, theta, x, r)) if weight > 0.0 else 0.0


@routine
def expected_reward(f: Any, theta: float, x: float) -> float:
    """E r."""
    total, middle = 0.0, reach(f, theta, x)[1]
    for i in range(rule_size(f, theta, x)):
        r, p = rule_at(f, theta, x, middle, i)
        total += p * r if p > 0.0 else 0.0
    return total


@routine
def expected_ratio(f: Any, theta: float, x: float, theta2: float, x2: float) -> float:
    """E log(p/p2)."""
    total, kink = 0.0, reach(f, theta2, x2)[1]
    for i in range(rule_size(f, theta, x)):
        r, p = rule_at(f, theta, x, kink, i)
        if p > 0.0:
            total += p * (loglik(f, theta, x, r) - loglik(f, theta2, x2, r))
    return max(0.0, total)


@routine
def expected_score(f: Any, theta: float, x: float, theta2: float, x2: float) -> tuple[float, float]:
    """The score at (theta2, x2), expected under (theta, x)."""
    by_theta, by_x, kink = 0.0, 0.0, reach(f, theta2, x2)[1]
    for i in range(rule_size(f, theta, x)):
        r, p = rule_at(f, theta, x, kink, i)
        if p > 0.0:
            s_theta, s_x = score(f, theta2, x2, r)
            by_theta += p * s_theta
            by_x += p * s_x
    return by_theta, by_x


@routine
def expected_products(f: Any, theta: float, x: float) -> tuple[float, float, float]:
    """The products of the score with itself."""
    tt, tx, xx, middle = 0.0, 0.0, 0.0, reach(f, theta, x)[1]
    for i in range(rule_size(f, theta, x)):
        r, p = rule_at(f, theta, x, middle, i)
        if p > 0.0:
            s_theta, s_x = score(f, theta, x, r)
            tt += p * s_theta * s_theta
            tx += p * s_theta * s_x
            xx += p * s_x * s_x
    return tt, tx, xx


# Laws are part of the machine code of what calls them, so that the loops above stay functions of their own.
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


@routine
def inverted_quantile(f: Any, theta: float, x: float, u: float) -> float:
    """The r with P(R ≤ r) = u; an end of the support where it has enough of the probability."""
    lo, middle, hi = reach(f, theta, x)
    least, most, _ = support(f)
    below = math.exp(loglik(f, theta, x, least)) if point_masses(f) else 0.0
    if point_masses(f) and (u <= below or u >= 1.0 - math.exp(loglik(f, theta, x, most))):
        return least if u <= below else most
    to_middle = below + mass_between(f, theta, x, lo, middle)
    a, b, before = (lo, middle, below) if u <= to_middle else (middle, hi, to_middle)
    first, close, r = a, 1e-14 * (hi - lo), 0.5 * (a + b)
    for _ in range(60):  # Newton's steps, kept between
        beyond = before + mass_between(f, theta, x, first, r) - u
        if beyond < 0.0:
            a = r
        else:
            b = r
        density = math.exp(loglik(f, theta, x, r))
        to = r - beyond / density if density > 0.0 else a
        to = to if a < to < b else 0.5 * (a + b)
        if abs(to - r) <= close:
            return to
        r = to
    return r


@inlined
def mass_between(f: Any, theta: float, x: float, a: float, b: float) -> float:
    """P(a < R < b), by Gauss's rule."""
    total = 0.0
    for i in range(NODES.size):
        total += WEIGHTS[i] * math.exp(loglik(f, theta, x, a + 0.5 * (b - a) * (1.0 + NODES[i]))) if b > a else 0.0
    return float(0.5 * (b - a) * total)


# ---- nothing is summed up --------------------------------------------------------------------------------------------
@settles.register(Numeric)
def numeric_settles(f: Any) -> bool:
    """Every reward is kept."""
    return False


@price.register(Numeric)
def numeric_price(f: Any, arm: Any, theta2: float, x2: float) -> float:
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
