"""SW-UCB: an upper confidence bound from the latest decisions alone.

A. Garivier, E. Moulines (2008), On upper-confidence bound policies for non-stationary bandit problems,
arXiv:0805.3415; (2011), Algorithmic Learning Theory, 174-188.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined
from rogue_bandits.policies.settings import (
    RewardBounds,
    forgetting,
    require_whole,
    unit_reward,
)
from rogue_bandits.policies.ties import probabilities_by_quantile, untried_else_best
from rogue_bandits.types import (
    NO_TICKET,
    Bools,
    Floats,
    Ints,
    Problem,
    Request,
    Ticket,
    choose,
    learn,
    play,
    probabilities,
    start,
)


class SWUCB(NamedTuple):
    """Plays the largest mean_τ + √(ξ log min(t, τ) / N_τ), over the rewards of the latest τ decisions, of all arms.

    Unless given, the window is τ = 2√(T log T / Υ), rounded up, for Υ (`upsilon`) changes in a horizon of T. By default
    Υ = √T, see `settings.changes_of`. ξ = 0.6 is that of the authors' simulations. Rewards are mapped from
    [reward_lo, reward_hi], by default all that the arms can give, to [0, 1], so that their bound B is 1.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine
    >>> arms = (Arm(ClippedAffine(0.6, -1.0, 0.5), BernoulliLogit(0.4, 0.6)),) * 2
    >>> start(SWUCB(upsilon=1), Problem(arms, horizon=20_000), people=1).shared.window
    891
    """

    upsilon: float | None = None
    horizon: int | None = None
    window: int | None = None
    xi: float = 0.6
    reward_lo: float | None = None
    reward_hi: float | None = None


class SWUCBShared(NamedTuple):
    """The settings of SW-UCB in numbers."""

    window: int
    xi: float
    bounds: RewardBounds


class SWUCBPersonal(NamedTuple):
    """The window of SW-UCB for each person. Decision i of the window is in slot i mod τ."""

    tried: Bools  # [people, arms] ever played
    n: Floats  # [people, arms] N_τ
    total: Floats  # [people, arms] the sum of the rewards in the window
    seen_arm: Ints  # [people, window] the arm whose reward was seen, −1 where none was
    seen_reward: Floats  # [people, window]
    clock: Ints  # [people] decisions so far


class SWUCBState(NamedTuple):
    """The state of SW-UCB."""

    shared: SWUCBShared
    personal: SWUCBPersonal


def optimal_window(upsilon: float, horizon: int) -> int:
    """τ = 2B√(T log T / Υ), with B = 1, rounded up; a horizon of 1 still has a window."""
    return max(1, math.ceil(2.0 * math.sqrt(horizon * math.log(horizon) / upsilon)))


@start.register(SWUCB)
def start_sw_ucb(policy: SWUCB, problem: Problem, people: int) -> SWUCBState:
    """Work out τ; no arm was played."""
    require_whole("sw-ucb", "window", policy.window)
    wants = "a window: SWUCB(horizon=1000)"
    window, bounds = forgetting("sw-ucb", policy, problem, policy.window, optimal_window, wants)
    shape = people, len(problem.arms)
    personal = SWUCBPersonal(
        tried=np.zeros(shape, dtype=np.bool_),
        n=np.zeros(shape),
        total=np.zeros(shape),
        seen_arm=np.full((people, int(window)), -1, dtype=np.int64),
        seen_reward=np.zeros((people, int(window))),
        clock=np.zeros(people, dtype=np.int64),
    )
    return SWUCBState(SWUCBShared(int(window), float(policy.xi), bounds), personal)


@inlined
def sw_ucb_index(mean: float, n: float, t: int, window: int, xi: float) -> float:
    """mean_τ + √(ξ log min(t, τ) / N_τ)."""
    return mean + math.sqrt(xi * math.log(min(t, window)) / n)


probabilities.register(SWUCBState)(probabilities_by_quantile)


@choose.register(SWUCBState)
def sw_ucb_choose(state: SWUCBState, person: int, request: Request) -> tuple[int, float]:
    """Return the arm with the largest index; that of an arm without a reward in the window is infinite."""
    available = request.available
    index = np.full(len(available), np.inf)
    for k in range(len(available)):
        n = state.personal.n[person, k]
        if n > 0.0:
            mean = state.personal.total[person, k] / n
            index[k] = sw_ucb_index(mean, n, request.number + 1, state.shared.window, state.shared.xi)
    return untried_else_best(index, state.personal.tried[person], available, request.uniforms[0])


@play.register(SWUCBState)
def sw_ucb_play(state: SWUCBState, person: int, number: int, arm: int) -> Ticket:
    """Move the window by one decision, also at a rest."""
    slot = number % state.shared.window
    leaving = state.personal.seen_arm[person, slot]
    if leaving >= 0:
        state.personal.n[person, leaving] -= 1.0
        state.personal.total[person, leaving] -= state.personal.seen_reward[person, slot]
        state.personal.seen_arm[person, slot] = -1
    if slot == 0:
        sum_again(state, person)
    state.personal.clock[person] = number + 1
    if arm >= 0:
        state.personal.tried[person, arm] = True
    return NO_TICKET


@inlined
def sum_again(state: SWUCBState, person: int) -> None:
    """Sum the window again, once a window: adding and subtracting would accumulate rounding errors."""
    state.personal.total[person] = 0.0
    for slot in range(state.shared.window):
        if state.personal.seen_arm[person, slot] >= 0:
            state.personal.total[person, state.personal.seen_arm[person, slot]] += state.personal.seen_reward[
                person, slot
            ]


@learn.register(SWUCBState)
def sw_ucb_learn(
    state: SWUCBState, person: int, number: int, arm: int, probability: float, ticket: Ticket, r: float
) -> None:
    """Count a reward, however late, while its decision is in the window; after that its slot has been reused."""
    age = state.personal.clock[person] - 1 - number
    if age < state.shared.window:
        x = unit_reward(r, state.shared.bounds)
        slot = number % state.shared.window
        state.personal.seen_arm[person, slot] = arm
        state.personal.seen_reward[person, slot] = x
        state.personal.n[person, arm] += 1.0
        state.personal.total[person, arm] += x
