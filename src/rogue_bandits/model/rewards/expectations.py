"""Expectations and quantiles of a distribution given by `loglik` alone: sums over the nodes of a quadrature rule.

The nodes are all whole numbers, or Gauss-Legendre nodes on the pieces between kinks, and the ends of the support where
they have point masses.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.model.protocols import Model
from rogue_bandits.types import loglik, mean, point_masses, support

NODES, WEIGHTS = np.polynomial.legendre.leggauss(32)
NOTHING = 1e-18  # a probability that adds nothing to a sum of 16 digits


@law
def effective_support(f: Any, theta: float, x: float) -> tuple[float, float, float]:
    """Return the least reward, one in between, and the largest, up to a rounding error of the probability.

    `loglik` is smooth in r but for the one in between, where it may have a kink. `kinks` gives more of them.
    """


@law
def kinks(f: Any, theta: float, x: float) -> tuple[float, ...]:
    """Return the rewards at which `loglik` is not smooth, as many at every (theta, x)."""


@law
def score(f: Any, theta: float, x: float, r: float) -> tuple[float, float]:
    """Return the derivatives of `loglik` by theta and by x."""


@inlined
def _next_kink(kinks_of: tuple[float, ...], r: float, hi: float) -> float:
    """Return the first kink above r; hi if there is none below it."""
    found = hi
    for kink in kinks_of:
        if r < kink < found:
            found = kink
    return found


@inlined
def _end_of_piece(own_kinks: tuple[float, ...], others: tuple[float, ...], lo: float, hi: float, j: int) -> float:
    """Return the j-th end of the pieces: the least reward, the kinks of both distributions in order, the largest."""
    if j == 0 or j > len(own_kinks) + len(others):
        return lo if j == 0 else hi
    if len(own_kinks) + len(others) == 2:  # the common case, without a loop
        a, b = min(max(own_kinks[0], lo), hi), min(max(others[0], lo), hi)
        return min(a, b) if j == 1 else max(a, b)
    end = lo
    for _ in range(j):
        end = min(_next_kink(own_kinks, end, hi), _next_kink(others, end, hi))
    return end


@inlined
def _rule_size(f: Model, theta: float, x: float) -> int:
    """Return the number of nodes: whole numbers, or those between the kinks of two distributions and the two ends."""
    lo, _, hi = effective_support(f, theta, x)
    pieces = 2 * len(kinks(f, theta, x)) + 1
    return int(math.floor(hi) - math.ceil(lo)) + 1 if support(f)[2] else pieces * NODES.size + 2


@inlined
def _rule_at(f: Model, theta: float, x: float, others: tuple[float, ...], i: int) -> tuple[float, float]:
    """Return the i-th node and its probability; `others` are further kinks of the integrand."""
    lo, _, hi = effective_support(f, theta, x)
    own_kinks = kinks(f, theta, x)
    least, most, whole = support(f)
    n = NODES.size
    j, last = i // n, len(own_kinks) + len(others)
    if whole:
        r, weight = math.ceil(lo) + 1.0 * i, 1.0
    elif j > last:
        r, weight = least if i == (last + 1) * n else most, 1.0 if point_masses(f) else 0.0
    else:
        a, b = _end_of_piece(own_kinks, others, lo, hi, j), _end_of_piece(own_kinks, others, lo, hi, j + 1)
        r, weight = a + 0.5 * (b - a) * (1.0 + float(NODES[i % n])), 0.5 * (b - a) * float(WEIGHTS[i % n])
    return r, weight * math.exp(loglik(f, theta, x, r)) if weight > 0.0 else 0.0


@routine
def expected_reward(f: Model, theta: float, x: float) -> float:
    """Return E r."""
    total, own_kinks = 0.0, kinks(f, theta, x)
    for i in range(_rule_size(f, theta, x)):
        r, p = _rule_at(f, theta, x, own_kinks, i)
        total += p * r if p > 0.0 else 0.0
    return total


@routine
def expected_ratio(f: Model, theta: float, x: float, theta2: float, x2: float) -> float:
    """Return E log(p/p2)."""
    total, others = 0.0, kinks(f, theta2, x2)
    for i in range(_rule_size(f, theta, x)):
        r, p = _rule_at(f, theta, x, others, i)
        if p > 0.0:
            total += p * (loglik(f, theta, x, r) - loglik(f, theta2, x2, r))
    return max(0.0, total)


@routine
def expected_score(f: Model, theta: float, x: float, theta2: float, x2: float) -> tuple[float, float]:
    """Return the expectation under (theta, x) of the score at (theta2, x2)."""
    by_theta, by_x, others = 0.0, 0.0, kinks(f, theta2, x2)
    for i in range(_rule_size(f, theta, x)):
        r, p = _rule_at(f, theta, x, others, i)
        if p > 0.0:
            s_theta, s_x = score(f, theta2, x2, r)
            by_theta += p * s_theta
            by_x += p * s_x
    return by_theta, by_x


@routine
def expected_products(f: Model, theta: float, x: float) -> tuple[float, float, float]:
    """Return the expected products of the score: theta-theta, theta-x, x-x."""
    tt, tx, xx, own_kinks = 0.0, 0.0, 0.0, kinks(f, theta, x)
    for i in range(_rule_size(f, theta, x)):
        r, p = _rule_at(f, theta, x, own_kinks, i)
        if p > 0.0:
            s_theta, s_x = score(f, theta, x, r)
            tt += p * s_theta * s_theta
            tx += p * s_theta * s_x
            xx += p * s_x * s_x
    return tt, tx, xx


@routine
def whole_quantile(f: Model, theta: float, x: float, u: float) -> float:
    """Return the smallest whole number r with P(R ≤ r) ≥ u, by sums that start at the mean."""
    lo, hi, _ = support(f)
    r = min(max(math.floor(mean(f, theta, x)) + 0.0, lo), hi)
    p = at_most = math.exp(loglik(f, theta, x, r))
    below = r - 1.0
    while below >= lo and p > NOTHING:
        p = math.exp(loglik(f, theta, x, below))
        at_most += p
        below -= 1.0
    p = 1.0
    while at_most < u and r < hi and p > NOTHING:
        r += 1.0
        p = math.exp(loglik(f, theta, x, r))
        at_most += p
    while r > lo:
        p = math.exp(loglik(f, theta, x, r))
        if at_most - p < u:
            break
        at_most -= p
        r -= 1.0
    return r


@routine
def inverted_quantile(f: Model, theta: float, x: float, u: float) -> float:
    """Return the r with P(R ≤ r) = u; an end of the support where its point mass covers u."""
    lo, _, hi = effective_support(f, theta, x)
    own_kinks = kinks(f, theta, x)
    least, most, _ = support(f)
    below = math.exp(loglik(f, theta, x, least)) if point_masses(f) else 0.0
    if point_masses(f) and (u <= below or u >= 1.0 - math.exp(loglik(f, theta, x, most))):
        return least if u <= below else most
    a, b, before = lo, hi, below
    for _ in range(len(own_kinks)):  # find the piece
        b = _next_kink(own_kinks, a, hi)
        to_b = before + _mass_between(f, theta, x, a, b)
        if u <= to_b:
            break
        a, b, before = b, hi, to_b
    first, close, r = a, 1e-14 * (hi - lo), 0.5 * (a + b)
    for _ in range(60):  # Newton, safeguarded by bisection
        beyond = before + _mass_between(f, theta, x, first, r) - u
        if beyond < 0.0:
            a = r
        else:
            b = r
        density = math.exp(loglik(f, theta, x, r))
        to = r - beyond / density if density > 0.0 else a
        if abs(to - r) <= close:  # before the bracket is asked: r is an end of it
            return min(max(to, a), b)
        to = to if a < to < b else 0.5 * (a + b)
        if abs(to - r) <= close:
            return to
        r = to
    return r


@inlined
def _mass_between(f: Model, theta: float, x: float, a: float, b: float) -> float:
    """Return P(a < R < b), by Gauss-Legendre quadrature."""
    total = 0.0
    for i in range(NODES.size if b > a else 0):
        r = a + 0.5 * (b - a) * (1.0 + float(NODES[i]))  # interpreted, laws are slow on numbers of numpy
        total += float(WEIGHTS[i]) * math.exp(loglik(f, theta, x, r))
    return 0.5 * (b - a) * total
