"""Constants of the theorems for a model.

Each is the smallest that the family's formulas give on the box of (theta, x); a family gives its own beside its laws.
`docs/errata.md` says where the paper's assumptions are relaxed.
"""

from __future__ import annotations

import math
from functools import singledispatch
from itertools import product
from typing import Any, NamedTuple

from rogue_bandits.compile.laws import inlined
from rogue_bandits.types import Arm, support

FAILS = 4.0  # at its t-th decision a region of Algorithm 1 fails with probability t⁻⁴  [Theorem 3]


def diameter_state(arm: Arm) -> float:
    """Return diam(X) as in Lemma 2: the largest norm of x."""
    return _largest_norm(arm.dynamics.lo, arm.dynamics.hi)


def diameter_box(arm: Arm) -> float:
    """Return diam(X × Θ) likewise: the largest norm of (theta, x)."""
    return math.hypot(diameter_state(arm), _largest_norm(arm.theta_lo, arm.theta_hi))


def _largest_norm(lo: Any, hi: Any) -> float:
    """Return the largest norm of a point between two numbers, or two vectors."""
    ends = zip(lo, hi, strict=True) if isinstance(lo, tuple) else [(lo, hi)]
    return math.hypot(*(max(abs(a), abs(b)) for a, b in ends))


def _dimension(bound: Any) -> int:
    """Return the number of components of a bound."""
    return len(bound) if isinstance(bound, tuple) else 1


def c_f(arm: Arm) -> float:
    """Return c_f(d_x, d_theta) of Theorem 1, for the dimensions of the arm's state and theta.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine
    >>> round(c_f(Arm(ClippedAffine(0.6, -1.0, 0.5), BernoulliLogit(0.4, 0.6))), 1)
    186.9
    """
    d = _dimension(arm.dynamics.lo) + _dimension(arm.theta_lo)
    first = 8.0 * diameter_state(arm) * math.sqrt(math.pi)
    second: float = 48.0 * math.sqrt(2.0) * 2.0 ** (1.0 / d) * diameter_box(arm) * math.sqrt(math.pi * d)
    steep = lipschitz_parameters(arm.rewards, arm)
    return steep * (first + second)


class RadiusConstants(NamedTuple):
    """√n times a radius of Theorem 1 as offset + slope·√log(1/alpha), alpha a probability of failure."""

    offset: float
    slope: float


@inlined
def scaled_radius(of: RadiusConstants, log_inverse: float) -> float:
    """Return √n times the radius: c_f + L_p·sigma·√(2 log(1/alpha)), given log(1/alpha)."""
    return of.offset + of.slope * math.sqrt(log_inverse)


def confidence_constants(arm: Arm) -> RadiusConstants:
    """Return the constants of Theorem 1 at ξ = L_p·sigma·√(2 log(1/alpha)/n).  [Corollary 1]"""
    return RadiusConstants(c_f(arm), lipschitz_reward(arm.rewards, arm) * sub_gaussian(arm.rewards) * math.sqrt(2.0))


def algorithm_constants(arm: Arm) -> RadiusConstants:
    """Return the constants of Algorithm 1, A(t)·√(4 log t) multiplied out, with log t in place of log(1/alpha).

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine
    >>> of = algorithm_constants(Arm(ClippedAffine(0.6, -1.0, 0.5), BernoulliLogit(0.4, 0.6)))
    >>> round(scaled_radius(of, math.log(20_000)) / math.sqrt(10_000), 3)
    1.913
    """
    of = confidence_constants(arm)
    return RadiusConstants(of.offset, of.slope * math.sqrt(FAILS))


def half_diagonal(arm: Arm) -> float:
    """Return half the diagonal of the box of (theta, x0): the radius of the smallest ball around it.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine
    >>> round(half_diagonal(Arm(ClippedAffine(0.6, -1.0, 0.5), BernoulliLogit(0.4, 0.6))), 4)
    0.7071
    """
    sides = [*_widths(arm.theta_lo, arm.theta_hi), *_widths(arm.dynamics.lo, arm.dynamics.hi)]
    return 0.5 * math.hypot(*sides)


