"""Index-TS: Thompson sampling of (theta, x0), and the arm with the largest Whittle index at the draw."""

from __future__ import annotations

from typing import Any, NamedTuple

from rogue_bandits.belief.bank.evidence import are_unknown
from rogue_bandits.belief.contract import Shared
from rogue_bandits.belief.marginal import PosteriorEvidence
from rogue_bandits.belief.posterior import prior
from rogue_bandits.model.problem import rows_of
from rogue_bandits.planning.whittle import Indices, index_at, index_table
from rogue_bandits.policies.learned import learned_uniforms, start_learned
from rogue_bandits.policies.value_law import Kinks, arm_value, value_kinks
from rogue_bandits.policies.value_thompson import ValueThompson
from rogue_bandits.types import Problem, start, uniforms


class IndexTS(NamedTuple):
    """Draws (theta, x0) of every arm from its posterior and plays the arm with the largest Whittle index.

    Arms must wear out when played and recover at rest: decay 0 or more, pull 0 or less (`planning.whittle`).

    >>> IndexTS()
    IndexTS()
    """


class IndexTSShared(NamedTuple):
    """Tables of the belief, and of the index."""

    belief: Shared
    indices: Indices


class IndexTSState(NamedTuple):
    """The state of Index-TS."""

    shared: IndexTSShared
    personal: PosteriorEvidence


ValueThompson.register(IndexTSState)


@uniforms.register(IndexTS)
def index_ts_uniforms(policy: IndexTS, problem: Problem) -> int:
    """Return two uniforms for each arm, and one for ties; other numbers where dynamics are unknown."""
    if are_unknown(problem.arms):
        return learned_uniforms(problem)
    return 2 * len(problem.arms) + 1


@start.register(IndexTS)
def start_index_ts(policy: IndexTS, problem: Problem, people: int) -> Any:
    """Return the state before the first decision: the prior."""
    if are_unknown(problem.arms):
        return start_learned("index-ts", problem, people, plans=True)
    shared, personal = prior("index-ts", problem, people)
    return IndexTSState(IndexTSShared(shared, index_table(rows_of(problem))), personal)


@arm_value.register(IndexTSState)
def index_ts_value(state: IndexTSState, person: int, k: int, theta: float, x: float) -> float:
    """Return the Whittle index."""
    return index_at(state.shared.belief.table, state.shared.indices, person, k, theta, x)


@value_kinks.register(IndexTSState)
def index_ts_kinks(state: IndexTSState, k: int) -> Kinks:
    """Return the nodes of the table of indices."""
    g = state.shared.indices.grid
    return Kinks(g.theta_lo[k], g.theta_step[k], g.thetas, g.state_lo[k], g.state_step[k], g.states)
