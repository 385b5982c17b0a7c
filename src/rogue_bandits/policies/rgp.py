"""RGP-UCB and RGP-TS: Gaussian processes over the delay, for recovering arms.

C. Pike-Burke, S. Grünewälder (2019), Recovering bandits, NeurIPS, arXiv:1910.14354. The prior is that of the arms.
"""

from __future__ import annotations

import math
from typing import NamedTuple, cast

import numpy as np

from rogue_bandits.belief.curves import CurveEvidence, value_and_sd
from rogue_bandits.belief.on_curve import place_now
from rogue_bandits.compile.laws import routine
from rogue_bandits.model.problem import arm_of
from rogue_bandits.planning.lookahead import partition
from rogue_bandits.planning.recovering import rewards_by_slots
from rogue_bandits.policies.curves import CurvePlanShared, draw_curve, features_in, start_on_curves
from rogue_bandits.policies.rogue import Rogue, belief_in
from rogue_bandits.policies.settings import require, require_whole
from rogue_bandits.policies.thompson import Thompson, arm_at_draw
from rogue_bandits.policies.ties import best_of, probabilities_by_quantile
from rogue_bandits.types import Problem, Request, choose, mean, probabilities, start, uniforms

DEEPEST = 8


class RGPUCB(NamedTuple):
    """Plays the largest upper bound at the delay now: √(2·log(t²·K·z_max)) standard deviations above the mean.

    It is 1RGP-UCB, with a lookahead of one decision. Arms must be `Recovering`, or `Rotting`.

    >>> RGPUCB()
    RGPUCB()
    """


class RGPTS(NamedTuple):
    """Draws the curve of every arm from its posterior and plays the first of the `depth` arms with the largest sum.

    dRGP-TS plays these arms to the end before it draws again; here they are drawn anew at every decision. What follows
    after them has no value. Arms must be `Recovering`, or `Rotting`.

    >>> RGPTS()
    RGPTS(depth=1)
    """

    depth: int = 1


class RGPUCBState(NamedTuple):
    """The state of RGP-UCB."""

    shared: CurvePlanShared
    personal: CurveEvidence


class RGPTSState(NamedTuple):
    """The state of RGP-TS."""

    shared: CurvePlanShared
    personal: CurveEvidence


Rogue.register(RGPUCBState)
Thompson.register(RGPTSState)
probabilities.register(RGPUCBState)(probabilities_by_quantile)


@start.register(RGPUCB)
def start_rgp_ucb(policy: RGPUCB, problem: Problem, people: int) -> RGPUCBState:
    """Return the state before the first decision: the prior."""
    return cast("RGPUCBState", start_on_curves(RGPUCBState, "rgp-ucb", problem, people))


@start.register(RGPTS)
def start_rgp_ts(policy: RGPTS, problem: Problem, people: int) -> RGPTSState:
    """Return the state before the first decision: the prior."""
    require_whole("rgp-ts", "depth", policy.depth)
    require("rgp-ts", "depth", policy.depth, f"at most {DEEPEST}: the cost triples with each", policy.depth <= DEEPEST)
    return cast("RGPTSState", start_on_curves(RGPTSState, "rgp-ts", problem, people, int(policy.depth)))


@uniforms.register(RGPTS)
def rgp_ts_uniforms(policy: RGPTS, problem: Problem) -> int:
    """Return one uniform for each feature of each curve."""
    return len(problem.arms) * features_in(problem)


@choose.register(RGPUCBState)
def rgp_ucb_choose(state: RGPUCBState, person: int, request: Request) -> tuple[int, float]:
    """Return the arm with the largest upper bound."""
    belief, arms = belief_in(state), request.available.size
    index, t, longest = np.empty(arms), request.number + 1.0, belief.shared.features.shape[2] - 1.0
    wide = math.sqrt(2.0 * math.log(t * t * arms * longest))
    for k in range(arms):
        centre, sd = value_and_sd(belief, person, k, place_now(belief, person, k))
        index[k] = mean(arm_of(belief.shared.table, person, k).rewards, centre + wide * sd, 0.0)
    return best_of(index, request.available, request.uniforms[0])


@arm_at_draw.register(RGPTSState)
def rgp_ts_arm(state: RGPTSState, person: int, request: Request) -> int:
    """Return the first arm of the best sequence for drawn curves."""
    return best_sequence(state, person, request)


@routine
def best_sequence(state: RGPTSState, person: int, request: Request) -> int:
    """Return the first of the arms with the largest sum of drawn means."""
    belief, depth = belief_in(state), state.shared.depth
    _, arms, values, _ = belief.shared.features.shape
    sets = 1 << depth
    means, total = np.empty(values), np.empty(arms)
    rewards, slots, scratch = np.empty((arms, sets)), np.empty(sets), np.empty(state.shared.scratch)
    for k in range(arms):
        draw_curve(belief, person, k, request.uniforms, means)
        for i in range(values):
            means[i] = mean(arm_of(belief.shared.table, person, k).rewards, means[i], 0.0)
        rewards_by_slots(
            belief.shared.table, person, k, means, state.personal.state[person, k], depth, slots, rewards[k]
        )
    return partition(rewards, request.available, scratch, total)
