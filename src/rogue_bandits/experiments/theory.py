"""What the theorems say of an experiment, beside what happened in it."""

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

FARTHEST = 10.0**300  # horizons beyond are not looked at: numbers end soon after


class Bounds(NamedTuple):
    """What holds after a number of decisions. A regret without a bound is infinite, a probability without one is 1."""

    decision: int
    possible: float  # the largest regret there can be
    theorem_3: float  # regret of ROGUE-UCB
    corollary_2: float  # the same without delta
    at_random: float  # the chance that choices at random play a given worse arm
    theorem_4: float  # the same of ε-ROGUE with the c of the theorem


class Onset(NamedTuple):
    """The decisions from which each bound says something, if any."""

    theorem_3: float | None
    corollary_2: float | None
    theorem_4: float | None


class Theory(NamedTuple):
    """An experiment that was run, and the theory of its first person."""

    results: Results
    truth: Truth
    constants: list[Constants]
    gap: float
    apart: Separation  # after the decisions of one run of ROGUE-UCB
    pairs: Separation  # the same between any two points: what Theorem 3 needs
    policy: EpsilonRogue | None  # with the c that is recommended; None where delta is 0
    onset: Onset


def theory_of(results: Results) -> Theory:
    """Work out the constants, the separation on a run of ROGUE-UCB, and from where on bounds say something."""
    s = results.settings
    truth = results.experiment.truths(s)[0]
    run = simulate(truth, s.policy("rogue-ucb"), s.horizon, seed=s.seed)
    plays = run.arm[0].tolist()
    apart, pairs = separation(truth, plays), separation_of_pairs(truth, plays)
    least = min(apart.delta)
    policy = epsilon_rogue(truth.arms, least) if 0.0 < least < math.inf else None
    every = [constants(arm) for arm in truth.arms]
    found = Theory(results, truth, every, largest_gap(truth.arms), apart, pairs, policy, Onset(None, None, None))
    says = {
        "theorem_3": lambda b: b.theorem_3 < b.possible,
        "corollary_2": lambda b: b.corollary_2 < b.possible,
        "theorem_4": lambda b: b.theorem_4 < b.at_random,
    }
    return found._replace(onset=Onset(**{name: onset(found, holds) for name, holds in says.items()}))


def bounds_at(theory: Theory, decision: int) -> Bounds:
    """The bounds after some decisions, with the delta of the whole run."""
    arms = theory.truth.arms
    return Bounds(
        decision=decision,
        possible=theory.gap * decision,
        theorem_3=regret_bound(arms, theory.pairs.delta, decision),
        corollary_2=parameter_free_bound(arms, decision).regret,
        at_random=1.0 / len(arms),
        theorem_4=1.0 if theory.policy is None else suboptimal_probability(arms, theory.policy, decision),
    )


def onset(theory: Theory, says: Callable[[Bounds], bool]) -> float | None:
    """The least horizon at which a bound says something, to a thousandth; None if it is beyond `FARTHEST`."""
    lo, hi = 0.0, math.log(FARTHEST)
    if not says(bounds_at(theory, int(math.exp(hi)))):
        return None
    while hi - lo > 1e-3:
        middle = 0.5 * (lo + hi)
        lo, hi = (lo, middle) if says(bounds_at(theory, max(1, int(math.exp(middle))))) else (middle, hi)
    return math.exp(hi)


def table_decisions(horizon: int) -> list[int]:
    """Powers of ten from 10 on, and the horizon.

    >>> table_decisions(20_000)
    [10, 100, 1000, 10000, 20000]
    """
    return [*(10**k for k in range(1, len(str(horizon))) if 10**k < horizon), horizon]
