"""Conditions of a simulation: when rewards become known, which never do, and which arms are available."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.compile.borrowed import borrowed
from rogue_bandits.compile.laws import inlined, kernel
from rogue_bandits.model.numbers import checked_whole
from rogue_bandits.model.problem import move_person
from rogue_bandits.planning.rollout import REST
from rogue_bandits.simulation.kernels import FINISHED, NO_ROOM, Environment, RunRecord, choose_and_draw, rest_into
from rogue_bandits.types import Bools, Floats, Ints, Request, Ticket, has_room, learn, play

NEVER = -1


class Conditions(NamedTuple):
    """The conditions that `simulate` was called with; see there."""

    delay: Any = 0
    missing: Any = 0.0
    available: Any = None

    @property
    def are_plain(self) -> bool:
        """Whether every reward is known at once and every arm is available."""
        numbers = np.ndim(self.missing) == 0 and isinstance(self.delay, int | np.integer)
        return numbers and not self.delay and not self.missing and self.available is None


class Realised(NamedTuple):
    """Conditions of some people in numbers."""

    known_at: Ints  # [people, decisions] number of the decision before which a reward is learned, or NEVER
    available: Bools  # [people, decisions, arms]
    longest: int  # of all decisions, how many later ones at most begin before the reward is known


class Unlearned(NamedTuple):
    """Decisions of some people, kept until their rewards are learned: [people, decisions]."""

    arm: Ints
    probability: Floats
    reward: Floats
    ticket: Floats  # [people, decisions, 4]


def checked_conditions(conditions: Conditions, people: int, horizon: int, arms: int) -> Conditions:
    """Return conditions with their numbers checked, and arrays where there are several numbers."""
    delay, missing, available = conditions
    if not callable(delay):
        delay = _delays(delay, (people, horizon))
    missing = _shares(missing, "missing", (people, horizon), "a number, [decisions] or [people, decisions]")
    if available is not None:
        shape = "a number, [arms], [decisions, arms] or [people, decisions, arms]"
        available = _shares(available, "available", (people, horizon, arms), shape)
    return Conditions(delay, missing, available)


def realised(conditions: Conditions, block: range, u: Floats, arms: int) -> Realised:
    """Return the conditions of some people at their uniforms [people, decisions, 2 + arms].

    The first uniform is for the delay, the second says whether the reward is missing, the others are for the arms:
    one condition does not change the draws of another.
    """
    people, horizon = u.shape[:2]
    if callable(conditions.delay):
        delay = _delays(conditions.delay(u[:, :, 0]), (people, horizon), "delay(u)")
    else:
        delay = _rows(conditions.delay, block, (people, horizon))
    missing = u[:, :, 1] < _rows(conditions.missing, block, (people, horizon))
    probability = 1.0 if conditions.available is None else conditions.available
    available = u[:, :, 2:] < _rows(probability, block, (people, horizon, arms))
    number = np.arange(horizon)
    known_at = number + 1 + delay
    known_at[missing | ~available.any(axis=2)] = NEVER
    return Realised(known_at, available, min(int((known_at - number).max(initial=0)), horizon))


def unlearned(people: int, horizon: int) -> Unlearned:
    """Return room for all decisions of so many people."""
    shape = people, horizon
    return Unlearned(np.zeros(shape, dtype=np.int64), np.zeros(shape), np.zeros(shape), np.zeros((*shape, 4)))


@kernel
def decide_under_conditions(
    environment: Environment,
    state: Any,
    u: Floats,
    first: int,
    record: RunRecord,
    done: Ints,
    conditions: Realised,
    kept: Unlearned,
) -> int:
    """Make decisions as `decide` does, under conditions. A person to whom no arm is available rests.

    Before each decision the rewards are learned that become known then, in the order of their decisions.
    """
    environment, state, u, record = borrowed((environment, state, u, record))
    conditions, kept = borrowed((conditions, kept))
    m, stopped = u.shape[2] - 1, FINISHED
    for person in range(u.shape[0]):
        for t in range(done[person], u.shape[1]):
            number = first + t
            if not learn_known(state, person, number, conditions, kept) or not has_room(state, person):
                stopped = NO_ROOM
                break
            available = conditions.available[person, number]
            if not available.any():
                record.arm[person, t], record.reward[person, t], record.probability[person, t] = REST, np.nan, np.nan
                rest_into(record.probabilities, person, t)
                play(state, person, number, REST)
                move_person(environment.table, person, environment.x[person], REST)
                done[person] = t + 1
                continue
            request = Request(number, available, u[person, t, :m])
            is_valid, ticket = choose_and_draw(environment, state, person, request, u[person, t, m], record, t)
            if not is_valid:
                return person
            done[person] = t + 1
            keep(kept, person, number, record, t, ticket)
    return stopped


@inlined
def keep(kept: Unlearned, person: int, number: int, record: RunRecord, t: int, ticket: Ticket) -> None:
    """Keep a decision until its reward is known."""
    kept.arm[person, number], kept.reward[person, number] = record.arm[person, t], record.reward[person, t]
    kept.probability[person, number] = record.probability[person, t]
    row = kept.ticket[person, number]
    row[0], row[1], row[2], row[3] = ticket.a, ticket.b, ticket.c, ticket.d


@inlined
def learn_known(state: Any, person: int, number: int, conditions: Realised, kept: Unlearned) -> bool:
    """Learn the rewards that become known before decision `number`; False if there is no room for one of them."""
    known_at = conditions.known_at[person]
    for s in range(max(0, number - conditions.longest), number):
        if known_at[s] == number:
            if not has_room(state, person):
                return False
            row = kept.ticket[person, s]
            ticket = Ticket(row[0], row[1], row[2], row[3])
            learn(state, person, s, kept.arm[person, s], kept.probability[person, s], ticket, kept.reward[person, s])
            known_at[s] = NEVER  # learned: a state that is enlarged and continues does not learn it twice
    return True


# ---- checks ----------------------------------------------------------------------------------------------------------
def _delays(value: Any, full: tuple[int, ...], what: str = "delay") -> Any:
    """Return whole numbers, 0 or more: one, or an array that fits the last axes of `full`."""
    if np.ndim(value) == 0 and what == "delay":
        return checked_whole(value, "simulate, delay", 0)
    delays = _fitting(value, what, full, "a whole number, [decisions], [people, decisions], or a function of uniforms")
    for place in np.argwhere(~((delays >= 0.0) & (np.floor(delays) == delays))):
        raise ValueError(f"simulate, {what} {delays[tuple(place)]:g} must be a whole number, 0 or more")
    return np.minimum(delays, 2**62).astype(np.int64)


def _shares(value: Any, what: str, full: tuple[int, ...], allowed: str) -> Any:
    """Return probabilities, False as 0 and True as 1: one, or an array that fits the last axes of `full`."""
    shares = _fitting(value, what, full, allowed)
    for place in np.argwhere(~((shares >= 0.0) & (shares <= 1.0))):
        raise ValueError(f"simulate, {what} {shares[tuple(place)]:g} must be a probability, from 0 to 1, or a boolean")
    return shares


def _fitting(value: Any, what: str, full: tuple[int, ...], allowed: str) -> Floats:
    try:
        found = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"simulate, {what} {value!r} must be numbers: {allowed}") from None
    if found.shape != full[len(full) - found.ndim :]:
        raise ValueError(f"simulate, {what} has shape {found.shape}, and must be {allowed}: at most {full}")
    return found


def _rows(value: Any, block: range, shape: tuple[int, ...]) -> Any:
    """Return the rows of some people, of a number or an array over all of them."""
    array = np.asarray(value)
    if array.ndim == len(shape):
        array = array[block.start : block.stop]
    return np.broadcast_to(array, shape)
