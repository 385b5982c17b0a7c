"""What a decision costs with rotting arms, whose rewards each add a kink: the choice and the fit apart."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from benchmarks.measure import clock
from benchmarks.results import Requirement
from rogue_bandits import Arm, Bandit, BernoulliLogit, ClippedAffine, Gaussian, TunedRogueUCB
from rogue_bandits.types import Floats, draw, next_state

FAMILIES = {"BernoulliLogit": BernoulliLogit(1.0, 3.0), "Gaussian": Gaussian(1.0, 3.0, 0.5)}
THETAS = ((0.2, 0.1), (-0.5, 0.5))
PULLS = (0.001, 0.0003)  # of the first arm; the second wears out faster
FASTER, X0 = 1.3, (0.8, 0.9)
DECISIONS = 1_000
LIMIT = 1.0  # ms


class Cost(NamedTuple):
    """Seconds a decision."""

    choose: float
    update: float


def cost_of(arms: list[Arm], theta: tuple[float, ...], decisions: int = DECISIONS) -> Cost:
    """Let tuned ROGUE-UCB play; the first two decisions, which may compile, are not counted."""
    bandit, x, random = Bandit(arms, TunedRogueUCB(), seed=0), list(X0), np.random.default_rng(1)
    seconds: Floats = np.zeros((decisions, 2))
    for t in range(decisions):
        asked = clock()
        decision = bandit.choose()
        chosen, k = clock(), decision.arm
        r = draw(arms[k].rewards, theta[k], x[k], float(random.random()))
        drawn = clock()
        bandit.update(decision, r)
        seconds[t] = chosen - asked, clock() - drawn
        x = [next_state(arm.dynamics, x[j], float(j == k)) for j, arm in enumerate(arms)]
    return Cost(*seconds[2:].mean(axis=0))


def costs(decisions: int = DECISIONS) -> Iterator[tuple[tuple[str, ...], Cost]]:
    """Yield family, thetas and pull, with what a decision costs."""
    for (name, family), theta, pull in product(FAMILIES.items(), THETAS, PULLS):
        arms = [Arm(ClippedAffine(1.0, -p, 0.0), family, -1.0, 1.0) for p in (pull, FASTER * pull)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # that rewards are kept is the point here
            yield (name, str(theta), str(pull)), cost_of(arms, theta, decisions)


def rotting_requirements(decisions: int = DECISIONS) -> list[Requirement]:
    """`choose` between two rotting arms, on average over the first decisions."""
    return [
        Requirement(f"choose, rotting arms, {', '.join(case)}", 1e3 * cost.choose, LIMIT, "ms")
        for case, cost in costs(decisions)
    ]


if __name__ == "__main__":
    for case, cost in costs():
        print("| " + " | ".join([*case, *(f"{1e3 * seconds:.2f}" for seconds in cost)]) + " |", flush=True)
