"""Expectations under a reward law of which only `loglik` is known: sums over the rewards of a rule.

The rule has every whole number, or Gauss's nodes on three pieces, and the ends of the support where they have a
probability of their own.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rogue_bandits.laws import inlined, law, routine
from rogue_bandits.types import loglik, point_masses, support

NODES, WEIGHTS = np.polynomial.legendre.leggauss(32)


@law
def reach(f: Any, theta: float, x: float) -> tuple[float, float, float]:
    """The least reward, one in between, and the largest, but for a rounding error of the probability.

    Between them `loglik` is smooth in r; at the middle one it may have a kink.
    """


@law
def score(f: Any, theta: float, x: float, r: float) -> tuple[float, float]:
    """The slopes of `loglik` by theta and by x."""


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
