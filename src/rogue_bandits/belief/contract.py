"""The Belief contract: what an arm's rewards say about (theta, x0), for every arm of every person.

A belief is a NamedTuple of two fields: `shared`, tables that all people read, and `personal`, arrays [people, arms, …].
There are six kinds. `empty_belief` makes two, which have a fit and a confidence region: `lines.LineBelief`, where the
state is a clipped line in x0, exact and of constant cost; and `play_log.contract.PlayLogBelief` for all other dynamics.
`posterior.prior` makes the third, from which (theta, x0) can be drawn; `curves.curve_prior` the fourth, where theta is
an unknown function of a known state, and `steps.steps_prior` the fifth, where that function has jumps;
`bank.evidence.start_bank` the sixth, where the dynamics are unknown too. The laws below are chosen by that type; k is
an arm, x0 an array of one number or, where states are vectors, of several.
"""

from __future__ import annotations

from abc import ABC
from functools import singledispatch
from typing import Any, NamedTuple, Protocol

import rogue_bandits.belief.early_numeric
import rogue_bandits.belief.settled_numeric  # noqa: F401  their laws are chosen by the family
from rogue_bandits.belief.nodes import NodeTables, node_tables, summing_tables
from rogue_bandits.belief.radius import LikelihoodRule, RadiusRule
from rogue_bandits.belief.upper_bound import upper_bound_of
from rogue_bandits.compile.laws import inlined, law, remembered
from rogue_bandits.model.constants import corners
from rogue_bandits.model.dynamics.projected import ProjectedDynamics
from rogue_bandits.model.problem import ArmTable, arm_of, arm_table, rows_of, types_in
from rogue_bandits.model.rewards.weighted import projected_arm
from rogue_bandits.model.validation import curve_length, is_known
from rogue_bandits.types import Arm, Floats, Problem, Ticket, mean

# Evaluations that a branch and bound may take: for one decision of many, and for one answer that is asked for once.
# Arms whose states are clipped lines need none.
ONLINE_EVALUATIONS, OFFLINE_EVALUATIONS = 300, 20_000


class Shared(NamedTuple):
    """What the beliefs about all people share."""

    table: ArmTable
    nodes: NodeTables
    tie_tolerance: float  # means that differ by less are equal up to rounding
    evaluations: int  # of a search, at most


class Belief(Protocol):
    """A belief, of any kind."""

    @property
    def shared(self) -> HasArms:
        """Tables that all people read."""

    @property
    def personal(self) -> Any:
        """Arrays [people, arms, …], a type for each kind of belief."""


class HasArms(Protocol):
    """Shared tables, with those of the arms."""

    @property
    def table(self) -> ArmTable:
        """The arms."""


@law
def belief_of(personal: Any, shared: Any) -> Any:
    """Return the belief that personal arrays and shared tables make."""


# ---- updating --------------------------------------------------------------------------------------------------------
@law
def ticket(b: Any, person: int, k: int) -> Ticket:
    """Return the token that credits a reward to arm k, played at the present decision."""


@law
def advance(b: Any, person: int, k: int, signal_t: float) -> None:
    """Advance the state of arm k by one decision."""


@law
def add_reward(b: Any, person: int, k: int, token: Ticket, r: float) -> bool:
    """Add a reward without fitting; return whether it is one that depends on x0, or is kept."""


@law
def refit(b: Any, person: int, k: int, x0_moved: bool) -> None:
    """Fit arm k again, starting from the last fit; `x0_moved` is what `add_reward` returned."""


@inlined
def observe(b: Belief, person: int, k: int, token: Ticket, r: float) -> None:
    """Add the reward of the decision that the ticket is of, and fit again."""
    refit(b, person, k, add_reward(b, person, k, token, r))


# ---- questions -------------------------------------------------------------------------------------------------------
@law
def rewards_count(b: Any, person: int, k: int) -> float:
    """Return n, the number of rewards."""


@law
def log_likelihood(b: Any, person: int, k: int, theta: float, x0: Floats) -> float:
    """Return the log-likelihood of all rewards."""


@law
def fit(b: Any, person: int, k: int) -> tuple[float, Floats]:
    """Return the maximum-likelihood (theta, x0); x0 is a view."""


@law
def fit_gap(b: Any, person: int, k: int) -> float:
    """Return how much larger the log-likelihood of another point may be; inf where that is not proven."""


@law
def state_at(b: Any, person: int, k: int, x0: Floats) -> float:
    """Return the state now, as rewards depend on it, if the first state was x0."""


