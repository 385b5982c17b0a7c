"""What a decision costs with families given by `loglik` alone, over the first 1,000 decisions.

    python -m benchmarks.own_families

Prints milliseconds of `choose` and of `update`: the mean of all, and of the last hundred.
"""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measure import clock
from benchmarks.results import Requirement
from rogue_bandits import Arm, Bandit, BernoulliProbit, ClippedAffine, GaussianAgent, TunedRogueUCB
from rogue_bandits.model import Numeric, effective_support, information, kl, kl_and_slopes, loglik, support
from rogue_bandits.types import Floats, draw, next_state

DECISIONS, LAST = 1_000, 100
LIMIT = 2.0  # ms
CLIPPED = (ClippedAffine(0.6, -1.0, 0.5), ClippedAffine(0.7, -1.2, 0.5))
UNCLIPPED = (ClippedAffine(0.6, -0.3, 0.35), ClippedAffine(0.9, -0.08, 0.09))
X0 = (0.1, 0.3)


class Rating(NamedTuple):
    """From 0 to 4, likelier the nearer it is to theta_weight·theta + state_weight·x."""

    theta_weight: float
    state_weight: float


class Bent(NamedTuple):
    """Normal, with the mean tanh(2·theta·x)."""

    sd: float


Numeric.register(Rating)
Numeric.register(Bent)
support.register(Rating)(lambda f: (0.0, 4.0, True))
support.register(Bent)(lambda f: (-math.inf, math.inf, False))


@loglik.register(Rating)
def rating_loglik(f: Rating, theta: float, x: float, r: float) -> float:
    """Over the sum of all five."""
    wish, total = f.theta_weight * theta + f.state_weight * x, 0.0
    for other in range(5):
        total += math.exp(-0.5 * (other - wish) ** 2)
    return -0.5 * (r - wish) ** 2 - math.log(total)


@effective_support.register(Bent)
def bent_effective_support(f: Bent, theta: float, x: float) -> tuple[float, float, float]:
    """Nine standard deviations on either side."""
    mean = math.tanh(2.0 * theta * x)
    return mean - 9.0 * f.sd, mean, mean + 9.0 * f.sd


@loglik.register(Bent)
def bent_loglik(f: Bent, theta: float, x: float, r: float) -> float:
    """The log of the normal density."""
    z = (r - math.tanh(2.0 * theta * x)) / f.sd
    return -0.5 * z * z - math.log(f.sd * math.sqrt(2.0 * math.pi))


class ClosedBent(NamedTuple):
    """The same, with its divergence in closed form."""

    sd: float


Numeric.register(ClosedBent)
support.register(ClosedBent)(lambda f: (-math.inf, math.inf, False))
effective_support.register(ClosedBent)(bent_effective_support)
loglik.register(ClosedBent)(bent_loglik)
kl.register(ClosedBent)(lambda f, theta, x, theta2, x2: kl_and_slopes(f, theta, x, theta2, x2)[0])


@kl_and_slopes.register(ClosedBent)
def bent_kl_and_slopes(f: ClosedBent, theta: float, x: float, theta2: float, x2: float) -> tuple[float, float, float]:
    """Half the squared distance of the means in standard deviations."""
    mean2 = math.tanh(2.0 * theta2 * x2)
    shift, slope = (mean2 - math.tanh(2.0 * theta * x)) / f.sd, 2.0 * (1.0 - mean2 * mean2) / f.sd
    return 0.5 * shift * shift, shift * slope * x2, shift * slope * theta2


@information.register(ClosedBent)
def bent_information(f: ClosedBent, theta: float, x: float) -> tuple[float, float, float]:
    """The squared slopes of the mean over the variance."""
    slope = 2.0 * (1.0 - math.tanh(2.0 * theta * x) ** 2) / f.sd
    return (slope * x) ** 2, slope * slope * theta * x, (slope * theta) ** 2


CASES: dict[str, tuple[Any, float, float, tuple[ClippedAffine, ...], float | None]] = {
    "Rating, by loglik": (Rating(2.0, 2.0), 0.0, 1.0, CLIPPED, None),
    "normal with mean tanh(2·theta·x), by loglik": (Bent(0.3), 0.0, 1.0, CLIPPED, None),
    "the same, first states known, never clipped": (Bent(0.3), 0.0, 1.0, UNCLIPPED, 0.3),
    "GaussianAgent": (GaussianAgent(), 0.1, 0.6, CLIPPED, None),
    "BernoulliProbit": (BernoulliProbit(0.4, 0.6), 0.0, 1.0, CLIPPED, None),
    "BernoulliProbit, never clipped": (BernoulliProbit(1.0, 2.0), -1.0, 1.0, UNCLIPPED, None),
    "normal with mean tanh(2·theta·x), with kl_and_slopes, never clipped": (ClosedBent(0.3), 0.0, 1.0, UNCLIPPED, None),
    "normal with mean tanh(2·theta·x), by loglik, never clipped": (Bent(0.3), 0.0, 1.0, UNCLIPPED, None),
}


def seconds_of(name: str, decisions: int = DECISIONS) -> Floats:
    """Seconds of `choose` and `update` of each decision but the first two, which may compile."""
    family, lo, hi, dynamics, known = CASES[name]
    arms = [Arm(d, family, lo, hi, x0=known) for d in dynamics]
    theta, x = [lo + share * (hi - lo) for share in (0.5, 0.7)], [known] * 2 if known is not None else list(X0)
    bandit, random, seconds = Bandit(arms, TunedRogueUCB(variant="corrected"), seed=0), np.random.default_rng(1), []
    for _ in range(decisions):
        asked = clock()
        decision = bandit.choose()
        chosen, k = clock(), decision.arm
        r = float(draw(family, theta[k], x[k], float(random.random())))
        drawn = clock()
        bandit.update(decision, r)
        seconds.append((chosen - asked, clock() - drawn))
        x = [next_state(arm.dynamics, x[j], float(j == k)) for j, arm in enumerate(arms)]
    return np.array(seconds[2:])


def rows(decisions: int = DECISIONS) -> list[tuple[str, ...]]:
    """Milliseconds: means of all decisions, and of the last ones."""
    found = []
    for name in CASES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            seconds = 1e3 * seconds_of(name, decisions)
        means = (*seconds.mean(axis=0), *seconds[-LAST:].mean(axis=0))
        found.append((name, *(f"{mean:.2f}" for mean in means)))
    return found


def own_family_requirements(decisions: int = DECISIONS) -> list[Requirement]:
    """`choose` and `update` together, on average over the first decisions."""
    found = rows(decisions)
    return [Requirement(f"a decision, {name}", float(row[0]) + float(row[1]), LIMIT, "ms") for name, *row in found]


if __name__ == "__main__":
    for row in rows():
        print("| " + " | ".join(row) + " |", flush=True)
