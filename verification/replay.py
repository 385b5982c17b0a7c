"""The fits of a policy at checkpoints of a simulated trace, compared with the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import rogue_bandits as rb
from rogue_bandits.belief.contract import rewards_count
from rogue_bandits.belief.region import away_from_fit, normalised_divergence
from rogue_bandits.compile.laws import kernel
from rogue_bandits.policies.rogue import belief_in
from rogue_bandits.policies.rogue_ucb import region_at
from rogue_bandits.types import Floats, Ints, Problem, grown, has_room, learn, play, start


class Replayed(NamedTuple):
    """At each checkpoint of each person and arm: [people, checkpoints, arms]."""

    n: Floats  # rewards of the arm
    theta: Floats  # fitted
    divergence: Floats  # mean divergence of the truth from the fit
    of_theta: Floats  # the same of the true theta with the fitted x0
    normalised_divergence: Floats  # of the truth, which is inside the region if this is at most 1


def replay(trace: rb.Trace, policy: Any, checkpoints: Sequence[int]) -> Replayed:
    """Replay a trace with a policy that has a confidence region; return its fits after these numbers of decisions."""
    people, arms = len(trace.arm), len(trace.truth.arms)
    shape = people, len(checkpoints), arms
    found = Replayed(*(np.zeros(shape) for _ in Replayed._fields))
    state = start(policy, Problem(tuple(trace.truth.arms), trace.arm.shape[1]), people)
    truth = np.array([trace.truth.theta, trace.truth.x0])
    done = np.zeros(people, dtype=np.int64)
    while True:
        play_and_learn(state, trace.arm, trace.reward, np.array(checkpoints), truth, done, found)
        if done.min() == trace.arm.shape[1]:
            return found
        state = grown(state)


@kernel
def play_and_learn(
    state: Any, arm: NDArray[np.int16], reward: Floats, checkpoints: Ints, truth: Floats, done: Ints, found: Replayed
) -> None:
    """Play and learn the decisions of the trace, as far as there is room; store the fits at the checkpoints."""
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
                    store_fits(state, person, t + 1, truth, c, found)


@kernel
def store_fits(state: Any, person: int, t: int, truth: Floats, c: int, found: Replayed) -> None:
    """Store the fit of each arm and the divergence of the truth from it."""
    for k in range(truth.shape[1]):
        g = region_at(state, person, k, np.log(t + 1.0))
        n = rewards_count(belief_in(state), person, k)
        theta, x0 = truth[0, k], truth[1, k]
        found.n[person, c, k] = n
        found.theta[person, c, k] = g.local_fit.theta
        found.divergence[person, c, k] = away_from_fit(g, theta, x0).divergence / max(n, 1.0)
        found.of_theta[person, c, k] = away_from_fit(g, theta, g.local_fit.x0).divergence / max(n, 1.0)
        found.normalised_divergence[person, c, k] = normalised_divergence(g, theta, x0)
