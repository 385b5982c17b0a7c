"""ROGUE-TS: Thompson sampling of (theta, x0), and the arm with the largest mean at the draw."""

from __future__ import annotations

from typing import Any, NamedTuple

from rogue_bandits.belief.bank.evidence import are_unknown
from rogue_bandits.belief.contract import Shared
from rogue_bandits.belief.marginal import PosteriorEvidence
from rogue_bandits.belief.posterior import prior
from rogue_bandits.model.problem import arm_of
from rogue_bandits.model.rewards.tabulated import have_curves
from rogue_bandits.policies.curves import rogue_ts_uniforms_on_curves, start_rogue_ts_on_curves
from rogue_bandits.policies.learned import learned_uniforms, start_learned
from rogue_bandits.policies.value_law import Kinks, arm_value, value_kinks
from rogue_bandits.policies.value_thompson import ValueThompson, smooth_value_probabilities
from rogue_bandits.types import Problem, mean, probabilities, start, uniforms


class RogueTS(NamedTuple):
    """Draws (theta, x0) of every arm from its posterior and plays the arm with the largest mean now.

    >>> RogueTS()
    RogueTS()
    """


class RogueTSShared(NamedTuple):
    """Tables of the belief."""

    belief: Shared


class RogueTSState(NamedTuple):
    """The state of ROGUE-TS."""

    shared: RogueTSShared
    personal: PosteriorEvidence


ValueThompson.register(RogueTSState)
probabilities.register(RogueTSState)(smooth_value_probabilities)


@uniforms.register(RogueTS)
def rogue_ts_uniforms(policy: RogueTS, problem: Problem) -> int:
    """Return two uniforms for each arm, and one for ties; other numbers where curves or dynamics are unknown."""
    if are_unknown(problem.arms):
        return learned_uniforms(problem)
    return rogue_ts_uniforms_on_curves(problem) if have_curves(problem.arms) else 2 * len(problem.arms) + 1


@start.register(RogueTS)
def start_rogue_ts(policy: RogueTS, problem: Problem, people: int) -> Any:
    """Return the state before the first decision: the prior."""
    if are_unknown(problem.arms):
        return start_learned("rogue-ts", problem, people, plans=False)
    if have_curves(problem.arms):
        return start_rogue_ts_on_curves("rogue-ts", problem, people)
    shared, personal = prior("rogue-ts", problem, people)
    return RogueTSState(RogueTSShared(shared), personal)


@arm_value.register(RogueTSState)
def rogue_ts_value(state: RogueTSState, person: int, k: int, theta: float, x: float) -> float:
    """Return the mean of the next reward."""
    return mean(arm_of(state.shared.belief.table, person, k).rewards, theta, x)


@value_kinks.register(RogueTSState)
def rogue_ts_kinks(state: RogueTSState, k: int) -> Kinks:
    """Return no kinks: means are smooth."""
    return Kinks(0.0, 0.0, 0, 0.0, 0.0, 0)
