"""D-UCB: an upper confidence bound that forgets, by a factor at each decision.

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
    require_share,
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


class DUCB(NamedTuple):
    """Plays the largest mean_γ + 2√(ξ log n_γ / N_γ): each reward weighs γ to the power of its age in decisions.

    N_γ is an arm's summed weight, n_γ that of all arms. Unless given, γ = 1 − √(Υ/T)/4 for Υ (`upsilon`) changes in a
    horizon of T. By default Υ = √T, see `settings.changes_of`. ξ = 0.6 is that of the authors' simulations.
    Rewards are mapped from [reward_lo, reward_hi], by default all that the arms can give, to [0, 1], so that their
    bound B is 1.

    >>> from rogue_bandits import Arm, BernoulliLogit, ClippedAffine
    >>> arms = (Arm(ClippedAffine(0.6, -1.0, 0.5), BernoulliLogit(0.4, 0.6)),) * 2
    >>> start(DUCB(upsilon=10), Problem(arms, horizon=1000), people=1).shared.gamma
    0.975
    """

    upsilon: float | None = None
    horizon: int | None = None
    gamma: float | None = None
    xi: float = 0.6
    reward_lo: float | None = None
    reward_hi: float | None = None


class DUCBShared(NamedTuple):
    """The settings of D-UCB in numbers."""

    gamma: float
    xi: float
    bounds: RewardBounds


class DUCBPersonal(NamedTuple):
    """The discounted sums of D-UCB for each person."""

    tried: Bools  # [people, arms] ever played
    n: Floats  # [people, arms] N_γ
    mean: Floats  # [people, arms] mean_γ, which discounting leaves as it is: it fades neither to 0 nor to 0/0
    clock: Ints  # [people] decisions so far


class DUCBState(NamedTuple):
    """The state of D-UCB."""

    shared: DUCBShared
    personal: DUCBPersonal


def optimal_gamma(upsilon: float, horizon: int) -> float:
    """γ = 1 − √(Υ/T) / (4B), with B = 1."""
    return 1.0 - math.sqrt(upsilon / horizon) / 4.0


@start.register(DUCB)
def start_d_ucb(policy: DUCB, problem: Problem, people: int) -> DUCBState:
    """Work out γ; no arm was played."""
    require_share("d-ucb", "gamma", policy.gamma)
    wants = "a gamma: DUCB(horizon=1000)"
    gamma, bounds = forgetting("d-ucb", policy, problem, policy.gamma, optimal_gamma, wants)
    shape = people, len(problem.arms)
    personal = DUCBPersonal(
        tried=np.zeros(shape, dtype=np.bool_),
        n=np.zeros(shape),
        mean=np.zeros(shape),
        clock=np.zeros(people, dtype=np.int64),
    )
    return DUCBState(DUCBShared(float(gamma), float(policy.xi), bounds), personal)


@inlined
def d_ucb_index(mean: float, n: float, all_n: float, xi: float) -> float:
    """mean_γ + 2√(ξ log n_γ / N_γ); where less than one reward's weight is left, log n_γ counts as 0."""
    return mean + 2.0 * math.sqrt(xi * max(math.log(all_n), 0.0) / n)


probabilities.register(DUCBState)(probabilities_by_quantile)


@choose.register(DUCBState)
def d_ucb_choose(state: DUCBState, person: int, request: Request) -> tuple[int, float]:
    """Return the arm with the largest index; that of an arm without a reward of positive weight is infinite."""
    available = request.available
    all_n = state.personal.n[person].sum()
    index = np.full(len(available), np.inf)
    for k in range(len(available)):
        n = state.personal.n[person, k]
        if n > 0.0:
            index[k] = d_ucb_index(state.personal.mean[person, k], n, all_n, state.shared.xi)
    return untried_else_best(index, state.personal.tried[person], available, request.uniforms[0])


@play.register(DUCBState)
def d_ucb_play(state: DUCBState, person: int, number: int, arm: int) -> Ticket:
    """Discount all weights, at a rest too."""
    for k in range(state.personal.n.shape[1]):
        state.personal.n[person, k] *= state.shared.gamma
    state.personal.clock[person] = number + 1
    if arm >= 0:
        state.personal.tried[person, arm] = True
    return NO_TICKET


@learn.register(DUCBState)
def d_ucb_learn(
    state: DUCBState, person: int, number: int, arm: int, probability: float, ticket: Ticket, r: float
) -> None:
    """Add a reward with weight 1; one that comes k decisions late weighs γ^k, as if it had come at once."""
    age = state.personal.clock[person] - 1 - number
    weight = math.pow(state.shared.gamma, age)
    if weight > 0.0:
        x = unit_reward(r, state.shared.bounds)
        state.personal.n[person, arm] += weight
        state.personal.mean[person, arm] += (
            (x - state.personal.mean[person, arm]) * weight / state.personal.n[person, arm]
        )
