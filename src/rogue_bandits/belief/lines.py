"""The Belief contract where states are clipped lines in x0: exact, and of constant cost once arms have settled."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rogue_bandits.belief.adding import add_line_reward
from rogue_bandits.belief.contract import (
    HasFit,
    Shared,
    add_reward,
    belief_of,
    capacity,
    divergence,
    fit,
    fit_gap,
    has_place,
    log_likelihood,
    refit,
    region,
    rewards_count,
    with_places,
)
from rogue_bandits.belief.evidence import (
    ArmEvidence,
    LineEvidence,
    arm_evidence,
    count,
    divergence_of,
    line_now,
    loglik_of,
    no_line_evidence,
    with_capacity,
)
from rogue_bandits.belief.fit import maximise
from rogue_bandits.belief.local_fit import LOCAL_FIT_SIZE, local_fit_at, read_local_fit, write_local_fit
from rogue_bandits.belief.on_line import OnLine
from rogue_bandits.belief.radius import LikelihoodRule, RadiusRule
from rogue_bandits.belief.region import region_under
from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.problem import arm_of
from rogue_bandits.types import Arm, Floats, Line, Ticket, is_summable


class LineBelief(NamedTuple):
    """The belief about arms whose states are clipped lines in x0."""

    shared: Shared
    personal: LineEvidence


HasFit.register(LineBelief)
OnLine.register(LineBelief)


def empty_line_belief(shared: Shared, arms: list[Arm], people: int) -> LineBelief:
    """Return the belief before the first decision."""
    return LineBelief(shared, no_line_evidence(arms, people, shared.nodes, LOCAL_FIT_SIZE))


@belief_of.register(LineEvidence)
def line_belief_of(personal: LineEvidence, shared: Shared) -> LineBelief:
    """Return the belief about arms whose states are clipped lines."""
    return LineBelief(shared, personal)


@inlined
def evidence_on(b: LineBelief, person: int, k: int) -> ArmEvidence:
    """Return the evidence on arm k of one person."""
    return arm_evidence(b.shared.nodes, b.personal, person, k)


@add_reward.register(LineBelief)
def line_add_reward(b: LineBelief, person: int, k: int, token: Ticket, r: float) -> bool:
    """Add a reward at the line of its ticket."""
    arm = arm_of(b.shared.table, person, k)
    return add_line_reward(b.shared.nodes, b.personal, arm, person, k, Line(token.a, token.b, token.c, token.d), r)


@refit.register(LineBelief)
def line_refit(b: LineBelief, person: int, k: int, x0_moved: bool) -> None:
    """Find the global optimum strip by strip, and store the local fit."""
    arm, s, row = arm_of(b.shared.table, person, k), evidence_on(b, person, k), b.personal.local_fit[person, k]
    theta, x0 = maximise(arm.rewards, arm, s, row[0], row[1], x0_moved)
    write_local_fit(row, local_fit_at(arm.rewards, arm, s, theta, x0))


@rewards_count.register(LineBelief)
def line_rewards_count(b: LineBelief, person: int, k: int) -> float:
    """Return the number of rewards, early and settled."""
    return count(evidence_on(b, person, k))


@log_likelihood.register(LineBelief)
def line_log_likelihood(b: LineBelief, person: int, k: int, theta: float, x0: Floats) -> float:
    """Return the log-likelihood of the sums and of each early reward."""
    return loglik_of(arm_of(b.shared.table, person, k).rewards, evidence_on(b, person, k), theta, x0[0])


@fit.register(LineBelief)
def line_fit(b: LineBelief, person: int, k: int) -> tuple[float, Floats]:
    """Return the fit that `refit` stored."""
    row = b.personal.local_fit[person, k]
    return row[0], row[1:2]


@fit_gap.register(LineBelief)
def line_fit_gap(b: LineBelief, person: int, k: int) -> float:
    """Return 0, as the optimum is global; inf if the family is fitted by search."""
    return 0.0 if is_summable(arm_of(b.shared.table, person, k).rewards) else math.inf


@divergence.register(LineBelief)
def line_divergence(b: LineBelief, person: int, k: int, theta: float, x0: Floats, theta2: float, x02: Floats) -> float:
    """Return the divergence of the sums and of each early reward."""
    f = arm_of(b.shared.table, person, k).rewards
    return divergence_of(f, evidence_on(b, person, k), theta, x0[0], theta2, x02[0])


@region.register(LineBelief)
def line_region(b: LineBelief, person: int, k: int, rule: RadiusRule | LikelihoodRule, log_t: float) -> Any:
    """Return the confidence region, with the present state as a function of x0."""
    arm, fitted = arm_of(b.shared.table, person, k), read_local_fit(b.personal.local_fit[person, k])
    return region_under(rule, arm, evidence_on(b, person, k), fitted, line_now(b.personal, person, k), log_t)


@has_place.register(LineBelief)
def line_has_place(b: LineBelief, person: int) -> bool:
    """Return whether there is room for one more early reward: they are stored one by one, perhaps without limit."""
    e = b.personal
    for k in range(e.early_n.shape[1]):
        if e.early_n[person, k] >= e.early.shape[2]:
            return False
    return True


@with_places.register
def line_with_places(personal: LineEvidence, places: int) -> LineEvidence:
    """Return the arrays with room for so many early rewards."""
    return with_capacity(personal, places)


@capacity.register
def line_capacity(personal: LineEvidence) -> int:
    """Return how many early rewards there is room for."""
    return int(personal.early.shape[2])
