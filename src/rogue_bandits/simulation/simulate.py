"""People × decisions: play a policy against a truth.

The kernel is deterministic. Each person has a random stream of their own, by seed and number, so that a person in a
crowd lives as the same person alone, whatever the number of workers; and the streams do not depend on the policy, so
that policies under comparison see common random numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from threading import Event
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from rogue_bandits.compile.borrowed import borrowed
from rogue_bandits.compile.laws import kernel, law
from rogue_bandits.model import DYNAMICS
from rogue_bandits.model.compiling import named_laws
from rogue_bandits.model.dynamics.clipped_affine import observed_state, out_of_bounds
from rogue_bandits.model.dynamics.probe import law_of, plain
from rogue_bandits.model.dynamics.projected import base_dynamics
from rogue_bandits.model.probe import first_no_reward
from rogue_bandits.model.problem import ArmTable, arm_of, arm_table, move_person
from rogue_bandits.model.rewards.weighted import arms_and_states
from rogue_bandits.model.validation import allowed_rewards, checked_truth, checked_whole, checked_workers, in_full
from rogue_bandits.policies.ties import CHOICE_ALLOWED, is_valid_choice
from rogue_bandits.simulation.trace import Seed, Trace
from rogue_bandits.types import (
    NOT_ASKED,
    Arm,
    Bools,
    Floats,
    Ints,
    Problem,
    Request,
    Truth,
    choose,
    choose_with_probabilities,
    draw,
    grown,
    has_room,
    learn,
    play,
    start,
    uniforms,
)

PEOPLE_AT_ONCE = 32  # bounds the memory of uniforms, and is the grain of parallel work
DECISIONS_AT_ONCE = 1024  # between two such stretches Ctrl-C is heard

Progress = Callable[[int], None]


def simulate(
    truth: Truth,
    policy: Any,
    horizon: int,
    people: int = 1,
    seed: Seed = 0,
    workers: int = 1,
    progress: Progress | None = None,
    probabilities: bool = False,
) -> Trace:
    """Let `people` independent learners under one policy play `horizon` decisions against a truth.

    `seed` is a number or several, as of `numpy.random.SeedSequence`. `workers` threads share the work (−1: one a
    core); `progress` is called with the number of decisions just made. With `probabilities` the trace has the
    probability of every arm; without, `trace.probability` is nan where it is costly to work out.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> trace = rb.simulate(rb.Truth([arm, arm], theta=[0.5, 0.7], x0=[0.1, 0.3]), rb.Random(), horizon=100, people=3)
    >>> trace.arm.shape
    (3, 100)
    """
    truth = checked_truth(truth)
    horizon, people = checked_whole(horizon, "simulate, horizon", 1), checked_whole(people, "simulate, people", 1)
    seed = checked_seed(seed)
    workers = checked_workers(workers, "simulate, workers")
    trace = Trace(
        truth=truth,
        policy=policy,
        seed=seed,
        arm=np.zeros((people, horizon), dtype=np.int16),
        reward=np.zeros((people, horizon)),
        probability=np.zeros((people, horizon)),
        probabilities=np.zeros((people, horizon, len(truth.arms))) if probabilities else None,
    )
    blocks = [range(first, min(first + PEOPLE_AT_ONCE, people)) for first in range(0, people, PEOPLE_AT_ONCE)]
    if workers != 1:  # smaller blocks share better
        blocks = [range(p, min(p + 4, b.stop)) for b in blocks for p in range(b.start, b.stop, 4)]
    stop = Event()
    try:
        Parallel(n_jobs=workers, require="sharedmem")(delayed(live)(trace, block, progress, stop) for block in blocks)
    finally:
        stop.set()  # threads that are still at it when one fails, or when Ctrl-C comes, are to end too
    return trace


def checked_seed(seed: Seed) -> Seed:
    """Return a whole number, or several."""
    if isinstance(seed, Sequence) and seed:
        return tuple(checked_whole(word, "simulate, seed", 0) for word in seed)
    return checked_whole(seed, "simulate, seed", 0)


def live(trace: Trace, block: range, progress: Progress | None, stop: Event) -> None:
    """The lives of a block of people, written to their rows of the trace."""
    arms, theta, x0 = arms_and_states(trace.truth)
    horizon, problem = trace.arm.shape[1], Problem(tuple(trace.truth.arms), trace.arm.shape[1])
    nature = Nature(
        table=arm_table([arms]),
        theta=theta[None],
        x=np.tile(x0, (len(block), *[1] * x0.ndim)),
        available=np.ones(len(arms), dtype=np.bool_),
    )
    state, more = start(trace.policy, problem, len(block)), uniforms(trace.policy, problem) - 1
    streams, others = (
        [stream_of_person(trace.seed, p) for p in block],
        [stream_of_person(trace.seed, p, 1) for p in block],
    )
    for first in range(0, horizon, DECISIONS_AT_ONCE):
        if stop.is_set():
            return
        columns = slice(first, min(first + DECISIONS_AT_ONCE, horizon))
        length = columns.stop - columns.start
        both = np.stack([stream.random((length, 2)) for stream in streams])
        added = np.stack([other.random((length, more)) for other in others])
        u = np.concatenate([both[:, :, :1], added, both[:, :, 1:]], axis=2)
        shape = (len(block), length)
        every = Unasked() if trace.probabilities is None else Asked(np.empty((*shape, len(arms))))
        record = Record(np.empty(shape, dtype=np.int64), np.empty(shape), np.empty(shape), every)
        done = np.zeros(len(block), dtype=np.int64)
        before = nature._replace(x=nature.x.copy())
        try:
            with named_laws(arms):
                while (stopped := decide(nature, state, u, first, record, done)) != FINISHED:
                    if stopped >= 0:
                        raise_on_invalid_choice(trace.policy, record, stopped, int(done[stopped]), first, block)
                    state = grown(state)
        finally:  # a policy that can make nothing of a reward stops: what is wrong is the law that gave it
            raise_on_broken_laws(arms, before, record, done, u, first, block)
        rows = slice(block.start, block.stop)
        trace.arm[rows, columns] = record.arm
        trace.reward[rows, columns] = record.reward
        trace.probability[rows, columns] = np.where(record.probability == NOT_ASKED, np.nan, record.probability)
        if trace.probabilities is not None:
            trace.probabilities[rows, columns] = record.probabilities.out
        if progress is not None:
            progress(len(block) * length)


def stream_of_person(seed: Seed, *key: int) -> np.random.Generator:
    """Return a random stream of a person: the first uniform of a choice and that of its reward, or what else is needed.

    Rewards have the same uniforms whatever the policy, so that policies under comparison see common random numbers.
    """
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


def raise_on_broken_laws(
    arms: list[Arm], before: Nature, record: Record, done: Ints, u: Floats, first: int, block: range
) -> None:
    """Raise if a law returned an invalid state or reward since decision `first`, at which nature was `before`."""
    for row, person in enumerate(block):
        n = done[row]
        if n > 0:
            life = record._replace(arm=record.arm[row, :n], reward=record.reward[row, :n])
            raise_on_invalid_state(arms, before._replace(x=before.x[row].copy()), life, first, person)
            raise_on_invalid_reward(arms, before._replace(x=before.x[row]), life, u[row], first, person)


def raise_on_invalid_reward(arms: list[Arm], before: Nature, life: Record, u: Floats, first: int, person: int) -> None:
    """A law that gave a person what its family cannot give is named, with its values and when.

    `before` is the person's nature at decision `first`: the states then, and the arms played since, tell the state.
    """
    t = first_no_reward(arms, life.arm, life.reward)
    if t is None:
        return
    k, x, r = int(life.arm[t]), before.x, float(life.reward[t])
    for played in life.arm[:t]:
        move_person(before.table, 0, x, int(played))
    seen = observed_state(arms[k].dynamics, x, k)
    law = f"arm {arms[k].name or k!r}, draw(theta {before.theta[0, k]:g}, x {seen:g}, u {u[t, -1]:g})"
    allowed = ("" if math.isfinite(r) else "finite, ") + allowed_rewards(arms[k].rewards)
    raise ValueError(f"{law} is {in_full(r)} at decision {first + t} of person {person}: must be {allowed}") from None


def raise_on_invalid_state(arms: list[Arm], before: Nature, life: Record, first: int, person: int) -> None:
    """Dynamics of a user's own that led out of their bounds are named, with when and where; `before.x` is used up."""
    if type(base_dynamics(arms[0].dynamics)) in DYNAMICS.values():
        return
    t, k = first_out_of_bounds(before.table, before.x, life.arm)
    if t < 0:
        return
    d = base_dynamics(arms[k].dynamics)
    found = f"arm {arms[k].name or k!r}, {law_of(d)} led to x {plain(np.atleast_1d(before.x[k]))}"
    bounds = f"{plain(np.atleast_1d(d.lo))} to {plain(np.atleast_1d(d.hi))}"
    raise ValueError(f"{found} after decision {first + t} of person {person}: must be from {bounds}") from None


