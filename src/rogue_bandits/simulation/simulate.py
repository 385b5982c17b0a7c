"""People × decisions: play a policy against a truth.

The kernel is deterministic. Each person has a random stream of their own, by seed and number, so that a person in a
crowd decides as the same person alone, whatever the number of workers; and the streams do not depend on the policy, so
that policies under comparison see common random numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.model.compiling import named_laws
from rogue_bandits.model.numbers import checked_whole, checked_workers
from rogue_bandits.model.problem import arm_table
from rogue_bandits.model.rewards.weighted import arms_and_states
from rogue_bandits.model.validation import allowed_rewards, checked_arms, checked_truth
from rogue_bandits.policies.ties import raise_on_invalid_choice
from rogue_bandits.policies.trial import named_policy_laws, raise_on_broken_policy
from rogue_bandits.schedule import in_threads, results
from rogue_bandits.simulation.broken_laws import raise_on_broken_laws
from rogue_bandits.simulation.conditions import (
    Conditions,
    checked_conditions,
    decide_under_conditions,
    realised,
    unlearned,
)
from rogue_bandits.simulation.kernels import FINISHED, Asked, Environment, RunRecord, Unasked, decide
from rogue_bandits.simulation.trace import Seed, Trace
from rogue_bandits.types import NOT_ASKED, Arm, Floats, Problem, Truth, grown, start, support, uniforms

PEOPLE_AT_ONCE = 32  # bounds the memory of uniforms, and is the grain of parallel work
MANY_AT_ONCE = 256  # people of a block where there are very many
DECISIONS_AT_ONCE = 1024  # between two such stretches Ctrl-C is heard

Progress = Callable[[int], None]


class Run(NamedTuple):
    """What the workers of a simulation share: where to write, and what holds."""

    trace: Trace
    problem: Problem  # what the learners assume
    conditions: Conditions
    progress: Progress | None
    stop: Event
    first: int = 0  # the number of the person in row 0 of the trace


def simulate(
    truth: Truth,
    policy: Any,
    horizon: int,
    people: int = 1,
    seed: Seed = 0,
    workers: int = 1,
    progress: Progress | None = None,
    probabilities: bool = False,
    *,
    learner_arms: Sequence[Arm] | None = None,
    delay: Any = 0,
    missing: Any = 0.0,
    available: Any = None,
    scheduler: str | None = None,
) -> Trace:
    """Let `people` independent learners under one policy play `horizon` decisions against a truth.

    `seed` is a number or several, as of `numpy.random.SeedSequence`. `workers` threads share the work (−1: one a
    core); `progress` is called with the number of decisions just made. With `probabilities` the trace has the
    probability of every arm; without, `trace.probability` is nan where it is costly to work out.

    `learner_arms` are the arms that the learner assumes, where they differ from those of the truth. `delay` is the
    number of further decisions made before a reward is known: a whole number, an array [decisions] or
    [people, decisions], or a function from uniforms in [0, 1) to delays, such as the quantile function `ppf` of a
    scipy distribution. `missing` is the probability that a reward is never known, or an array [decisions] or
    [people, decisions] of probabilities or booleans. `available` is the probability that an arm is available, for all
    arms or [arms], or an array [decisions, arms] or [people, decisions, arms] of probabilities or booleans. A person
    to whom no arm is available rests: arm −1, reward nan.

    With the address of a Dask `scheduler` its workers simulate, with the same result; not under such conditions.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> truth = rb.Truth([arm, arm], theta=[0.5, 0.7], x0=[0.1, 0.3])
    >>> trace = rb.simulate(truth, rb.Random(), horizon=100, people=3)
    >>> trace.arm.shape
    (3, 100)
    >>> trial = rb.simulate(truth, rb.Random(), horizon=100, people=3, delay=2, missing=0.1, available=0.5)
    >>> int(trial.arm.min()), int(trial.known_at[trial.known_at >= 0].min())
    (-1, 3)
    """
    truth = checked_truth(truth)
    horizon, people = checked_whole(horizon, "simulate, horizon", 1), checked_whole(people, "simulate, people", 1)
    seed = checked_seed(seed)
    workers = checked_workers(workers, "simulate, workers")
    learner = None if learner_arms is None else checked_learner_arms(learner_arms, truth)
    asked, shape, arms = Conditions(delay, missing, available), (people, horizon), len(truth.arms)
    conditions = Conditions() if asked.are_plain else checked_conditions(asked, people, horizon, arms)
    trace = Trace(
        truth=truth,
        policy=policy,
        seed=seed,
        arm=np.zeros(shape, dtype=np.int16),
        reward=np.zeros(shape),
        probability=np.zeros(shape),
        probabilities=np.zeros((*shape, arms)) if probabilities else None,
        available=None if conditions.available is None else np.zeros((*shape, arms), dtype=np.bool_),
        known_at=None if conditions.are_plain else np.zeros(shape, dtype=np.int64),
        learner_arms=learner,
    )
    problem = Problem(tuple(learner or truth.arms), horizon)
    raise_on_broken_policy(policy, problem)
    if scheduler is not None:
        if not conditions.are_plain or probabilities or learner is not None:
            raise ValueError("simulate, scheduler: leave it out with conditions, probabilities or learner_arms")
        return simulate_on_cluster(trace, horizon, scheduler, progress)
    run = Run(trace, problem, conditions, progress, Event())
    try:
        in_threads(simulate_block, ((run, block) for block in blocks_of(people, workers)), workers)
    finally:
        run.stop.set()  # threads that are still at it when one fails, or when Ctrl-C comes, are to end too
    return trace


def simulate_people(truth: Truth, policy: Any, horizon: int, people: range, seed: Seed) -> Trace:
    """Return, for some people by number, the rows that `simulate` returns for all."""
    shape = (len(people), horizon)
    trace = Trace(truth, policy, seed, np.zeros(shape, dtype=np.int16), np.zeros(shape), np.zeros(shape))
    run = Run(trace, Problem(tuple(truth.arms), horizon), Conditions(), None, Event(), people.start)
    for first in range(0, shape[0], MANY_AT_ONCE):
        simulate_block(run, range(first, min(first + MANY_AT_ONCE, shape[0])))
    return trace


class SimulationRows(NamedTuple):
    """Some people to simulate on a cluster."""

    truth: Truth
    policy: Any
    horizon: int
    people: range
    seed: Seed


def simulate_rows(rows: SimulationRows) -> tuple[range, Trace]:
    """Return the numbers of some people and their rows of a trace."""
    return rows.people, simulate_people(*rows)


def simulate_on_cluster(trace: Trace, horizon: int, scheduler: str, progress: Progress | None) -> Trace:
    """Fill a trace by the workers of a Dask scheduler."""
    blocks = blocks_of(len(trace.arm), workers=1)
    tasks = [SimulationRows(trace.truth, trace.policy, horizon, block, trace.seed) for block in blocks]
    for people, part in results(simulate_rows, tasks, scheduler=scheduler):
        rows = slice(people.start, people.stop)
        trace.arm[rows], trace.reward[rows], trace.probability[rows] = part.arm, part.reward, part.probability
        if progress is not None:
            progress(len(people) * horizon)
    return trace


def blocks_of(people: int, workers: int) -> list[range]:
    """Return people in blocks, which are smaller where workers share them."""
    blocks = [range(first, min(first + PEOPLE_AT_ONCE, people)) for first in range(0, people, PEOPLE_AT_ONCE)]
    if workers == 1:
        return blocks
    return [range(p, min(p + 4, b.stop)) for b in blocks for p in range(b.start, b.stop, 4)]


def checked_seed(seed: Seed) -> Seed:
    """Return a whole number, or several."""
    if isinstance(seed, Sequence) and seed:
        return tuple(checked_whole(word, "simulate, seed", 0) for word in seed)
    return checked_whole(seed, "simulate, seed", 0)


def checked_learner_arms(arms: Any, truth: Truth) -> list[Arm]:
    """Return the arms that a learner assumes: as many as the truth has, for which its rewards are possible."""
    learner = checked_arms(arms)
    if len(learner) != len(truth.arms):
        raise ValueError(f"simulate, learner_arms has {len(learner)} arms where the truth has {len(truth.arms)}")
    for k, (own, true) in enumerate(zip(learner, truth.arms, strict=True)):
        (lo, hi, whole), (true_lo, true_hi, true_whole) = support(own.rewards), support(true.rewards)
        if lo > true_lo or hi < true_hi or (whole and not true_whole):
            raise ValueError(
                f"simulate, learner_arms, arm {k}: its rewards must be {allowed_rewards(own.rewards)}, "
                f"where those of the truth are {allowed_rewards(true.rewards)}"
            )
    return learner


def simulate_block(run: Run, block: range) -> None:
    """Simulate a block of people; write what happened to their rows of the trace."""
    trace, problem = run.trace, run.problem
    arms, theta, x0 = arms_and_states(trace.truth)
    horizon, rows = trace.arm.shape[1], slice(block.start, block.stop)
    environment = Environment(
        table=arm_table([arms]),
        theta=theta[None],
        x=np.tile(x0, (len(block), *[1] * x0.ndim)),
        available=np.ones(len(arms), dtype=np.bool_),
    )
    state, more = start(trace.policy, problem, len(block)), uniforms(trace.policy, problem) - 1
    streams = [[stream_of_person(trace.seed, run.first + p, *key) for p in block] for key in ((), (1,))]
    step, conditions = decide_and_conditions(run, block)
    for first in range(0, horizon, DECISIONS_AT_ONCE):
        if run.stop.is_set():
            return
        columns = slice(first, min(first + DECISIONS_AT_ONCE, horizon))
        shape = len(block), columns.stop - columns.start
        u = uniforms_of(streams, shape[1], more)
        every = Unasked() if trace.probabilities is None else Asked(np.empty((*shape, len(arms))))
        record = RunRecord(np.empty(shape, dtype=np.int64), np.empty(shape), np.empty(shape), every)
        done = np.zeros(len(block), dtype=np.int64)
        before = environment._replace(x=environment.x.copy())
        try:
            with named_policy_laws(trace.policy, problem), named_laws(arms):
                while (stopped := step(environment, state, u, first, record, done, *conditions)) != FINISHED:
                    if stopped >= 0:
                        t = int(done[stopped])
                        chosen = int(record.arm[stopped, t]), float(record.probability[stopped, t])
                        raise_on_invalid_choice(trace.policy, *chosen, first + t, block[stopped])
                    state = grown(state)
        finally:  # a policy that can make nothing of a reward stops: what is wrong is the law that gave it
            raise_on_broken_laws(arms, before, record, done, u, first, block)
        trace.arm[rows, columns] = record.arm
        trace.reward[rows, columns] = record.reward
        trace.probability[rows, columns] = np.where(record.probability == NOT_ASKED, np.nan, record.probability)
        if trace.probabilities is not None and isinstance(record.probabilities, Asked):
            trace.probabilities[rows, columns] = record.probabilities.out
        if run.progress is not None:
            run.progress(len(block) * shape[1])


def decide_and_conditions(run: Run, block: range) -> tuple[Any, tuple[Any, ...]]:
    """Return the kernel of a block with its further arguments; write the conditions of these people to the trace."""
    trace = run.trace
    if trace.known_at is None:
        return decide, ()
    (horizon, arms), rows = (trace.arm.shape[1], len(trace.truth.arms)), slice(block.start, block.stop)
    u = np.stack([stream_of_person(trace.seed, p, 2).random((horizon, 2 + arms)) for p in block])
    now = realised(run.conditions, block, u, arms)
    trace.known_at[rows] = now.known_at
    if trace.available is not None:
        trace.available[rows] = now.available
    return decide_under_conditions, (now, unlearned(len(block), horizon))


def uniforms_of(streams: Sequence[Sequence[np.random.Generator]], length: int, more: int) -> Floats:
    """Return [people, decisions, n]: the uniforms of a choice, `more` of them from a second stream, and its reward's.

    Rewards have the same uniforms whatever the policy, so that policies under comparison see common random numbers.
    """
    both = np.stack([stream.random((length, 2)) for stream in streams[0]])
    if more == 0:
        return both
    added = np.stack([stream.random((length, more)) for stream in streams[1]])
    return np.concatenate([both[:, :, :1], added, both[:, :, 1:]], axis=2)


def stream_of_person(seed: Seed, *key: int) -> np.random.Generator:
    """Return a random stream of a person, by number and, for what not every simulation needs, one number more."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))
