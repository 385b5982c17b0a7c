"""The compiled steps of a population: choose and play, play what was decided elsewhere, learn.

Each kernel goes through people one by one and returns how far it came and why it stopped there. A person is served as a
whole or not at all, so that an interruption never leaves half a decision. `OnlineState` has the arrays that kernels
change, and runs them: it enlarges arrays that are full, and raises where a choice or a decision is not valid.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from rogue_bandits.compile.borrowed import borrowed
from rogue_bandits.compile.laws import inlined, kernel
from rogue_bandits.model.compiling import named_laws
from rogue_bandits.numerics.pcg64 import Words, next_double
from rogue_bandits.online.personal import Array, fitted_into, leaves, mapped, rebuilt, replaced
from rogue_bandits.policies.ties import is_valid_choice, raise_on_invalid_choice
from rogue_bandits.types import (
    Bools,
    Floats,
    Ints,
    Request,
    Ticket,
    choose_with_probabilities,
    grown,
    has_room,
    learn,
    play,
)

if TYPE_CHECKING:
    from rogue_bandits.online.engine import Engine

DONE, NO_ROOM, INVALID_CHOICE, NOT_PENDING = range(4)  # why a kernel stopped
MANY_PEOPLE, MANY_SLOTS = 1_000, 64  # from which memory for decisions that await rewards is worth a warning


class Pending(NamedTuple):
    """Decisions whose reward has not been reported, [people, slots]."""

    number: Ints  # of the decision, plus 1; 0 marks a free slot
    arm: Ints
    probability: Floats
    ticket: Floats  # [people, slots, 4]


class Session(NamedTuple):
    """The next decision, the random stream and the pending decisions of each person."""

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
    state, session, available, u, chosen = borrowed((state, session, available, u, chosen))
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
    state, session, chosen = borrowed((state, session, chosen))
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
    """Learn the rewards of decisions (nan: it will never be observed), and remove these from the pending ones."""
    state, session, chosen = borrowed((state, session, chosen))
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


# ---- running kernels -------------------------------------------------------------------------------------------------
class OnlineState:
    """People under one policy: the arrays that kernels change in place."""

    def __init__(self, engine: Engine, personal: Any, session: Session) -> None:
        """Take arrays, which are not copied."""
        self.replace(engine, personal, session)
        self.uniforms = np.empty(engine.uniforms)
        self.broken = ""  # why these arrays may be inconsistent

    def replace(self, engine: Engine, personal: Any, session: Session) -> None:
        """Take other arrays, of the same policy."""
        self.engine, self.session = engine, session
        self.state = engine.state._replace(personal=personal)  # of the policy

    @property
    def arrays(self) -> tuple[Any, Session]:
        """The numbers of all people: what the policy has of each, and their decisions and streams."""
        return self.state.personal, self.session

    def choose(self, people: Ints, available: Bools, chosen: Chosen) -> None:
        """Choose and play."""
        self._run(self.engine.choose, people, available, self.uniforms, chosen)

    def play(self, people: Ints, chosen: Chosen) -> None:
        """Play what was chosen elsewhere."""
        self._run(self.engine.play, people, chosen)

    def learn(self, people: Ints, chosen: Chosen, reward: Floats) -> None:
        """Learn rewards."""
        self._run(self.engine.learn, people, chosen, reward)

    def checkpoint(self, person: int) -> list[Array]:
        """Return a copy of one person's numbers, to which `revert` returns."""
        self.raise_if_broken()
        return [array[person : person + 1].copy() for array in leaves(self.arrays)]

    def revert(self, person: int, checkpoint: list[Array]) -> None:
        """Return one person to a checkpoint, also after a law has raised since, for nobody else."""
        self.replace(self.engine, *replaced(self.arrays, person, rebuilt(self.arrays, iter(checkpoint))))
        self.broken = ""

    def raise_if_broken(self) -> None:
        """Raise ValueError after a law has raised."""
        if self.broken:
            raise ValueError(f"this bandit cannot continue: {self.broken}. Restore the last one that was saved")

    def _run(self, kernel: Any, people: Ints, *args: Any) -> None:
        """Run a kernel over people, with larger arrays where they have no room left."""
        self.raise_if_broken()
        first = 0
        while True:
            try:
                first, why = kernel(self.state, self.session, people, *args, first)
            except Exception as error:  # of a user's law: one arm may have been advanced, and the next one not
                self.broken = f"a law raised {type(error).__name__}: {error}"
                with named_laws(list(self.engine.problem.arms)):
                    raise
            if why == DONE:
                return
            if why == NO_ROOM:
                self._grow(int(people[first]))
            elif why == INVALID_CHOICE:
                chosen = args[-1]
                choice = chosen.arm[first], chosen.probability[first], chosen.number[first]
                raise_on_invalid_choice(self.engine.policy, *choice, int(people[first]))
            else:
                raise_not_pending(self.session, int(people[first]), args[0].number[first], args[0].arm[first])

    def _grow(self, person: int) -> None:
        pending = self.session.pending
        if pending.number[person].all():
            slots = 2 * pending.number.shape[1]
            larger = mapped(lambda a: fitted_into(a, (len(a), slots, *a.shape[2:])), pending)
            warn_of_room(person, len(pending.number), pending, larger, stacklevel=6)  # of who called Population
            self.session = self.session._replace(pending=larger)
        else:
            self.state = grown(self.state)


def warn_of_room(person: int, people: int, before: Pending, after: Pending, stacklevel: int) -> None:
    """Warn, once, where one of many people has so many pending decisions that the room for them, of all, is large."""
    had, slots = before.number.shape[1], after.number.shape[1]
    if people >= MANY_PEOPLE and had <= MANY_SLOTS < slots:
        size = people * slots * sum(a[0, 0].nbytes for a in after) / 1e6
        warnings.warn(
            f"person {person} has {MANY_SLOTS} decisions that await rewards, or more. There is now room for {slots} of "
            f"each of {people:,} people, {size:,.0f} MB, which doubles as they increase: report rewards that will "
            "never come as nan, such as people.update(decisions, [nan])",
            RuntimeWarning,
            stacklevel=stacklevel,
        )


def raise_not_pending(session: Session, person: int, number: int, arm: int) -> NoReturn:
    """Raise ValueError: why a decision of a person awaits no reward."""
    made, pending = int(session.number[person]), session.pending
    of = "" if session.number.size == 1 else f" of person {person}"
    if not 0 <= number < made:
        raise ValueError(f"decision {number}{of} was never made: {made} have been, from 0")
    slots = np.flatnonzero(pending.number[person] == number + 1)
    if not slots.size:
        raise ValueError(f"decision {number}{of} awaits no reward: its reward was given already, or it was a rest")
    raise ValueError(f"decision {number}{of} played arm {pending.arm[person, slots[0]]}, not arm {arm}")
