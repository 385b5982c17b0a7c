"""A crowd of learners that is driven a stretch of decisions at a time, so that one stretch can be looked at."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.compile.laws import specialised
from rogue_bandits.model.problem import arm_table
from rogue_bandits.model.rewards.weighted import arms_and_states
from rogue_bandits.simulation.kernels import FINISHED, Environment, RunRecord, Unasked, decide
from rogue_bandits.types import Floats, Problem, Truth, grown, start


class Crowd(NamedTuple):
    """What the learners play against, and what they know. Both change as they play.

    `decide` is compiled for these types: finding that out at each call takes as long as many decisions.
    """

    environment: Environment
    state: Any
    decide: Any


def gather(truth: Truth, policy: Any, people: int, horizon: int) -> Crowd:
    """A crowd before its first decision."""
    arms, theta, x0 = arms_and_states(truth)
    environment = Environment(
        table=arm_table([arms]),
        theta=theta[None],
        x=np.tile(x0, (people, *[1] * x0.ndim)),
        available=np.ones(len(truth.arms), dtype=np.bool_),
    )
    state, none = start(policy, Problem(tuple(truth.arms), horizon), people), np.empty((people, 0, 2))
    compiled = specialised(decide, environment, state, none, 0, empty_record(people, 0), np.zeros(people, np.int64))
    return Crowd(environment, state, compiled)


def empty_record(people: int, decisions: int) -> RunRecord:
    """Room for what happens."""
    shape = people, decisions
    return RunRecord(np.empty(shape, dtype=np.int64), np.empty(shape), np.empty(shape), Unasked())


def uniforms(random: np.random.Generator, people: int, decisions: int) -> Floats:
    """The randomness of a stretch of decisions."""
    return random.random((people, decisions, 2))


def drive(crowd: Crowd, first: int, u: Floats) -> Crowd:
    """Let everybody make decisions first, first + 1, …, one for each of their uniforms."""
    people, decisions = u.shape[:2]
    record, done = empty_record(people, decisions), np.zeros(people, dtype=np.int64)
    environment, state, compiled = crowd
    while compiled(environment, state, u, first, record, done) != FINISHED:
        state = grown(state)
    return Crowd(environment, state, compiled)
