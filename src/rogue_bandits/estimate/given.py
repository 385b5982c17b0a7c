"""Given the dynamics, x0 and theta are exact: the core's own fit, in a kernel and without what only bounds need."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rogue_bandits.belief.evidence import ArmEvidence, loglik_of
from rogue_bandits.belief.fit import maximise
from rogue_bandits.compile.laws import kernel, routine
from rogue_bandits.estimate.record import THETA_HI, THETA_LO, Record
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine, first_line, is_settled, state_at
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.types import Arm, Fit, Floats, next_line, statistics


def agent(d: ClippedAffine, name: str = "") -> Arm:
    """The arm of an agent whose state moves so.

    >>> agent(ClippedAffine(0.5, -0.25, 0.5), "walk").theta_lo
    0.005
    """
    return Arm(d, LaplaceAgent(), THETA_LO, THETA_HI, name)


def fit_given(d: ClippedAffine, record: Record) -> Fit:
    """What `rogue_bandits.fit` says of an agent with these dynamics.

    >>> fit_given(ClippedAffine(1.0, 0.0, 0.0), Record(np.ones(3), np.array([0.5, 0.25, 0.75]))).x0
    0.5
    """
    theta, x0, loglik = given_kernel(d, record.played, record.rewards)
    return Fit(theta, x0, loglik, record.seen().size)


@kernel
def given_kernel(d: ClippedAffine, played: Floats, rewards: Floats) -> tuple[float, float, float]:
    """Theta, x0 and the log-likelihood."""
    return most_likely(d, played, rewards, np.empty((rewards.size, 5)))


@routine
def most_likely(d: ClippedAffine, played: Floats, rewards: Floats, room: Floats) -> tuple[float, float, float]:
    """Theta, x0 and the log-likelihood; `room` is where early rewards are kept, a row for each decision."""
    s = look_back(d, played, rewards, room)
    arm = Arm(d, LaplaceAgent(), THETA_LO, THETA_HI, "")
    theta, x0 = maximise(arm.rewards, arm, s, THETA_HI, d.lo, True)
    return theta, x0, loglik_of(arm.rewards, s, theta, x0)


@routine
def look_back(d: Any, played: Floats, rewards: Floats, room: Floats) -> ArmEvidence:
    """The evidence of a record, but for W and kinks: the agent's fit needs neither."""
    sums, early, line = np.zeros(4), 0, first_line(d)
    for t in range(played.size):
        r = rewards[t]
        if not math.isnan(r) and is_settled(d, line):
            s1, s2, s3 = statistics(LaplaceAgent(), state_at(line, d.lo), r)
            sums[0] += 1.0
            sums[1] += s1
            sums[2] += s2
            sums[3] += s3
        elif not math.isnan(r):
            room[early, 0], room[early, 1], room[early, 2], room[early, 3] = line.slope, line.offset, line.lo, line.hi
            room[early, 4] = r
            early += 1
        line = next_line(d, line, played[t])
    return ArmEvidence(sums, np.zeros(2), room[:early], np.zeros(0), np.zeros((0, 1)), 0.0, 1.0)