def raise_on_invalid_choice(policy: Any, record: Record, row: int, t: int, first: int, block: range) -> None:
    """Name a policy that chose an arm there is not, or with a probability that is none."""
    raise ValueError(
        f"policy {type(policy).__name__}, `choose` returned arm {record.arm[row, t]} with probability "
        f"{record.probability[row, t]:g} at decision {first + t} of person {block[row]}: {CHOICE_ALLOWED}"
    )


@kernel
def first_out_of_bounds(table: ArmTable, x: Floats, played: Ints) -> tuple[int, int]:
    """The first decision after which a state is astray, and its arm; −1 if none is. x ends as the states then."""
    for t in range(played.size):
        move_person(table, 0, x, played[t])
        for k in range(x.shape[0]):
            if out_of_bounds(arm_of(table, 0, k).dynamics, x, k):
                return t, k
    return -1, -1


class Nature(NamedTuple):
    """What the learners play against: arms and thetas, in one row for all or in one for each, and states."""

    table: ArmTable
    theta: Floats  # [rows, arms]
    x: Floats  # [people, arms], and components where states are vectors
    available: Bools


class Asked(NamedTuple):
    """Room for the probabilities of every arm."""

    out: Floats  # [people, decisions, arms]


class Unasked(NamedTuple):
    """Probabilities are not asked for: what works them out is not compiled."""

    asked: bool = False


