"""Fits along the way of people whose arms are drawn at random, and how they stand to the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import rogue_bandits as rb
from rogue_bandits.belief.contract import rewards_count
from rogue_bandits.belief.local_fit import divergence_from_fit
from rogue_bandits.belief.region import normalised_divergence
from rogue_bandits.compile.laws import kernel
from rogue_bandits.policies.rogue import belief_in
from rogue_bandits.policies.rogue_ucb import region_at
from rogue_bandits.types import Floats, Ints, Problem, grown, has_room, learn, play, start


class Along(NamedTuple):
    """At each checkpoint of each person and arm: [people, checkpoints, arms]."""

    n: Floats  # rewards of the arm
    theta: Floats  # the fit's
    divergence: Floats  # of the truth from the fit, its mean over the n rewards
    of_theta: Floats  # the same, of the true theta beside the fit's own x0
    normalised_divergence: Floats  # of the truth: it is inside the region where this is at most 1


def along(trace: rb.Trace, policy: Any, checkpoints: Sequence[int]) -> Along:
    """What a policy with a confidence region knows after so many of the decisions of a trace."""
    people, arms = len(trace.arm), len(trace.truth.arms)
    shape = people, len(checkpoints), arms
    found = Along(*(np.zeros(shape) for _ in Along._fields))
    state = start(policy, Problem(tuple(trace.truth.arms), trace.arm.shape[1]), people)
    truth = np.array([trace.truth.theta, trace.truth.x0])
    done = np.zeros(people, dtype=np.int64)
    while True:
        follow(state, trace.arm, trace.reward, np.array(checkpoints), truth, done, found)
        if done.min() == trace.arm.shape[1]:
            return found
        state = grown(state)


@kernel
def follow(
    state: Any, arm: NDArray[np.int16], reward: Floats, checkpoints: Ints, truth: Floats, done: Ints, found: Along
) -> None:
    """Play and learn as the trace has it, as far as there is room; look around at the checkpoints."""
    for person in range(arm.shape[0]):
        for t in range(done[person], arm.shape[1]):
            if not has_room(state, person):
                break
            k = int(arm[person, t])
            ticket = play(state, person, t, k)
            learn(state, person, t, k, 1.0, ticket, reward[person, t])
            done[person] = t + 1
            for c in range(checkpoints.size):
                if checkpoints[c] == t + 1:
                    look(state, person, t + 1, truth, c, found)


@kernel
def look(state: Any, person: int, t: int, truth: Floats, c: int, found: Along) -> None:
    """Where the truth lies, seen from the fit of each arm."""
    for k in range(truth.shape[1]):
        g = region_at(state, person, k, np.log(t + 1.0))
        n = rewards_count(belief_in(state), person, k)
        theta, x0 = truth[0, k], truth[1, k]
        found.n[person, c, k] = n
        found.theta[person, c, k] = g.local_fit.theta
        f = g.arm.rewards
        found.divergence[person, c, k] = divergence_from_fit(f, g.seen, g.local_fit, theta, x0).divergence / max(n, 1.0)
        found.of_theta[person, c, k] = divergence_from_fit(
            f, g.seen, g.local_fit, theta, g.local_fit.x0
        ).divergence / max(n, 1.0)
        found.normalised_divergence[person, c, k] = normalised_divergence(g, theta, x0)
