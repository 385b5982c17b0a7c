"""ROGUE-TS: Thompson sampling of (theta, x0), and the arm with the largest mean at the draw."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rogue_bandits.belief.contract import Shared
from rogue_bandits.belief.posterior import PosteriorEvidence, drawn_state, prior
from rogue_bandits.model.problem import arm_of
from rogue_bandits.policies.rogue import Rogue, belief_in
from rogue_bandits.policies.ties import best_of
from rogue_bandits.types import Problem, Request, choose, mean, start, uniforms


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


Rogue.register(RogueTSState)


@uniforms.register(RogueTS)
def rogue_ts_uniforms(policy: RogueTS, problem: Problem) -> int:
    """Two for each arm, and one for ties."""
    return 2 * len(problem.arms) + 1


@start.register(RogueTS)
def start_rogue_ts(policy: RogueTS, problem: Problem, people: int) -> RogueTSState:
    """With the prior."""
    shared, personal = prior("rogue-ts", problem, people)
    return RogueTSState(RogueTSShared(shared), personal)


@choose.register(RogueTSState)
def rogue_ts_choose(state: RogueTSState, person: int, request: Request) -> tuple[int, float]:
    """The largest mean at the draw."""
    u, value, belief = request.uniforms, np.full(request.available.size, -np.inf), belief_in(state)
    for k in range(value.size):
        if request.available[k]:
            theta, x = drawn_state(belief, person, k, u[2 * k], u[2 * k + 1])
            value[k] = mean(arm_of(state.shared.belief.table, person, k).rewards, theta, x)
    return best_of(value, request.available, u[2 * value.size])
