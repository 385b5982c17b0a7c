"""How far apart the arms are on a sequence of plays, and how well the rewards can show it: epsilon_a and delta_a."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import kernel, pick, stack
from rogue_bandits.model.dynamics.coupled import Coupled
from rogue_bandits.model.validation import checked_truth
from rogue_bandits.numerics.chebyshev import MOST_NODES, degree_needed, nodes, transform
from rogue_bandits.theory.alternative import Past, nearest
from rogue_bandits.types import Arm, Bools, Floats, Ints, Truth, coordinate, kl, mean, next_state, theta_at

ROUNDING = 1e-14  # means that differ by less, relative to their size, are the same number computed in two ways
STARTS_THETA, STARTS_X0 = 17, 5  # the grid of first points of pairs
NOTHING = 1e-15  # a divergence is a difference of numbers of order 1: below this there is only rounding


Point = tuple[float, float]  # theta, x0


class Separation(NamedTuple):
    """Of each arm: epsilon_a, delta_a, and the number of its plays."""

    epsilon: list[float]
    delta: list[float]
    plays: list[int]


def separation(truth: Truth, plays: Sequence[int]) -> Separation:
    """Epsilon_a and delta_a of a truth after a sequence of plays (arm by arm number; −1: none).  [Theorem 3]

    Epsilon_a is the least difference between the mean of arm a and that of another arm, each at its own state, over
    the decisions of the sequence; equal means do not count. Without any it is infinite.

    Delta_a is the least mean divergence over the plays of arm a, from the truth to any (theta, x0) of its box that
    would change the mean of arm a *now*, at the decision that follows, by epsilon_a/2 or more. Without such a point it
    is infinite; without a play, or below 1e-15, it is 0. This is what the proof of Theorem 4 uses (that of Theorem 3
    needs more, see docs/errata.md): the paper's formula does not say at which decision the mean must differ, nor that
    the second point is any point. Theta is searched to rounding error, x0 on a grid refined around its best point.

    >>> import rogue_bandits as rb
    >>> still = rb.ClippedAffine(decay=0.0, pull=0.0, drift=0.0, lo=0.0, hi=0.0)
    >>> arm = rb.Arm(still, rb.Gaussian(theta_weight=1.0, state_weight=0.0, sd=1.0))
    >>> truth = rb.Truth([arm, arm], theta=[0.25, 0.75], x0=[0.0, 0.0])
    >>> rb.theory.separation(truth, plays=[0, 1, 1])  # 0.5, and (0.5/2)²/2
    Separation(epsilon=[0.5, 0.5], delta=[0.03125, 0.03125], plays=[1, 2])
    """
    truth = checked_truth(truth)
    return measured(truth, plays, lambda k: [(truth.theta[k], truth.x0[k])])


def separation_of_pairs(truth: Truth, plays: Sequence[int]) -> Separation:
    """The same, with delta_a the least mean divergence between *any* two points whose means differ now by epsilon_a/2.

    This is what the proof of Theorem 3 needs: the upper bound and the fit are two points neither of which is the
    truth. The first is looked for on a grid of the box, corners and truth included, the second as in `separation`.

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

    def starts(k: int) -> list[Point]:
        arm = truth.arms[k]
        thetas = np.linspace(arm.theta_lo, arm.theta_hi, STARTS_THETA).tolist()
        x0s = np.unique(np.linspace(arm.dynamics.lo, arm.dynamics.hi, STARTS_X0)).tolist()
        return [(truth.theta[k], truth.x0[k]), *product(thetas, x0s)]

    return measured(truth, plays, starts)


def measured(truth: Truth, plays: Sequence[int], starts: Callable[[int], list[Point]]) -> Separation:
    """Epsilon_a, and the least divergence from any of the starts of each arm."""
    arms = list(truth.arms)
    if isinstance(arms[0].dynamics, Coupled):
        raise TypeError("separation: Coupled dynamics feel other arms, and epsilon and delta are of an arm's own plays")
    sequence = checked_plays(plays, len(arms))
    epsilon = least_gaps(stack(arms), np.array(truth.theta), np.array(truth.x0), sequence)
    delta = [
        min(least_divergence(arm, start, sequence == k, epsilon[k]) for start in starts(k))
        for k, arm in enumerate(arms)
    ]
    return Separation(epsilon.tolist(), delta, [int((sequence == k).sum()) for k in range(len(arms))])


def checked_plays(plays: Sequence[int], arms: int) -> Ints:
    """The arms played, as numbers of arms, or −1."""
    sequence = np.asarray(plays)
    if sequence.ndim != 1 or sequence.size == 0 or not np.issubdtype(sequence.dtype, np.integer):
        raise ValueError(f"separation, plays {plays!r} must be a list of arm numbers, one or more")
    for t in np.flatnonzero((sequence < -1) | (sequence >= arms)):
        raise ValueError(f"separation, decision {t}: arm {sequence[t]} must be from 0 to {arms - 1}, or -1 for none")
    return sequence.astype(np.int64)


@kernel
def least_gaps(arms: Arm, theta: Floats, x0: Floats, plays: Ints) -> Floats:
    """Epsilon_a of each arm."""
    x = x0.copy()
    least = np.full(x0.size, np.inf)
    g = np.empty(x0.size)
    for t in range(plays.size):
        for k in range(x0.size):
            g[k] = mean(pick(arms, k).rewards, theta[k], x[k])
            x[k] = next_state(pick(arms, k).dynamics, x[k], 1.0 if plays[t] == k else 0.0)
        for k in range(x0.size):
            for j in range(x0.size):
                gap = abs(g[k] - g[j])
                if gap > ROUNDING * max(abs(g[k]), abs(g[j])):
                    least[k] = min(least[k], gap)
    return least


def least_divergence(arm: Arm, start: Point, played: Bools, epsilon: float) -> float:
    """The least mean divergence from one point of an arm."""
    theta, x0 = start
    n = int(played.sum())
    if n == 0:
        return 0.0
    thetas = theta_nodes(arm, theta)
    past = Past(theta, x0, played.astype(np.float64), thetas, transform(thetas.size))
    delta = float(nearest(stack([arm]), past, 0.5 * epsilon)) / n
    return delta if delta > NOTHING else 0.0


def theta_nodes(arm: Arm, theta: float) -> Floats:
    """Chebyshev nodes on the scale of `coordinate`, as many as hold the divergence from the truth."""
    f, d = arm.rewards, arm.dynamics
    lo, hi = coordinate(f, arm.theta_lo), coordinate(f, arm.theta_hi)

    def at(s: float) -> float:
        return theta_at(f, lo + 0.5 * (s + 1.0) * (hi - lo))

    def from_truth(x: float, x2: float) -> Callable[[Floats], Floats]:
        return lambda s: np.array([kl(f, theta, x, at(v), x2) for v in s])

    ends = d.lo, d.hi
    needed = degree_needed([from_truth(x, x2) for x in ends for x2 in ends])
    return np.array([at(s) for s in nodes(needed or MOST_NODES)])
