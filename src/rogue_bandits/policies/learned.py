"""Thompson sampling where the dynamics are unknown (`Unknown`): draws of dynamics, theta and state from a bank.

Values are averaged over `DRAWS` draws, all for one draw of the kind of the person: a single draw explores more than
pays within some thousand decisions (docs/decisions/0026-unknown-dynamics.md). Relaxed values would have to be worked
out for every draw, so that plans use the index of each arm.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rogue_bandits.belief.bank.belief import draw_arm
from rogue_bandits.belief.bank.evidence import BankEvidence, BankShared, start_bank
from rogue_bandits.belief.bank.kinds import fill_kinds_of_person, kind_at
from rogue_bandits.model.dynamics.unknown import KINDS
from rogue_bandits.planning.path_index import path_index
from rogue_bandits.policies.rogue import belief_in
from rogue_bandits.policies.thompson import Thompson, arm_at_draw
from rogue_bandits.policies.ties import best_of
from rogue_bandits.types import Problem, Request, mean

DRAWS = 3


class LearnedShared(NamedTuple):
    """Tables of the belief, and whether values look ahead."""

    belief: BankShared
    plans: bool


class LearnedState(NamedTuple):
    """The state of Thompson sampling with unknown dynamics."""

    shared: LearnedShared
    personal: BankEvidence


Thompson.register(LearnedState)


def learned_uniforms(problem: Problem) -> int:
    """Two for each draw of each arm, one for the kind of the person, one for ties."""
    return 2 * DRAWS * len(problem.arms) + 2


def start_learned(policy: str, problem: Problem, people: int, plans: bool) -> LearnedState:
    """With the prior."""
    shared, personal = start_bank(policy, problem, people)
    return LearnedState(LearnedShared(shared, plans), personal)


@arm_at_draw.register(LearnedState)
def learned_arm(state: LearnedState, person: int, request: Request) -> int:
    """The arm with the largest index, or mean, averaged over draws."""
    u, belief, arms = request.uniforms, belief_in(state), request.available.size
    value, kinds = np.full(arms, -np.inf), np.empty(KINDS)
    fill_kinds_of_person(belief, person, kinds)
    kind = kind_at(kinds, u[2 * DRAWS * arms])
    for k in range(arms):
        if request.available[k]:
            value[k] = 0.0
            for j in range(DRAWS):
                at = 2 * (DRAWS * k + j)
                drawn = draw_arm(belief, person, k, kind, u[at], u[at + 1])
                if state.shared.plans:
                    value[k] += path_index(drawn.arm, drawn.theta, drawn.x)
                else:
                    value[k] += mean(drawn.arm.rewards, drawn.theta, drawn.x)
    return best_of(value, request.available, u[2 * DRAWS * arms + 1])[0]
