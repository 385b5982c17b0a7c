"""What a decision costs with each reward family and with other dynamics: after a hundred decisions, and a thousand."""

from __future__ import annotations

import warnings
from copy import deepcopy

import numpy as np

from benchmarks.crowd import Crowd, drive, gather, uniforms
from benchmarks.measure import Costs, Task, computing, in_rounds
from rogue_bandits import (
    Arm,
    BernoulliLogit,
    ClippedAffine,
    MatrixAffine,
    PiecewiseAffine,
    Saturating,
    TunedRogueUCB,
    Weighted,
)
from rogue_bandits.model import FAMILIES
from rogue_bandits.types import Floats, Truth

FAST, SLOW = ClippedAffine(0.6, -1.0, 0.5), ClippedAffine(0.7, -1.2, 0.5)
# The numbers of each family but its weights, and the bounds of theta.
SETTINGS: dict[str, tuple[tuple[float, ...], float, float]] = {
    "BernoulliLogit": ((0.4, 0.6), 0.0, 1.0),
    "BernoulliProbit": ((0.4, 0.6), 0.0, 1.0),
    "BetaFraction": ((2.0, 1.0, 2.5), 1.0, 2.0),
    "BinomialLogit": ((0.4, 0.6, 7.0), 0.0, 1.0),
    "ContinuousBernoulli": ((2.0, 2.0), 0.0, 1.0),
    "Gaussian": ((0.4, 0.6, 0.5), 0.0, 1.0),
    "GaussianAgent": ((), 0.1, 0.6),
    "LaplaceAgent": ((), 0.1, 0.6),
    "LogisticAgent": ((), 0.1, 0.6),
    "PoissonLog": ((1.0, 1.0), 0.0, 1.0),
    "TruncatedGaussian": ((0.5, 0.5, 0.2), 0.0, 1.0),
}
EARLY, LATE, STRETCH, PEOPLE = 100, 1_000, 50, 1
POLICY = "tuned-rogue-ucb-corrected"


class ByFamily(dict[str, tuple[Costs, Costs]]):
    """Seconds a decision, early and late, by the name of the family."""


def walked_truths() -> dict[str, Truth]:
    """Logistic arms whose states are no clipped lines: numbers, and vectors of two and three components."""
    saturating, piecewise = (
        (Saturating(0.2, 0.4, drop) for drop in (0.3, 0.5)),
        (PiecewiseAffine((0.1, 0.4, 0.8), played) for played in ((0.0, 0.1, 0.4), (0.0, 0.0, 0.3))),
    )
    made = {
        f"{name} dynamics": Truth([Arm(d, BernoulliLogit(0.4, 0.6)) for d in dynamics], [0.5, 0.7], [0.1, 0.3])
        for name, dynamics in (("Saturating", saturating), ("PiecewiseAffine", piecewise))
    }
    for n in (2, 3):
        arms = [vector_arm(n, slow) for slow in (0.8, 0.9)]
        made[f"MatrixAffine, {n} components"] = Truth(arms, [(0.5,), (0.7,)], [(0.1,) * n, (0.3,) * n])
    return made


def vector_arm(n: int, slow: float) -> Arm:
    """Components ever slower, each dragged along a little by the one before."""
    decay = tuple(tuple(slow ** (n - j) if k == j else 0.05 * (k == j - 1) for k in range(n)) for j in range(n))
    dynamics = MatrixAffine(decay, (-0.5,) * n, (0.3,) * n, (0.0,) * n, (1.0,) * n)
    return Arm(dynamics, Weighted(BernoulliLogit(0.4, 0.6), (1.0,), (1.0,) * n), (0.0,), (1.0,))


WALKED = walked_truths()


def truth_of(name: str) -> Truth:
    """Two arms that differ in their dynamics and in theta."""
    if name in WALKED:
        return WALKED[name]
    numbers, lo, hi = SETTINGS[name]
    arms = [Arm(d, FAMILIES[name](*numbers), lo, hi) for d in (FAST, SLOW)]
    return Truth(arms, [lo + share * (hi - lo) for share in (0.5, 0.7)], [0.1, 0.3])


def lives_of(name: str) -> dict[int, tuple[Crowd, Floats]]:
    """The same people before the early stretch and before the late one, and the randomness of each."""
    random = np.random.default_rng(1)
    crowd = gather(truth_of(name), TunedRogueUCB(variant="corrected"), PEOPLE, LATE + STRETCH)
    kept = {}
    for first in range(0, LATE + STRETCH, STRETCH):
        u = uniforms(random, PEOPLE, STRETCH)
        if first in (EARLY, LATE):
            kept[first] = deepcopy(crowd), u
        crowd = drive(crowd, first, u)
    return kept


def every_family(rounds: int, names: tuple[str, ...] = (*SETTINGS, *WALKED)) -> ByFamily:
    """Tuned ROGUE-UCB (corrected), two arms: early decisions beside late ones."""
    found = ByFamily()
    for name in names:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # that some families are kept one by one is the point here
            lives = lives_of(name)

        def once_more(first: int, lives: dict[int, tuple[Crowd, Floats]] = lives) -> Task:
            def run() -> float:
                crowd, u = deepcopy(lives[first])
                return computing(lambda: drive(crowd, first, u)) / (PEOPLE * STRETCH)

            return run

        costs = in_rounds({str(first): once_more(first) for first in lives}, rounds)
        found[name] = costs[str(EARLY)], costs[str(LATE)]
    return found


def rows(found: ByFamily) -> list[tuple[str, ...]]:
    """Microseconds, best of the rounds."""
    return [(name, *(f"{costs.best * 1e6:,.1f}" for costs in pair)) for name, pair in found.items()]


if __name__ == "__main__":
    for row in rows(every_family(rounds=3)):
        print("| " + " | ".join(row) + " |", flush=True)
