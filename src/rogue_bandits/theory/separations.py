"""Separation of arms along a sequence of plays: the gaps epsilon_a of means and the divergences delta_a."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import kernel, stack
from rogue_bandits.model.dynamics.clipped_affine import mean_now, move
from rogue_bandits.model.dynamics.coupled import Coupled
from rogue_bandits.model.validation import checked_truth
from rogue_bandits.numerics.chebyshev import MOST_NODES, degree_needed, nodes, transform
from rogue_bandits.theory.alternative import Reference, least_divergence, theta_on_scale
from rogue_bandits.types import Arm, Bools, Floats, Ints, Truth, kl

ROUNDING = 1e-14  # means that differ by less, relative to their size, count as equal
GRID_THETA, GRID_X0 = 17, 5  # of the first points of pairs
NOTHING = 1e-15  # a divergence is a difference of numbers of order 1: below this it is rounding error

Point = tuple[float, float]  # theta, x0


class Separation(NamedTuple):
    """Of each arm: epsilon_a, delta_a, and the number of its plays."""

    epsilon: list[float]
    delta: list[float]
    plays: list[int]


def separation(truth: Truth, plays: Sequence[int]) -> Separation:
    """Return epsilon_a and delta_a of a truth after a sequence of plays (arm numbers; −1: none).  [Theorem 3]

    Epsilon_a is the least difference between the mean of arm a and that of another arm, each at its own state, over
    the decisions of the sequence. Equal means do not count; if all are equal it is infinite.

    Delta_a is the least mean divergence over the plays of arm a, from the truth to a (theta, x0) of its box whose mean
    at the next decision differs by epsilon_a/2 or more. It is infinite if there is no such point, and 0 if arm a was
    not played or the divergence is below 1e-15. This is what the proof of Theorem 4 uses (docs/errata.md). Theta is
    searched to rounding error, x0 on a grid refined around its best point.

    >>> import rogue_bandits as rb
    >>> still = rb.ClippedAffine(decay=0.0, pull=0.0, drift=0.0, lo=0.0, hi=0.0)
    >>> arm = rb.Arm(still, rb.Gaussian(theta_weight=1.0, state_weight=0.0, sd=1.0))
    >>> truth = rb.Truth([arm, arm], theta=[0.25, 0.75], x0=[0.0, 0.0])
    >>> rb.theory.separation(truth, plays=[0, 1, 1])  # 0.5, and (0.5/2)²/2
    Separation(epsilon=[0.5, 0.5], delta=[0.03125, 0.03125], plays=[1, 2])
    """
    truth = checked_truth(truth)
    return separated(truth, plays, lambda k: [(truth.theta[k], truth.x0[k])])


def separation_of_pairs(truth: Truth, plays: Sequence[int]) -> Separation:
    """Return `separation` with delta_a over all pairs of points whose means at the next decision differ by epsilon_a/2.

    The proof of Theorem 3 needs this: it compares the upper bound's point with the fit, neither of which is the truth.
    The first point is searched on a grid of the box, corners and truth included, the second as in `separation`.

    >>> import rogue_bandits as rb
    >>> still = rb.ClippedAffine(decay=0.0, pull=0.0, drift=0.0, lo=0.0, hi=0.0)
    >>> arm = rb.Arm(still, rb.BernoulliLogit(theta_weight=1.0, state_weight=0.0), theta_lo=-4.0, theta_hi=4.0)
    >>> truth = rb.Truth([arm, arm], theta=[1.0, 3.0], x0=[0.0, 0.0])
    >>> [round(delta, 4) for delta in rb.theory.separation(truth, plays=[0, 1, 1]).delta]
    [0.0274, 0.0606]
    >>> [round(delta, 4) for delta in rb.theory.separation_of_pairs(truth, plays=[0, 1, 1]).delta]
    [0.0248, 0.0248]
    """
    truth = checked_truth(truth)

    def references(k: int) -> list[Point]:
        arm = truth.arms[k]
        thetas = np.linspace(arm.theta_lo, arm.theta_hi, GRID_THETA).tolist()
        x0s = np.unique(np.linspace(arm.dynamics.lo, arm.dynamics.hi, GRID_X0)).tolist()
        return [(truth.theta[k], truth.x0[k]), *product(thetas, x0s)]

    return separated(truth, plays, references)


def separated(truth: Truth, plays: Sequence[int], references: Callable[[int], list[Point]]) -> Separation:
    """Return epsilon_a, and delta_a as the least over the reference points of each arm."""
    arms = list(truth.arms)
    if isinstance(arms[0].dynamics, Coupled):
        raise TypeError("separation is not defined for Coupled dynamics: epsilon and delta are of an arm's own plays")
    sequence = checked_plays(plays, len(arms))
    epsilon = least_gaps(stack(arms), np.array(truth.theta), np.array(truth.x0), sequence)
    delta = [
        min(mean_divergence(arm, point, sequence == k, epsilon[k]) for point in references(k))
        for k, arm in enumerate(arms)
    ]
    return Separation(epsilon.tolist(), delta, [int((sequence == k).sum()) for k in range(len(arms))])


def checked_plays(plays: Sequence[int], arms: int) -> Ints:
    """Return the arms played as an array of arm numbers, −1 for none."""
    sequence = np.asarray(plays)
    if sequence.ndim != 1 or sequence.size == 0 or not np.issubdtype(sequence.dtype, np.integer):
        raise ValueError(f"separation, plays {plays!r} must be a list of arm numbers, one or more")
    for t in np.flatnonzero((sequence < -1) | (sequence >= arms)):
        raise ValueError(f"separation, decision {t}: arm {sequence[t]} must be from 0 to {arms - 1}, or -1 for none")
    return sequence.astype(np.int64)


@kernel
def least_gaps(arms: Arm, theta: Floats, x0: Floats, plays: Ints) -> Floats:
    """Return epsilon_a of each arm."""
    x, least, g = x0.copy(), np.full(x0.size, np.inf), np.empty(x0.size)
    for t in range(plays.size):
        for k in range(x0.size):
            g[k] = mean_now(arms, theta, x, k)
        move(arms, x, plays[t])
        for k in range(x0.size):
            for j in range(x0.size):
                gap = abs(g[k] - g[j])
                if gap > ROUNDING * max(abs(g[k]), abs(g[j])):
                    least[k] = min(least[k], gap)
    return least


def mean_divergence(arm: Arm, point: Point, played: Bools, epsilon: float) -> float:
    """Return the least mean divergence from a point of an arm to one whose mean now differs by epsilon/2."""
    theta, x0 = point
    n = int(played.sum())
    if n == 0:
        return 0.0
    thetas = theta_nodes(arm, theta)
    states = np.full(played.size + 1, x0)
    ref = Reference(theta, states, played.astype(np.float64), thetas, transform(thetas.size), np.empty(thetas.size))
    delta = float(least_divergence(stack([arm]), ref, 0.5 * epsilon)) / n
    return delta if delta > NOTHING else 0.0


def theta_nodes(arm: Arm, theta: float) -> Floats:
    """Return Chebyshev nodes on the scale of `coordinate`, enough to represent the divergence to rounding error."""
    f, ends = arm.rewards, (arm.dynamics.lo, arm.dynamics.hi)
    at = cache(lambda s: theta_on_scale(arm, s))

    def divergence(x: float, x2: float) -> Callable[[Floats], Floats]:
        return lambda s: np.array([kl(f, theta, x, at(v), x2) for v in s.tolist()])

    needed = degree_needed([divergence(x, x2) for x in ends for x2 in ends])
    return np.array([at(s) for s in nodes(needed or MOST_NODES).tolist()])
