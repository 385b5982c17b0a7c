"""A policy that notes when it learns what."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import rogue_bandits as rb
from rogue_bandits.types import (
    Floats,
    Problem,
    Request,
    Ticket,
    choose,
    learn,
    play,
    start,
)


class Notes(NamedTuple):
    """Plays any arm; notes before which decision it learned each reward, and which."""

    horizon: int


class Noted(NamedTuple):
    clock: Floats  # [people, 1] decisions made
    learned_at: Floats  # [people, decisions]
    reward: Floats
    order: Floats  # of learning
    arm: Floats  # played, −1 for a rest


class NotesState(NamedTuple):
    shared: tuple[()]
    personal: Noted


STARTED: list[NotesState] = []


@start.register(Notes)
def start_notes(policy: Notes, problem: Problem, people: int) -> NotesState:
    shape = people, policy.horizon
    STARTED.append(NotesState((), Noted(np.zeros((people, 2)), *(np.full(shape, -9.0) for _ in range(4)))))
    return STARTED[-1]


@choose.register(NotesState)
def notes_choose(state: NotesState, person: int, request: Request) -> tuple[int, float]:
    count = np.count_nonzero(request.available)
    left = int(request.uniforms[0] * count)
    for k in range(request.available.size):
        if request.available[k]:
            if left == 0:
                return k, 1.0 / count
            left -= 1
    return -1, 0.0


@play.register(NotesState)
def notes_play(state: NotesState, person: int, number: int, arm: int) -> Ticket:
    state.personal.clock[person, 0] += 1.0
    state.personal.arm[person, number] = arm
    return Ticket(number + 0.25, arm + 0.5, 0.0, 1.0)


@learn.register(NotesState)
def notes_learn(
    state: NotesState, person: int, number: int, arm: int, probability: float, ticket: Ticket, r: float
) -> None:
    noted = state.personal
    if (
        ticket.a == number + 0.25
        and ticket.b == arm + 0.5
        and ticket.d == 1.0
        and noted.learned_at[person, number] == -9.0
    ):
        noted.learned_at[person, number] = noted.clock[person, 0]
        noted.reward[person, number] = r
        noted.order[person, number] = noted.clock[person, 1]
        noted.clock[person, 1] += 1.0


def noted(trace_of: Any) -> tuple[rb.Trace, Noted]:
    """A trace and what was noted; the first state is of the trial that every policy of user code undergoes."""
    STARTED.clear()
    trace = trace_of()
    return trace, Noted(*(np.concatenate(parts) for parts in zip(*(s.personal for s in STARTED[1:]), strict=True)))
