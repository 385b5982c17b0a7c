"""The compiled steps of a population: choose and play, play what was decided elsewhere, learn.

Each kernel goes through people one by one and returns how far it came and why it stopped there. A person is served as a
whole or not at all, so that an interruption never leaves half a decision.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rogue_bandits.compile.borrowed import borrowed
from rogue_bandits.compile.laws import inlined, kernel
from rogue_bandits.numerics.pcg64 import Words, next_double
from rogue_bandits.policies.ties import is_valid_choice
from rogue_bandits.types import (
    Bools,
    Floats,
    Ints,
    Request,
    Ticket,
    choose_with_probabilities,
    has_room,
    learn,
    play,
)

DONE, NO_ROOM, INVALID_CHOICE, NOT_PENDING = range(4)  # why a kernel stopped


class Pending(NamedTuple):
    """Decisions whose reward has not come, [people, slots]."""

    number: Ints  # of the decision, plus 1; 0 marks a free slot
    arm: Ints
    probability: Floats
    ticket: Floats  # [people, slots, 4]


class Session(NamedTuple):
    """What is known of each person beside the state of the policy."""

    number: Ints  # [people] of the next decision
    token: Ints  # [people] tells the decisions of one person from those of another
    stream: Words  # [people, 4] random numbers
    pending: Pending


class Chosen(NamedTuple):
    """What a kernel chose, [n]."""

    number: Ints
    arm: Ints
    probability: Floats
    probabilities: Floats  # [n, arms]


@inlined
def free_slot(p: Pending, person: int) -> int:
    """Return a slot for one more decision, −1 if there is none."""
    for j in range(p.number.shape[1]):
        if p.number[person, j] == 0:
            return j
    return -1


@inlined
def await_reward(p: Pending, person: int, j: int, number: int, arm: int, probability: float, t: Ticket) -> None:
    """Write a decision to slot j."""
    p.number[person, j], p.arm[person, j], p.probability[person, j] = number + 1, arm, probability
    row = p.ticket[person, j]
    row[0], row[1], row[2], row[3] = t.a, t.b, t.c, t.d


@inlined
def release(p: Pending, person: int, j: int) -> None:
    """Free slot j; unused room is zero."""
    p.number[person, j], p.arm[person, j], p.probability[person, j] = 0, 0, 0.0
    p.ticket[person, j, :] = 0.0


@kernel
def choose_kernel(
    state: Any, session: Session, people: Ints, available: Bools, u: Floats, chosen: Chosen, first: int
) -> tuple[int, int]:
    """Choose and play for people first, first + 1, …; `available` is [n, arms], `u` room for the uniforms."""
    state, session = borrowed(state), borrowed(session)
    for i in range(first, people.size):
        person = people[i]
        slot = free_slot(session.pending, person)
        if slot < 0 or not has_room(state, person):
            return i, NO_ROOM
        number = session.number[person]
        for j in range(u.size):
            u[j] = next_double(session.stream[person])
        request = Request(number, available[i], u)
        arm, probability = choose_with_probabilities(state, person, request, chosen.probabilities[i])
        chosen.number[i], chosen.arm[i], chosen.probability[i] = number, arm, probability
        if not is_valid_choice(arm, probability, available[i], chosen.probabilities.shape[1] > 0):
            return i, INVALID_CHOICE
        session.number[person] = number + 1
        await_reward(session.pending, person, slot, number, arm, probability, play(state, person, number, arm))
    return people.size, DONE


@kernel
def play_kernel(state: Any, session: Session, people: Ints, chosen: Chosen, first: int) -> tuple[int, int]:
    """Play the arms chosen elsewhere (−1: none) for people first, first + 1, …; their numbers are filled in."""
    state, session = borrowed(state), borrowed(session)
    for i in range(first, people.size):
        person, arm = people[i], chosen.arm[i]
        slot = free_slot(session.pending, person)
        if slot < 0 or not has_room(state, person):
            return i, NO_ROOM
        number = session.number[person]
        chosen.number[i], session.number[person] = number, number + 1
        ticket = play(state, person, number, arm)
        if arm >= 0:
            await_reward(session.pending, person, slot, number, arm, chosen.probability[i], ticket)
    return people.size, DONE


@kernel
def learn_kernel(
    state: Any, session: Session, people: Ints, chosen: Chosen, reward: Floats, first: int
) -> tuple[int, int]:
    """Learn the rewards of decisions (nan: it will never be seen), and forget that they were pending."""
    state, session = borrowed(state), borrowed(session)
    p = session.pending
    for i in range(first, people.size):
        person, slot = people[i], -1
        for j in range(p.number.shape[1]):
            if p.number[person, j] == chosen.number[i] + 1:
                slot = j
        # Number −1 would be that of a free slot.
        if slot < 0 or chosen.number[i] < 0 or p.arm[person, slot] != chosen.arm[i]:
            return i, NOT_PENDING
        if not math.isnan(reward[i]):
            if not has_room(state, person):
                return i, NO_ROOM
            row, probability = p.ticket[person, slot], p.probability[person, slot]
            ticket = Ticket(row[0], row[1], row[2], row[3])
            learn(state, person, chosen.number[i], chosen.arm[i], probability, ticket, reward[i])
        release(p, person, slot)
    return people.size, DONE
