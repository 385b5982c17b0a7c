"""The compiled loop of a simulation: choose, play, draw a reward, learn."""

from __future__ import annotations

from typing import Any, NamedTuple

from rogue_bandits.compile.borrowed import borrowed
from rogue_bandits.compile.laws import inlined, kernel, law
from rogue_bandits.model.dynamics.clipped_affine import observed_state, out_of_bounds
from rogue_bandits.model.problem import ArmTable, arm_of, move_person
from rogue_bandits.policies.ties import is_valid_choice
from rogue_bandits.types import (
    NO_TICKET,
    NOT_ASKED,
    Bools,
    Floats,
    Ints,
    Request,
    Ticket,
    choose,
    choose_with_probabilities,
    draw,
    has_room,
    learn,
    play,
)

FINISHED, NO_ROOM = -1, -2


class Environment(NamedTuple):
    """The environment of the learners: arms and thetas, in one row for all or in one for each, and states."""

    table: ArmTable
    theta: Floats  # [rows, arms]
    x: Floats  # [people, arms], and components where states are vectors
    available: Bools  # [arms], at every decision of a simulation without conditions


class Asked(NamedTuple):
    """Room for the probabilities of every arm."""

    out: Floats  # [people, decisions, arms]


class Unasked(NamedTuple):
    """Marks that probabilities are not wanted: the code that computes them is then not compiled."""

    asked: bool = False


@law
def choose_into(into: Any, state: Any, person: int, t: int, request: Request) -> tuple[int, float]:
    """Choose, and write the probabilities of decision t if they are asked for."""


@law
def rest_into(into: Any, person: int, t: int) -> None:
    """Write the probabilities of a decision at which no arm is available, if they are asked for."""


@choose_into.register(Asked)
def choose_into_asked(into: Asked, state: Any, person: int, t: int, request: Request) -> tuple[int, float]:
    """Choose, and write the probabilities."""
    arm, probability = choose_with_probabilities(state, person, request, into.out[person, t])
    return arm, probability if probability != NOT_ASKED else 0.0  # which is not valid


@choose_into.register(Unasked)
def choose_into_unasked(into: Unasked, state: Any, person: int, t: int, request: Request) -> tuple[int, float]:
    """Choose, without probabilities."""
    return choose(state, person, request)


@rest_into.register(Asked)
def rest_into_asked(into: Asked, person: int, t: int) -> None:
    """Write zeros: no arm is chosen."""
    into.out[person, t, :] = 0.0


@rest_into.register(Unasked)
def rest_into_unasked(into: Unasked, person: int, t: int) -> None:
    """Do nothing."""


class RunRecord(NamedTuple):
    """What happened, [people, decisions]."""

    arm: Ints
    reward: Floats
    probability: Floats
    probabilities: Asked | Unasked


@kernel
def decide(environment: Environment, state: Any, u: Floats, first: int, record: RunRecord, done: Ints) -> int:
    """Make decisions first, first + 1, … of each person; `done` counts them.

    Returns FINISHED; NO_ROOM if the state is to be enlarged first; or the person for whom an arm was chosen that is
    not available.
    """
    environment, state, u, record = borrowed((environment, state, u, record))
    m, stopped = u.shape[2] - 1, FINISHED
    for person in range(u.shape[0]):
        for t in range(done[person], u.shape[1]):
            if not has_room(state, person):
                stopped = NO_ROOM
                break
            request = Request(first + t, environment.available, u[person, t, :m])
            is_valid, ticket = choose_and_draw(environment, state, person, request, u[person, t, m], record, t)
            if not is_valid:
                return person
            done[person] = t + 1  # before the policy learns from a reward that may be invalid, see `simulate_block`
            arm, probability, r = record.arm[person, t], record.probability[person, t], record.reward[person, t]
            learn(state, person, first + t, arm, probability, ticket, r)
    return stopped


@inlined
def choose_and_draw(
    environment: Environment, state: Any, person: int, request: Request, u: float, record: RunRecord, t: int
) -> tuple[bool, Ticket]:
    """Choose, play and draw the reward at the quantile u; False where the choice is invalid, and the ticket."""
    arm, probability = choose_into(record.probabilities, state, person, t, request)
    record.arm[person, t] = arm
    record.probability[person, t] = probability
    if not is_valid_choice(arm, probability, request.available):
        return False, NO_TICKET
    ticket = play(state, person, request.number, arm)
    x, played = environment.x[person], arm_of(environment.table, person, arm)
    theta = environment.theta[person * environment.table.stride, arm]
    record.reward[person, t] = draw(played.rewards, theta, observed_state(played.dynamics, x, arm), u)
    move_person(environment.table, person, x, arm)
    return True, ticket


@kernel
def first_out_of_bounds(table: ArmTable, x: Floats, played: Ints) -> tuple[int, int]:
    """Return the first decision after which a state is out of bounds, and its arm (−1: none); x ends as then."""
    for t in range(played.size):
        move_person(table, 0, x, played[t])
        for k in range(x.shape[0]):
            if out_of_bounds(arm_of(table, 0, k).dynamics, x, k):
                return t, k
    return -1, -1
