"""What the ROGUE policies share: a belief about every arm, advanced by `play` and updated by `learn`."""

from __future__ import annotations

import warnings
from abc import ABC
from typing import Any, Protocol, TypeVar

from rogue_bandits.belief.contract import (
    ONLINE_EVALUATIONS,
    Shared,
    advance,
    belief_of,
    capacity,
    empty_belief,
    has_place,
    observe,
    ticket,
    with_places,
)
from rogue_bandits.belief.marginal import PosteriorEvidence
from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.dynamics.forgetting import forgets
from rogue_bandits.model.problem import arm_of
from rogue_bandits.model.rewards.weighted import projected_arm
from rogue_bandits.types import NO_TICKET, Problem, Ticket, grown, has_room, is_summable, learn, play, signal

Tables = TypeVar("Tables", covariant=True)


class HasBelief(Protocol[Tables]):
    """What all people share, with the tables of a belief."""

    @property
    def belief(self) -> Tables:
        """Tables of the belief."""


class RogueState(Protocol):
    """A state of the kind `Rogue`."""

    @property
    def shared(self) -> HasBelief[Any]:
        """What all people share."""

    @property
    def personal(self) -> Any:
        """Arrays of the belief, of whichever type."""


class PosteriorState(Protocol):
    """The same of a policy that draws from a posterior."""

    @property
    def shared(self) -> HasBelief[Shared]:
        """What all people share."""

    @property
    def personal(self) -> PosteriorEvidence:
        """Arrays of the belief."""


class Rogue(ABC):
    """The kind: states whose `shared` has a field `belief: Shared`, and whose `personal` is that of a belief."""


def start_belief(problem: Problem, people: int) -> tuple[Shared, Any]:
    """Return the shared and the personal part of the belief before the first decision; warn of costs that grow."""
    belief = empty_belief(problem, people, ONLINE_EVALUATIONS)
    if not is_summable(problem.arms[0].rewards) and not belief.shared.nodes.is_summed.all():
        warnings.warn(
            f"{type(problem.arms[0].rewards).__name__} rewards cannot be summed up, as their likelihood or divergence "
            "is not smooth enough in theta and x: each one is stored, and the cost of a decision grows with their "
            "number (docs/models.md)",
            RuntimeWarning,
            stacklevel=2,
        )
    for k, arm in enumerate(problem.arms):
        if arm.x0 is None and not forgets(projected_arm(arm).dynamics, k):
            warnings.warn(
                f"arm {arm.name or k!r}: no plays were found after which its first state is forgotten. Every reward is "
                "stored, and the cost of a decision grows with their number (docs/models.md)",
                RuntimeWarning,
                stacklevel=2,
            )
    return belief.shared, belief.personal


@inlined
def belief_in(state: RogueState) -> Any:
    """Return the belief of a state."""
    return belief_of(state.personal, state.shared.belief)


@play.register(Rogue)
def rogue_play(state: RogueState, person: int, number: int, arm: int) -> Ticket:
    """Advance the states of all arms; the ticket is of the state before."""
    belief, token = belief_in(state), NO_TICKET
    for k in range(state.personal.plays.shape[1]):
        if k == arm:
            token = ticket(belief, person, k)
            state.personal.plays[person, k] += 1
        d = arm_of(belief.shared.table, person, k).dynamics
        advance(belief, person, k, signal(d, k, arm))
    return token


@learn.register(Rogue)
def rogue_learn(
    state: RogueState, person: int, number: int, arm: int, probability: float, ticket: Ticket, r: float
) -> None:
    """Add the reward to the belief."""
    observe(belief_in(state), person, arm, ticket, r)


@has_room.register(Rogue)
def rogue_has_room(state: RogueState, person: int) -> bool:
    """Return whether there is room: rewards that are stored one by one may grow without limit."""
    return has_place(belief_in(state), person)


@grown.register(Rogue)
def rogue_grown(state: Any) -> Any:
    """Return the state with room for twice as many rewards."""
    return state._replace(personal=with_places(state.personal, 2 * capacity(state.personal)))
