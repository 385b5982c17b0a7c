"""The constants of the theorems, worked out for a model.

Each is the smallest that the family's formulas give on the box of (theta, x); a family gives its own beside its laws.
`docs/errata.md` says where the paper's assumptions are read generously.
"""

from __future__ import annotations

import math
from functools import singledispatch
from itertools import product
from typing import Any, NamedTuple

from rogue_bandits.compile.laws import inlined
from rogue_bandits.types import Arm

FAILS = 4.0  # at its t-th decision a region of Algorithm 1 fails with probability t⁻⁴  [Theorem 3]


def diameter_state(arm: Arm) -> float:
    """diam(X) as Lemma 2 has it: the largest norm of x."""
    return largest_norm(arm.dynamics.lo, arm.dynamics.hi)


def diameter_box(arm: Arm) -> float:
    """diam(X × Θ) likewise: the largest norm of (theta, x)."""
    return math.hypot(diameter_state(arm), largest_norm(arm.theta_lo, arm.theta_hi))


def largest_norm(lo: Any, hi: Any) -> float:
    """The largest norm of a point between two numbers, or two vectors."""
    ends = zip(lo, hi, strict=True) if isinstance(lo, tuple) else [(lo, hi)]
    return math.hypot(*(max(abs(a), abs(b)) for a, b in ends))


def dimensions(bound: Any) -> int:
    """How many components what is bounded has."""
    return len(bound) if isinstance(bound, tuple) else 1


def c_f(arm: Arm) -> float:
    """c_f(d_x, d_theta) of Theorem 1, for the dimensions of the arm's state and theta.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine
    >>> round(c_f(Arm(ClippedAffine(0.6, -1.0, 0.5), BernoulliLogit(0.4, 0.6))), 1)
    186.9
    """
    d = dimensions(arm.dynamics.lo) + dimensions(arm.theta_lo)
    steep = lipschitz_parameters(arm.rewards, arm)
    first = 8.0 * diameter_state(arm) * math.sqrt(math.pi)
    second = 48.0 * math.sqrt(2.0) * 2.0 ** (1.0 / d) * diameter_box(arm) * math.sqrt(math.pi * d)
    return steep * (first + second)


class Reach(NamedTuple):
    """√n times a radius of Theorem 1, by how surely it holds the truth: still + moving·√log(how surely)."""

    still: float
    moving: float


@inlined
def reach(of: Reach, log_surely: float) -> float:
    """√n times the radius: for one that fails with probability alpha, c_f + L_p·sigma·√(2 log(1/alpha))."""
    return of.still + of.moving * math.sqrt(log_surely)


def reach_by_chance(arm: Arm) -> Reach:
    """Theorem 1 at ξ = L_p·sigma·√(2 log(1/alpha)/n), by log(1/alpha).  [Corollary 1]"""
    return Reach(c_f(arm), lipschitz_reward(arm.rewards, arm) * sub_gaussian(arm.rewards) * math.sqrt(2.0))


def reach_by_decision(arm: Arm) -> Reach:
    """Algorithm 1's: A(t)·√(4 log t) multiplied out, by log t. At t = 1 nothing is divided by log 1.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine
    >>> of = reach_by_decision(Arm(ClippedAffine(0.6, -1.0, 0.5), BernoulliLogit(0.4, 0.6)))
    >>> round(reach(of, math.log(20_000)) / math.sqrt(10_000), 3)
    1.913
    """
    of = reach_by_chance(arm)
    return Reach(of.still, of.moving * math.sqrt(FAILS))


def corners(arm: Arm) -> list[tuple[float, float]]:
    """The corners (theta, x) of the box."""
    return list(product((arm.theta_lo, arm.theta_hi), (arm.dynamics.lo, arm.dynamics.hi)))


@singledispatch
def lipschitz_parameters(f: Any, arm: Arm) -> float:
    """L_f: how fast log p(r | theta, x) can change with (theta, x)."""
    raise TypeError(f"Assumption 3 has no constant L_f for {type(f).__name__}")


@singledispatch
def lipschitz_mean(f: Any, arm: Arm) -> float:
    """L_g: how fast the mean reward g(theta, x) can change with (theta, x)."""
    raise TypeError(f"Assumption 3 has no constant L_g for {type(f).__name__}")


@singledispatch
def lipschitz_reward(f: Any, arm: Arm) -> float:
    """L_p: how fast the log-likelihood ratio of two points of the box can change with r."""
    raise TypeError(f"Assumption 4 has no constant L_p for {type(f).__name__}")


@singledispatch
def sub_gaussian(f: Any) -> float:
    """Sigma: rewards are sub-Gaussian with this parameter."""
    raise TypeError(f"Assumption 4 has no constant sigma for {type(f).__name__}")
