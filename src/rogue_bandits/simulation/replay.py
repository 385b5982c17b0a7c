"""Replay a log: at each decision ask a policy or a model, then play what was played and learn what was known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.contract import belief_refusal, fit, mean_at
from rogue_bandits.compile.borrowed import borrowed
from rogue_bandits.compile.laws import kernel, law
from rogue_bandits.policies.epsilon_rogue import EpsilonRogue
from rogue_bandits.policies.rogue import belief_in
from rogue_bandits.policies.ties import is_valid_choice
from rogue_bandits.policies.trial import SLACK, named_policy_laws, raise_on_broken_policy
from rogue_bandits.simulation.conditions import NEVER, Realised, Unlearned, learn_known
from rogue_bandits.simulation.kernels import FINISHED, NO_ROOM
from rogue_bandits.simulation.log import Log
from rogue_bandits.simulation.simulate import blocks_of, stream_of_person
from rogue_bandits.simulation.trace import Seed
from rogue_bandits.types import (
    Arm,
    Floats,
    Ints,
    Problem,
    Request,
    choose_with_probabilities,
    grown,
    has_room,
    play,
    start,
    uniforms,
)

STREAM = 3  # of a person's random streams: that of replays
INVALID = -1.0  # in place of probabilities: the choice was invalid


class Probabilities(NamedTuple):
    """Reads the probability of every arm from a policy."""


class FittedMeans(NamedTuple):
    """Reads the mean of every arm at the maximum-likelihood fit to the rewards known so far from a belief."""


@law
def ask(what: Any, state: Any, person: int, request: Request, out: Floats) -> None:
    """Write the answer for every arm."""


@ask.register(Probabilities)
def ask_policy(what: Probabilities, state: Any, person: int, request: Request, out: Floats) -> None:
    """Write the probabilities: nan where the policy does not give them, INVALID where its choice is invalid."""
    arm, probability = choose_with_probabilities(state, person, request, out)
    if not (np.isnan(probability) or is_valid_choice(arm, probability, request.available)):
        out[:] = INVALID


@ask.register(FittedMeans)
def ask_belief(what: FittedMeans, state: Any, person: int, request: Request, out: Floats) -> None:
    """Write the mean of every arm at the fit."""
    belief = belief_in(state)
    for k in range(out.size):
        theta, x0 = fit(belief, person, k)
        out[k] = mean_at(belief, person, k, theta, x0)


@kernel
def replay(what: Any, state: Any, u: Floats, log: Realised, made: Unlearned, out: Floats, done: Ints) -> int:
    """Replay the decisions of each person, which `done` counts; return FINISHED or NO_ROOM, as `decide` does."""
    state, u, log, made, out = borrowed((state, u, log, made, out))
    stopped = FINISHED
    for person in range(u.shape[0]):
        for t in range(done[person], u.shape[1]):
            if not learn_known(state, person, t, log, made) or not has_room(state, person):
                stopped = NO_ROOM
                break
            arm, available = made.arm[person, t], log.available[person, t]
            if arm >= 0:
                ask(what, state, person, Request(t, available, u[person, t]), out[person, t])
            ticket, row = play(state, person, t, arm), made.ticket[person, t]
            row[0], row[1], row[2], row[3] = ticket.a, ticket.b, ticket.c, ticket.d
            done[person] = t + 1
    return stopped


def probabilities_along(policy: Any, arms: Sequence[Arm], log: Log, seed: Seed) -> Floats:
    """Return the probability with which a policy would choose each arm, given the log up to then.

    [people, decisions, arms]; nan at rests.
    """
    out = along(Probabilities(), policy, arms, log, seed)
    for person, t in np.argwhere((log.arm >= 0) & ~(out >= 0.0).all(axis=2)):
        does = "chose an arm that is not available" if out[person, t, 0] == INVALID else (
            "does not say with which probability it chooses every arm: register the law `probabilities` for its state"
        )  # fmt: skip
        raise ValueError(f"policy {type(policy).__name__} {does} (decision {t} of person {person})")
    for person, t in np.argwhere(np.abs(out.sum(axis=2) - 1.0) > SLACK):
        raise ValueError(
            f"policy {type(policy).__name__}, `probabilities` sum to {out[person, t].sum():g} at decision {t} "
            f"of person {person}: it must be 1"
        )
    return out


def fitted_means_along(arms: Sequence[Arm], log: Log) -> Floats:
    """Return the fitted mean of each arm, given the log up to then: [people, decisions, arms]; nan at rests."""
    for k, arm in enumerate(arms):
        if belief_refusal(arm) is not None:
            raise ValueError(
                f"off_policy_value, arm {arm.name or k!r}: the regression fits theta and x0, and needs known dynamics "
                f"in place of {type(arm.dynamics).__name__}"
            )
    return along(FittedMeans(), EpsilonRogue(), arms, log, 0)


def along(what: Any, policy: Any, arms: Sequence[Arm], log: Log, seed: Seed) -> Floats:
    """Return the answers for every arm at each decision of a log."""
    people, horizon = log.arm.shape
    out, problem = np.full((people, horizon, len(arms)), np.nan), Problem(tuple(arms), horizon)
    raise_on_broken_policy(policy, problem)
    for block in blocks_of(people, 1):
        rows = slice(block.start, block.stop)
        shape = len(block), horizon, uniforms(policy, problem)
        u = np.stack([stream_of_person(seed, p, STREAM).random(shape[1:]) for p in block])
        known_at = log.known_at[rows].copy()
        wait = np.where(known_at == NEVER, 0, known_at - np.arange(horizon))
        realised = Realised(known_at, np.ascontiguousarray(log.available[rows]), min(int(wait.max()), horizon))
        made = Unlearned(
            log.arm[rows].copy(), log.probability[rows].copy(), log.reward[rows].copy(), np.zeros((*shape[:2], 4))
        )
        state, done, answers = start(policy, problem, len(block)), np.zeros(len(block), dtype=np.int64), out[rows]
        with named_policy_laws(policy, problem):
            while replay(what, state, u, realised, made, answers, done) == NO_ROOM:
                state = grown(state)
    return out
