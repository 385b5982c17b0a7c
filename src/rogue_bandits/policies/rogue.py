"""What the ROGUE policies share: evidence on every arm, moved on by `play` and added to by `learn`."""

from __future__ import annotations

import warnings
from abc import ABC
from collections.abc import Sequence
from typing import Any

import rogue_bandits.belief.play_log.contract  # noqa: F401  its laws are chosen by the arms
from rogue_bandits.belief.contract import (
    ONLINE_EVALUATIONS,
    Belief,
    advance,
    empty_belief,
    has_place,
    observe,
    refit,
    region_of,
    ticket,
    with_places,
)
from rogue_bandits.compile.laws import inlined, pick
from rogue_bandits.model.dynamics.forgetting import forgets
from rogue_bandits.model.rewards.weighted import projected_arm
from rogue_bandits.model.validation import checked_arms
from rogue_bandits.types import Arm, Line, grown, has_room, is_summable, learn, play, signal


class Rogue(ABC):
    """The kind: states with a field `known: Knowledge`."""


def checked_belief(arms: Sequence[Arm], people: int) -> Belief:
    """Before the first decision; what will make every decision dearer is said."""
    arms = checked_arms(arms)
    if not is_summable(arms[0].rewards):
        warnings.warn(
            f"{type(arms[0].rewards).__name__} rewards cannot be summed up: every one is kept, and the cost of a "
            "decision grows with their number (docs/models.md)",
            RuntimeWarning,
            stacklevel=2,
        )
    for k, arm in enumerate(arms):
        if not forgets(projected_arm(arm).dynamics, k):
            warnings.warn(
                f"arm {arm.name or k!r}: no plays were found after which its first state is forgotten. Every reward is "
                "kept, and the cost of a decision grows with their number (docs/models.md)",
                RuntimeWarning,
                stacklevel=2,
            )
    return empty_belief(arms, people, ONLINE_EVALUATIONS)


@inlined
def region(known: Belief, rule: Any, person: int, k: int, log_t: float) -> Any:
    """The confidence region of arm k."""
    return region_of(known.evidence, pick(known.arms, k), person, k, known.local_fit, rule, log_t)


@play.register(Rogue)
def rogue_play(state: Any, person: int, number: int, arm: int) -> Line:
    """The state of the played arm falls, the others recover; the reward will speak of the state as it was."""
    known = state.known
    then = Line(0.0, 0.0, 0.0, 0.0)
    for k in range(known.plays.shape[1]):
        a = pick(known.arms, k)
        if k == arm:
            then = ticket(known.evidence, a, person, k)
            known.plays[person, k] += 1
        advance(known.evidence, a, person, k, signal(a.dynamics, k, arm))
    return then


@learn.register(Rogue)
def rogue_learn(state: Any, person: int, number: int, arm: int, probability: float, line: Line, r: float) -> None:
    """Take in the reward and fit again, from where the last fit lay."""
    known = state.known
    row, a = known.local_fit[person, arm], pick(known.arms, arm)
    refit(known.evidence, a, person, arm, row, observe(known.evidence, a, person, arm, line, r))


@has_room.register(Rogue)
def rogue_has_room(state: Any, person: int) -> bool:
    """What is kept one by one may have no end."""
    return has_place(state.known.evidence, person)


@grown.register(Rogue)
def rogue_grown(state: Any) -> Any:
    """Room for twice as much."""
    e = state.known.evidence
    return state._replace(known=state.known._replace(evidence=with_places(e, 2 * e.early.shape[2])))
