"""The constants and bounds of the theorems for an experiment."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from rogue_bandits.experiments.results import Results
from rogue_bandits.policies.epsilon_rogue import EpsilonRogue
from rogue_bandits.simulation.simulate import simulate
from rogue_bandits.theory import (
    Constants,
    Separation,
    constants,
    epsilon_rogue,
    largest_gap,
    parameter_free_bound,
    regret_bound,
    separation,
    separation_of_pairs,
    suboptimal_probability,
)
from rogue_bandits.types import Truth

LONGEST = 10.0**300  # the longest horizon tried: floating-point numbers end soon after


class Bounds(NamedTuple):
    """Bounds after a number of decisions. A regret without a bound is infinite, a probability without one is 1."""

    decisions: int
    possible: float  # the largest possible regret
    theorem_3: float  # regret of ROGUE-UCB
    corollary_2: float  # the same without delta
    at_random: float  # probability that random choices play a given suboptimal arm
    theorem_4: float  # the same of ε-ROGUE with the c of the theorem


class Onset(NamedTuple):
    """The number of decisions from which each bound is informative; None if it never is."""

    theorem_3: float | None
    corollary_2: float | None
    theorem_4: float | None


class Theory(NamedTuple):
    """The results of an experiment, and the theory of its first person."""

    results: Results
    truth: Truth
    constants: list[Constants]
    gap: float
    apart: Separation  # after the decisions of one run of ROGUE-UCB
    pairs: Separation  # the same between any two points: what Theorem 3 needs
    policy: EpsilonRogue | None  # with the recommended c; None if delta is 0
    onset: Onset


def theory_of(results: Results) -> Theory:
    """Compute the constants, the separation on a run of ROGUE-UCB, and from where on bounds are informative."""
    s = results.settings
    truth = results.experiment.truths(s)[0]
    run = simulate(truth, s.policy("rogue-ucb"), s.horizon, seed=s.seed)
    plays = run.arm[0].tolist()
    apart, pairs = separation(truth, plays), separation_of_pairs(truth, plays)
    least = min(apart.delta)
    policy = epsilon_rogue(truth.arms, least) if 0.0 < least < math.inf else None
    every = [constants(arm) for arm in truth.arms]
    found = Theory(results, truth, every, largest_gap(truth.arms), apart, pairs, policy, Onset(None, None, None))
    informative = {
        "theorem_3": lambda b: b.theorem_3 < b.possible,
        "corollary_2": lambda b: b.corollary_2 < b.possible,
        "theorem_4": lambda b: b.theorem_4 < b.at_random,
    }
    return found._replace(onset=Onset(**{name: onset(found, holds) for name, holds in informative.items()}))


def bounds_at(theory: Theory, decisions: int) -> Bounds:
    """Return the bounds after a number of decisions, with the delta of the whole run."""
    arms = theory.truth.arms
    return Bounds(
        decisions=decisions,
        possible=theory.gap * decisions,
        theorem_3=regret_bound(arms, theory.pairs.delta, decisions),
        corollary_2=parameter_free_bound(arms, decisions).regret,
        at_random=1.0 / len(arms),
        theorem_4=1.0 if theory.policy is None else suboptimal_probability(arms, theory.policy, decisions),
    )


def onset(theory: Theory, is_informative: Callable[[Bounds], bool]) -> float | None:
    """Return the least horizon at which a bound is informative, to a thousandth; None if it exceeds `LONGEST`."""
    lo, hi = 0.0, math.log(LONGEST)
    if not is_informative(bounds_at(theory, int(math.exp(hi)))):
        return None
    while hi - lo > 1e-3:
        middle = 0.5 * (lo + hi)
        lo, hi = (lo, middle) if is_informative(bounds_at(theory, max(1, int(math.exp(middle))))) else (middle, hi)
    return math.exp(hi)


def table_decisions(horizon: int) -> list[int]:
    """Return powers of ten from 10, and the horizon.

    >>> table_decisions(20_000)
    [10, 100, 1000, 10000, 20000]
    """
    return [*(10**k for k in range(1, len(str(horizon))) if 10**k < horizon), horizon]