@law
def choose_into(into: Any, state: Any, person: int, t: int, request: Request) -> tuple[int, float]:
    """Choose, and write the probabilities of decision t if they are asked for."""


@choose_into.register(Asked)
def choose_into_asked(into: Asked, state: Any, person: int, t: int, request: Request) -> tuple[int, float]:
    """The choice and its probabilities."""
    arm, probability = choose_with_probabilities(state, person, request, into.out[person, t])
    return arm, probability if probability != NOT_ASKED else 0.0  # which is not valid


@choose_into.register(Unasked)
def choose_into_unasked(into: Unasked, state: Any, person: int, t: int, request: Request) -> tuple[int, float]:
    """The choice."""
    return choose(state, person, request)


class Record(NamedTuple):
    """What happened, [people, decisions]."""

    arm: Ints
    reward: Floats
    probability: Floats
    probabilities: Any  # Asked or Unasked


FINISHED, NO_ROOM = -1, -2


@kernel
def decide(nature: Nature, state: Any, u: Floats, first: int, record: Record, done: Ints) -> int:
    """Make decisions first, first + 1, … of each person; `done` counts them.

    Returns FINISHED; NO_ROOM if the state is to be enlarged first; or the person for whom an arm was chosen that is
    not available.
    """
    nature, state = borrowed(nature), borrowed(state)
    m, stopped = u.shape[2] - 1, FINISHED
    for person in range(u.shape[0]):
        row = person * nature.table.stride
        for t in range(done[person], u.shape[1]):
            if not has_room(state, person):
                stopped = NO_ROOM
                break
            request = Request(first + t, nature.available, u[person, t, :m])
            arm, probability = choose_into(record.probabilities, state, person, t, request)
            record.arm[person, t] = arm
            record.probability[person, t] = probability
            if not is_valid_choice(arm, probability, nature.available):
                return person
            ticket = play(state, person, first + t, arm)
            x = nature.x[person]
            played = arm_of(nature.table, person, arm)
            r = draw(played.rewards, nature.theta[row, arm], observed_state(played.dynamics, x, arm), u[person, t, m])
            record.reward[person, t] = r
            done[person] = t + 1  # before the policy learns from a reward that may be invalid, see `live`
            learn(state, person, first + t, arm, probability, ticket, r)
            move_person(nature.table, person, x, arm)
    return stopped