@inlined
def mean_at(b: Belief, person: int, k: int, theta: float, x0: Floats) -> float:
    """Return the mean of the next reward at (theta, x0)."""
    return mean(arm_of(b.shared.table, person, k).rewards, theta, state_at(b, person, k, x0))


@law
def divergence(b: Any, person: int, k: int, theta: float, x0: Floats, theta2: float, x02: Floats) -> float:
    """Return the trajectory divergence of two points, summed over the observed rewards.  [Def. 1]"""


@law
def region(b: Any, person: int, k: int, rule: Any, log_t: float) -> Any:
    """Return the confidence region around the fit, for the laws of `region.py`."""


@inlined
def upper_bound(b: Belief, person: int, k: int, rule: RadiusRule | LikelihoodRule, log_t: float) -> float:
    """Return the largest mean of the next reward inside the radius."""
    return upper_bound_of(region(b, person, k, rule, log_t))


@law
def posterior_draw(b: Any, person: int, k: int, u_theta: float, u_x0: float) -> tuple[float, float]:
    """Return a draw of (theta, x0), at two quantiles; x0 is any number where the state does not depend on it."""


# ---- room ------------------------------------------------------------------------------------------------------------
@law
def has_place(b: Any, person: int) -> bool:
    """Return whether the arrays hold one more decision and its reward, of any arm."""


@singledispatch
def with_places(personal: Any, places: int) -> Any:
    """Return the personal arrays with room for at least so many rewards and decisions of each arm."""
    raise TypeError(f"{type(personal).__name__} is not the personal part of a belief")


@singledispatch
def capacity(personal: Any) -> int:
    """Return for how many rewards of an arm there is room."""
    raise TypeError(f"{type(personal).__name__} is not the personal part of a belief")


class HasFit(ABC):
    """The kind of beliefs that have a fit and a confidence region; with it callers need not import each of them."""


class ConstantSize(ABC):
    """The kind: personal parts that hold no reward one by one."""


@with_places.register
def constant_with_places(personal: ConstantSize, places: int) -> ConstantSize:
    """Return the same arrays: their size is constant."""
    return personal


@capacity.register
def constant_capacity(personal: ConstantSize) -> int:
    """Return 0: no room is needed."""
    return 0


# ---- making one ------------------------------------------------------------------------------------------------------
def empty_belief(problem: Problem, people: int, evaluations: int) -> Any:
    """Return the belief before the first decision."""
    for k, arm in enumerate(problem.arms):
        if (wrong := belief_refusal(arm)) is not None:
            raise ValueError(f"arm {arm.name or k!r}: {wrong}")
    rows = [[projected_arm(arm) for arm in arms] for arms in rows_of(problem)]
    shared = shared_by(types_in(problem.arms), problem, evaluations)
    if isinstance(rows[0][0].dynamics, ProjectedDynamics):
        # Imported on demand: most programs never need this engine.
        from rogue_bandits.belief.play_log.contract import empty_play_log_belief

        return empty_play_log_belief(shared, rows[0], people)
    from rogue_bandits.belief.lines import empty_line_belief

    return empty_line_belief(shared, rows[0], people)


def belief_refusal(arm: Arm) -> str | None:
    """Return why (theta, x0) of an arm with an unknown curve or dynamics cannot be estimated; None if it can."""
    kind = type(arm.dynamics).__name__
    if not is_known(arm.dynamics):
        return f"its dynamics are {kind}, and known ones are needed here: plan-ts, index-ts and rogue-ts learn them"
    if curve_length(arm.dynamics) == 0:
        return None
    return f"under {kind} theta is an unknown curve: plan-ts, plan-ucb, rogue-ts, rgp-ucb and rgp-ts can learn it"


@remembered(256)
def shared_by(types: tuple[Any, ...], problem: Problem, evaluations: int) -> Shared:
    """Return the tables of a problem, made once; `types` distinguishes problems of equal numbers."""
    rows = [[projected_arm(arm) for arm in arms] for arms in rows_of(problem)]
    tie_tolerance = 1e-9 * max(mean_range(arm) for arm in rows[0])
    # One answer from a history is found by its rewards before a table is made. Decisions are many.
    tables = summing_tables(rows[0]) if evaluations == ONLINE_EVALUATIONS else node_tables(rows[0])
    return Shared(arm_table(rows), tables, tie_tolerance, evaluations)


def mean_range(arm: Arm) -> float:
    """Return the largest difference of two means of an arm: monotone in theta and in x, so at corners of the box."""
    means = [mean(arm.rewards, theta, x) for theta, x in corners(arm)]
    return max(means) - min(means)
