"""ε-ROGUE: explore with a probability that falls as 1/t, else play the arm with the largest fitted mean.  [Alg. 2]"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.contract import Shared, region
from rogue_bandits.belief.radius import UNBOUNDED
from rogue_bandits.belief.region import optimistic_mean
from rogue_bandits.compile.laws import routine
from rogue_bandits.policies.rogue import Rogue, belief_in, start_belief
from rogue_bandits.policies.settings import require, require_positive
from rogue_bandits.policies.ties import any_of, best_of, merge_ties
from rogue_bandits.types import Floats, Problem, Request, choose, probabilities, start


class EpsilonRogue(NamedTuple):
    """Explores with probability epsilon_t = min(1, c·arms / (delta_min²·t)), as the proof does (see docs/errata.md).

    Without c and delta_min, epsilon_t = 1/t, as in the paper's experiments.

    >>> EpsilonRogue(c=0.1, delta_min=0.5)
    EpsilonRogue(c=0.1, delta_min=0.5)
    """

    c: float | None = None
    delta_min: float | None = None


class EpsilonRogueShared(NamedTuple):
    """Tables of the belief, and epsilon_1 before it is limited to 1."""

    belief: Shared
    epsilon_1: float


class EpsilonRogueState(NamedTuple):
    """The state of ε-ROGUE."""

    shared: EpsilonRogueShared
    personal: Any


Rogue.register(EpsilonRogueState)


@start.register
def start_epsilon_rogue(policy: EpsilonRogue, problem: Problem, people: int) -> EpsilonRogueState:
    """Return the state before the first decision, with ε_1 computed."""
    epsilon_1 = 1.0
    if policy.c is None or policy.delta_min is None:
        both = policy.c is None and policy.delta_min is None
        require("epsilon-rogue", "c and delta_min", (policy.c, policy.delta_min), "given both, or neither", both)
    else:
        require_positive("epsilon-rogue", "c", policy.c)
        require_positive("epsilon-rogue", "delta_min", policy.delta_min)
        epsilon_1 = policy.c * len(problem.arms) / policy.delta_min**2
    belief, personal = start_belief(problem, people)
    return EpsilonRogueState(EpsilonRogueShared(belief, epsilon_1), personal)


@choose.register(EpsilonRogueState)
def epsilon_rogue_choose(state: EpsilonRogueState, person: int, request: Request) -> tuple[int, float]:
    """Choose by one uniform: below epsilon it selects the arm to explore, above it one of the best arms.

    An arm without a reward has a flat likelihood; of its fits the one with the largest mean counts.
    """
    available, u = request.available, request.uniforms[0]
    epsilon, fitted = epsilon_and_fitted(state, person, request)
    explored = 1.0 / np.count_nonzero(available)
    if u < epsilon:
        arm, _ = any_of(available, u / epsilon)
        _, greedy = best_of(fitted, available, 0.0)
        best = fitted[available].max()
        return arm, epsilon * explored + ((1.0 - epsilon) * greedy if fitted[arm] == best else 0.0)
    arm, greedy = best_of(fitted, available, (u - epsilon) / (1.0 - epsilon))
    return arm, epsilon * explored + (1.0 - epsilon) * greedy


@routine
def epsilon_and_fitted(state: EpsilonRogueState, person: int, request: Request) -> tuple[float, Floats]:
    """Return the probability of exploring, and the fitted mean of every arm, with ties of the best made equal."""
    belief, available = belief_in(state), request.available
    fitted = np.full(available.size, -np.inf)
    for k in range(available.size):
        fitted[k] = optimistic_mean(region(belief, person, k, UNBOUNDED, 0.0))
    epsilon = min(1.0, state.shared.epsilon_1 / (request.number + 1.0))
    return epsilon, merge_ties(fitted, available, state.shared.belief.tie_tolerance)


@probabilities.register(EpsilonRogueState)
def epsilon_rogue_probabilities(state: EpsilonRogueState, person: int, request: Request, out: Floats) -> None:
    """Write epsilon shared by all available arms, and the rest shared by the best."""
    available = request.available
    epsilon, fitted = epsilon_and_fitted(state, person, request)
    best = fitted[available].max()
    _, greedy = best_of(fitted, available, 0.0)
    for k in range(out.size):
        out[k] = 0.0
        if available[k]:
            out[k] = epsilon / np.count_nonzero(available) + ((1.0 - epsilon) * greedy if fitted[k] == best else 0.0)
