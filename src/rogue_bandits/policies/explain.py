"""What a policy estimates of each arm of a person: rows of a table, by the type of its belief and of its state.

A belief or a policy adds rows of its own by registering `belief_rows` or `policy_rows` for its type. What it does not
have is absent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.bank.check import is_contradicted
from rogue_bandits.belief.bank.evidence import BankBelief
from rogue_bandits.belief.bank.summary import NAMES, levels, states_and_means, weighted_quantiles, weights
from rogue_bandits.belief.contract import HasFit, fit, mean_at, rewards_count, state_at, upper_bound
from rogue_bandits.belief.curves import CurveBelief, value_and_sd
from rogue_bandits.belief.marginal import coordinate_quantile
from rogue_bandits.belief.on_curve import place_now
from rogue_bandits.belief.posterior import PosteriorBelief, drawn_state
from rogue_bandits.belief.steps import StepsBelief, value_now
from rogue_bandits.compile.laws import kernel, pick
from rogue_bandits.model.dynamics.unknown import RECOVERY
from rogue_bandits.model.problem import arm_of
from rogue_bandits.numerics.normal import normal_quantile
from rogue_bandits.planning.whittle import index_at
from rogue_bandits.policies.bounded import Bounded, BoundedState, inner_state
from rogue_bandits.policies.curve_values import inside
from rogue_bandits.policies.epsilon_rogue import EpsilonRogue
from rogue_bandits.policies.index_ts import IndexTS, IndexTSState
from rogue_bandits.policies.learned import LearnedState
from rogue_bandits.policies.likelihood_ucb import LikelihoodUCBState
from rogue_bandits.policies.plan_ts import PlanTS
from rogue_bandits.policies.plan_ucb import PlanUCB, PlanUCBState
from rogue_bandits.policies.random import Random
from rogue_bandits.policies.rogue import Rogue, belief_in
from rogue_bandits.policies.rogue_ts import RogueTS
from rogue_bandits.policies.rogue_ucb import RogueUCB, RogueUCBState, TunedRogueUCB
from rogue_bandits.policies.round_robin import RoundRobin
from rogue_bandits.types import Floats, mean, theta_at

TAIL = 0.05  # on either side of an interval
QUANTILES = 21  # of theta, and of x0 given theta, for the quantiles of what depends on both
NORMAL = np.array([normal_quantile((i + 0.5) / 400) for i in range(400)])  # even quantiles


class Interval(NamedTuple):
    """The median of a posterior, and its quantiles at 5 % and 95 %."""

    middle: float
    lo: float
    hi: float

    def __str__(self) -> str:
        return f"{self.middle:.3g} ({self.lo:.3g} to {self.hi:.3g})"


class Row(NamedTuple):
    """One quantity for every arm: a number, or an interval."""

    name: str
    values: tuple[Any, ...]


@singledispatch
def policy_rows(state: Any, person: int, number: int) -> list[Row]:
    """Return what the state of a policy says about each arm of a person before decision `number`."""
    return []


@singledispatch
def belief_rows(belief: Any, person: int, arms: int) -> list[Row]:
    """Return what a belief says about each arm of a person."""
    return []


@policy_rows.register(Rogue)
def rogue_rows(state: Any, person: int, number: int) -> list[Row]:
    """Return plays, rewards, and the rows of the belief."""
    belief, plays = belief_in(state), state.personal.plays[person]
    rewards = tuple(int(rewards_count(belief, person, k)) for k in range(plays.size))
    rows = [Row("plays", tuple(plays.tolist())), Row("rewards seen", rewards)]
    return rows + belief_rows(belief, person, plays.size)


@policy_rows.register(LikelihoodUCBState)
@policy_rows.register(RogueUCBState)
def rogue_ucb_rows(state: Any, person: int, number: int) -> list[Row]:
    """Return the rows of a ROGUE policy and the upper bounds, which are inf before the first reward."""
    belief, row = belief_in(state), person * state.shared.belief.table.stride
    log_t, bounds = math.log(number + 1.0), []
    for k in range(state.personal.plays.shape[1]):
        rule = pick(state.shared.rule, (row, k))
        seen = rewards_count(belief, person, k) > 0.0
        bounds.append(float(upper_bound(belief, person, k, rule, log_t)) if seen else math.inf)
    return [*rogue_rows(state, person, number), Row("upper bound", tuple(bounds))]


@policy_rows.register(IndexTSState)
@policy_rows.register(PlanUCBState)
def index_rows(state: Any, person: int, number: int) -> list[Row]:
    """Return the rows of a ROGUE policy, and the Whittle index."""
    belief, table = belief_in(state), state.shared.belief.table

    def index(k: int, theta: float, x: float) -> float:
        return float(index_at(table, state.shared.indices, person, k, theta, x))

    rows, draws = rogue_rows(state, person, number), drawn_states(belief, person, state.personal.plays.shape[1])
    return [*rows, posterior_row("Whittle index", draws, index)]


@policy_rows.register(BoundedState)
def bounded_rows(state: BoundedState, person: int, number: int) -> list[Row]:
    """Return the rows of the policy that is bounded."""
    return policy_rows(inner_state(state), person, number)


@belief_rows.register(HasFit)
def fitted_rows(belief: Any, person: int, arms: int) -> list[Row]:
    """Return the fit, and the state and mean that follow from it; nan before the first reward."""
    columns: list[tuple[float, ...]] = []
    for k in range(arms):
        if rewards_count(belief, person, k) == 0.0:
            columns.append((math.nan,) * 4)
            continue
        theta, x0 = fit(belief, person, k)
        first = float(x0[0]) if x0.size == 1 else math.nan
        x = float(state_at(belief, person, k, x0))
        columns.append((float(theta), first, x, float(mean_at(belief, person, k, theta, x0))))
    names = "theta, fitted", "x0, fitted", "state now, fitted", "mean reward, fitted"
    return [Row(name, values) for name, values in zip(names, zip(*columns, strict=True), strict=True)]


@belief_rows.register(PosteriorBelief)
def posterior_rows(belief: PosteriorBelief, person: int, arms: int) -> list[Row]:
    """Return medians and 90 % intervals of theta, of the state and of the mean reward now."""
    theta, models = [], [arm_of(belief.shared.table, person, k) for k in range(arms)]
    for k, arm in enumerate(models):
        ends = [
            theta_at(arm.rewards, coordinate_quantile(belief.personal, person, k, u)) for u in (0.5, TAIL, 1.0 - TAIL)
        ]
        theta.append(Interval(*(float(min(max(t, arm.theta_lo), arm.theta_hi)) for t in ends)))

    def mean_reward(k: int, theta: float, x: float) -> float:
        return float(mean(models[k].rewards, theta, x))

    draws = drawn_states(belief, person, arms)
    return [
        Row("theta", tuple(theta)),
        posterior_row("state now", draws, lambda k, theta, x: float(x)),
        posterior_row("mean reward", draws, mean_reward),
    ]


@belief_rows.register(CurveBelief)
@belief_rows.register(StepsBelief)
def curve_rows(belief: Any, person: int, arms: int) -> list[Row]:
    """Return the delay or the number of plays, and the median and a 90 % interval of the mean reward there."""
    state, cells = belief.personal.state[person].tolist(), []
    for k in range(arms):
        arm, (values, weight) = arm_of(belief.shared.table, person, k), values_now(belief, person, k)
        means = np.array([mean(arm.rewards, inside(arm, value), 0.0) for value in values])
        cells.append(Interval(*weighted_quantiles(means, weight, [0.5, TAIL, 1.0 - TAIL])))
    return [Row("state now", tuple(int(x) for x in state)), Row("mean reward", tuple(cells))]


@singledispatch
def values_now(belief: Any, person: int, k: int) -> tuple[Floats, Floats]:
    """Return values of the curve of arm k at its place now, at even quantiles of its posterior, and their weights."""
    raise TypeError(f"{type(belief).__name__} is not a belief about curves")


@values_now.register
def curve_values_now(belief: CurveBelief, person: int, k: int) -> tuple[Floats, Floats]:
    """Return values of a normal distribution; a restriction of the shape is not considered."""
    centre, sd = value_and_sd(belief, person, k, place_now(belief, person, k))
    return centre + sd * NORMAL, np.ones(NORMAL.size)


@values_now.register
def steps_values_now(belief: StepsBelief, person: int, k: int) -> tuple[Floats, Floats]:
    """Return values of every component of a mixture."""
    now = value_now(belief, person, k)
    return (now.centre[:, None] + now.sd[:, None] * NORMAL).ravel(), np.repeat(now.weight, NORMAL.size)


@belief_rows.register(BankBelief)
def bank_rows(belief: BankBelief, person: int, arms: int) -> list[Row]:
    """Return medians and 90 % intervals of the dynamics where arms recover, and the probability that they do."""
    recovery, columns = belief.shared.starts[RECOVERY], []
    weight = [weights(belief, person, k) for k in range(arms)]
    for k in range(arms):
        part = weight[k][recovery:]
        columns.append([
            Interval(*weighted_quantiles(values, part, [0.5, TAIL, 1.0 - TAIL])) if part.sum() > 0.0 else math.nan
            for values in levels(belief, person, k).values()
        ])  # fmt: skip
    rows = [Row(name, values) for name, values in zip(NAMES, zip(*columns, strict=True), strict=True)]
    for name, place in (("state now", 0), ("mean reward", 1)):
        each = [states_and_means(belief, person, k)[place] for k in range(arms)]
        ends = [weighted_quantiles(each[k], weight[k], [0.5, TAIL, 1.0 - TAIL]) for k in range(arms)]
        rows.append(Row(name, tuple(Interval(*three) for three in ends)))
    if recovery > 0:
        rows.append(Row("probability of recovery", tuple(float(w[recovery:].sum()) for w in weight)))
    contradicted = [is_contradicted(belief.personal.check[person, k]) for k in range(arms)]
    if any(contradicted):
        rows.append(Row("rewards contradict the model", tuple("yes" if one else "no" for one in contradicted)))
    return rows


def drawn_states(belief: PosteriorBelief, person: int, arms: int) -> list[Floats]:
    """Return theta and the state of each arm at a grid of quantiles, [quantiles of theta and x0, 2]."""
    u = (np.arange(QUANTILES) + 0.5) / QUANTILES
    draws = [np.empty((QUANTILES * QUANTILES, 2)) for _ in range(arms)]
    for k, out in enumerate(draws):
        fill_draws(belief, person, k, u, out)
    return draws


@kernel
def fill_draws(b: PosteriorBelief, person: int, k: int, u: Floats, out: Floats) -> None:
    """Write theta and the state of arm k at all pairs of quantiles `u` of theta and of x0 given theta."""
    for i in range(u.size):
        for j in range(u.size):
            out[i * u.size + j, 0], out[i * u.size + j, 1] = drawn_state(b, person, k, u[i], u[j])


def posterior_row(name: str, draws: Sequence[Floats], value: Callable[[int, float, float], float]) -> Row:
    """Return the median and a 90 % interval of a value of (theta, x) of each arm."""
    cells = []
    for k, each in enumerate(draws):
        values = [value(k, theta, x) for theta, x in each]
        cells.append(Interval(*(float(q) for q in np.quantile(values, [0.5, TAIL, 1.0 - TAIL]))))
    return Row(name, tuple(cells))


@singledispatch
def reason(policy: Any) -> str:
    """Return why a policy would choose an arm, as the end of a sentence that begins with the arm."""
    return f"as the rule of {type(policy).__name__} says"


@singledispatch
def reason_in(state: Any, policy: Any) -> str:
    """Return the reason of a policy with this state."""
    return reason(policy)


@reason_in.register
def learned_reason(state: LearnedState, policy: Any) -> str:
    """Return the reason of optimistic planning over hypotheses about the dynamics."""
    value = "index" if state.shared.plans else "mean reward"
    return (
        f"as its {value} is the largest, at the posterior mean plus a multiple of the standard deviation; where "
        "rewards contradict the model, recent rewards count instead"
    )


@reason_in.register
def bounded_reason_in(state: BoundedState, policy: Bounded) -> str:
    """Return the reason of the policy inside, and the least probability."""
    why = reason_in(inner_state(state), policy.policy)
    return f"{why}; every available arm has probability {policy.least:g} or more"


REASONS = {
    Random: "as every available arm is as likely",
    RoundRobin: "as it is its turn",
    TunedRogueUCB: "as no upper bound is larger, or it was never played",
    RogueUCB: "as no upper bound is larger, or it was never played",
    EpsilonRogue: "as its fitted mean is the largest, or by a random choice, which is less and less likely",
    RogueTS: "as its mean reward was the largest at a draw of theta and x0 from the posterior of every arm",
    IndexTS: "as its Whittle index was the largest at a draw of theta and x0 from the posterior of every arm",
    PlanTS: "as a plan that begins with it was the best at a draw of theta and x0 from the posterior of every arm",
    PlanUCB: "as a plan that begins with it is the best at the most favourable likely values, or it was never played",
}
for _type, _words in REASONS.items():
    reason.register(_type, lambda policy, words=_words: words)