def _widths(lo: Any, hi: Any) -> list[float]:
    """Return the widths between two numbers, or two vectors."""
    return [b - a for a, b in (zip(lo, hi, strict=True) if isinstance(lo, tuple) else [(lo, hi)])]


class NetConstants(NamedTuple):
    """The radius for adaptive plays, times √n: offset + slope·√(log(1/alpha) + dimension·(log 3 + ½ log n))."""

    offset: float  # 2·L_f·v: the steps from a point to the net, v half the diagonal of the box
    slope: float  # L_p·sigma·√2: the martingale at a point of the net
    dimension: int  # of (theta, x0): the net has (3√n)^dimension points


def net_constants(arm: Arm) -> NetConstants:
    """Return the constants of the radius for adaptive plays (docs/theory.md), for bounded rewards.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine
    >>> net_constants(Arm(ClippedAffine(0.6, -1.0, 0.5), BernoulliLogit(0.4, 0.6)))
    NetConstants(offset=0.745..., slope=0.707..., dimension=2)
    """
    lo, hi, _ = support(arm.rewards)
    if not math.isfinite(hi - lo):
        raise TypeError(
            f"the radius for adaptive plays has no constant for {type(arm.rewards).__name__}: its rewards are "
            "unbounded, and so are the steps of log p. Use TunedRadius"
        )
    return NetConstants(
        2.0 * lipschitz_parameters(arm.rewards, arm) * half_diagonal(arm),
        lipschitz_reward(arm.rewards, arm) * sub_gaussian(arm.rewards) * math.sqrt(2.0),
        _dimension(arm.dynamics.lo) + _dimension(arm.theta_lo),
    )


def hellinger_constants(arm: Arm) -> NetConstants:
    """Return n times the radius by Hellinger distances as offset + slope·(log(1/alpha) + dimension·log 3n).

    With s = L_f·v it is (2 + 2s)·(2·log(N/alpha) + s) + s, N = (3n)^dimension: docs/theory.md.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine
    >>> hellinger_constants(Arm(ClippedAffine(0.6, -1.0, 0.5), BernoulliLogit(0.4, 0.6)))
    NetConstants(offset=1.396..., slope=5.491..., dimension=2)
    """
    of = net_constants(arm)
    step, factor = 0.5 * of.offset, 2.0 + of.offset
    return NetConstants(factor * step + step, 2.0 * factor, of.dimension)


def corners(arm: Arm) -> list[tuple[float, float]]:
    """Return the corners (theta, x) of the box."""
    return list(product((arm.theta_lo, arm.theta_hi), (arm.dynamics.lo, arm.dynamics.hi)))


@singledispatch
def lipschitz_parameters(f: Any, arm: Arm) -> float:
    """Return L_f, the Lipschitz constant of log p(r | theta, x) in (theta, x)."""
    raise TypeError(f"Assumption 3 has no constant L_f for {type(f).__name__}")


@singledispatch
def lipschitz_mean(f: Any, arm: Arm) -> float:
    """Return L_g, the Lipschitz constant of the mean reward g(theta, x) in (theta, x)."""
    raise TypeError(f"Assumption 3 has no constant L_g for {type(f).__name__}")


@singledispatch
def lipschitz_reward(f: Any, arm: Arm) -> float:
    """Return L_p, the Lipschitz constant in r of the log-likelihood ratio of two points of the box."""
    raise TypeError(f"Assumption 4 has no constant L_p for {type(f).__name__}")


@singledispatch
def sub_gaussian(f: Any) -> float:
    """Return sigma: every 1-Lipschitz function of a reward is sub-Gaussian with this parameter.

    Half the range of rewards by default (Hoeffding). A family whose rewards are sub-Gaussian with parameter s may give
    √2·s (docs/errata.md); s itself only where Lipschitz functions of a reward are shown to concentrate as rewards do.
    """
    lo, hi, _ = support(f)
    if not math.isfinite(hi - lo):
        raise TypeError(f"Assumption 4 has no constant sigma for {type(f).__name__}")
    return 0.5 * (hi - lo)
