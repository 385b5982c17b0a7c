"""ε-ROGUE: explore with a probability that falls as 1/t, else play the arm with the largest fitted mean.  [Alg. 2]"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rogue_bandits.belief.contract import Belief
from rogue_bandits.belief.radius import UnboundedRadius
from rogue_bandits.belief.region import optimistic_mean
from rogue_bandits.policies.rogue import Rogue, checked_belief, region
from rogue_bandits.policies.settings import require, require_positive
from rogue_bandits.policies.ties import any_of, best_of, merge_ties
from rogue_bandits.types import Arm, Bools, choose, start

ALL = UnboundedRadius()


class EpsilonRogue(NamedTuple):
    """Explores with probability epsilon_t = min(1, c·arms / (delta_min²·t)), as the proof does (see docs/errata.md).

    Without c and delta_min, epsilon_t = 1/t, as in the paper's experiments.

    >>> EpsilonRogue(c=0.1, delta_min=0.5)
    EpsilonRogue(c=0.1, delta_min=0.5)
    """

    c: float | None = None
    delta_min: float | None = None


class EpsilonRogueState(NamedTuple):
    """What is known, and epsilon_1 before it is held down to 1."""

    known: Belief
    epsilon_1: float


Rogue.register(EpsilonRogueState)


@start.register
def start_epsilon_rogue(
    policy: EpsilonRogue, arms: Sequence[Arm], people: int, horizon: int | None
) -> EpsilonRogueState:
    """Work out epsilon_1; nothing is known."""
    known = checked_belief(arms, people)
    if policy.c is None or policy.delta_min is None:
        both = policy.c is None and policy.delta_min is None
        require("epsilon-rogue", "c and delta_min", (policy.c, policy.delta_min), "given both, or neither", both)
        return EpsilonRogueState(known, 1.0)
    require_positive("epsilon-rogue", "c", policy.c)
    require_positive("epsilon-rogue", "delta_min", policy.delta_min)
    return EpsilonRogueState(known, policy.c * len(arms) / policy.delta_min**2)


@choose.register(EpsilonRogueState)
def epsilon_rogue_choose(
    state: EpsilonRogueState, person: int, number: int, available: Bools, u: float
) -> tuple[int, float]:
    """One uniform serves twice: below epsilon it says which arm to explore, above it which of equals to play.

    An arm without a reward has a likelihood that is the same everywhere; of its fits the most hopeful counts.
    """
    epsilon = min(1.0, state.epsilon_1 / (number + 1.0))
    fitted = np.full(available.size, -np.inf)
    for k in range(available.size):
        fitted[k] = optimistic_mean(region(state.known, ALL, person, k, 0.0))
    fitted = merge_ties(fitted, available, state.known.tie_tolerance)
    explored = 1.0 / np.count_nonzero(available)
    if u < epsilon:
        arm, _ = any_of(available, u / epsilon)
        _, greedy = best_of(fitted, available, 0.0)
        best = fitted[available].max()
        return arm, epsilon * explored + ((1.0 - epsilon) * greedy if fitted[arm] == best else 0.0)
    arm, greedy = best_of(fitted, available, (u - epsilon) / (1.0 - epsilon))
    return arm, epsilon * explored + (1.0 - epsilon) * greedy
