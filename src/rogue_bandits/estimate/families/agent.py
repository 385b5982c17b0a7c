"""The agent of the paper: rewards are shares, states lie in [0, 1], theta is the scale of the noise.

p = (decay, pull, drift). The likelihood depends on p and x0 through the distance S = Σ|r − x| alone, and S is piecewise
linear in x0: given p, the best x0 is a kink and the best theta is S / n_inside.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rogue_bandits.belief.evidence import ArmEvidence
from rogue_bandits.belief.fit import best_scale, least_distance
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.estimate.families.contract import Family, Limits, Model, curve_at, dynamics_at, profile_fit
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine, first_line, is_settled, state_on_line
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.types import Bools, Floats, next_line, settled_loglik, statistics

THETA_LO, THETA_HI = 0.005, 1.0


def accepts(rewards: Floats, trials: float) -> Bools:
    """Return which rewards are in [0, 1]."""
    return (rewards >= 0.0) & (rewards <= 1.0)


def model(rewards: Floats, trials: float) -> Model:
    """Return the model; its ranges do not depend on the rewards."""
    return Model(
        LaplaceAgent(),
        Limits(THETA_LO, THETA_HI, 0.0, 1.0, THETA_HI),
        slow=np.array([1.0, 0.0, 0.0]),
        fast=np.array([0.0, -1.0, 1.0]),
        power=np.full(3, 3.0),
    )


AGENT = Family(
    "agent",
    "shares from 0 to 1",
    accepts,
    model,
    ("decay", "pull", "drift"),
    "the fitted state on the same scale: about half of the circles should lie above it and half below",
    "The state is from 0 to 1. A sending adds pull to it, a decision leaves decay of it and adds drift. Theta is the "
    "scale of the noise.",
    "Dynamics that all people of an arm share include the level at which the arm settles at rest. If these levels "
    "differ between people, the fit can only follow them with a decay near 1, which keeps each person near their own "
    "first state. Such a fit carries no information about recovery.",
    certified=True,
)


@curve_at.register
def agent_curve_at(f: LaplaceAgent, theta: float, x: float) -> float:
    """Return the state itself, the median reward."""
    return x


@dynamics_at.register(LaplaceAgent)
def agent_dynamics_at(f: Any, p: Floats) -> ClippedAffine:
    """States in [0, 1]."""
    return ClippedAffine(p[0], p[1], p[2], 0.0, 1.0)


@profile_fit.register(LaplaceAgent)
def agent_profile_fit(
    f: Any, d: ClippedAffine, limits: Limits, played: Floats, rewards: Floats, room: Floats
) -> tuple[float, float, float]:
    """The least distance over x0, then theta = S / n_inside."""
    s = evidence(d, played, rewards, room)
    x0 = limits.x0_lo
    if limits.x0_hi > limits.x0_lo:
        x0 = least_distance(d, s)
    inside, edge, distance = s.sums[1], s.sums[2], s.sums[3]
    for i in range(s.early.shape[0]):
        x = min(max(room[i, 0] * x0 + room[i, 1], room[i, 2]), room[i, 3])
        s1, s2, s3 = statistics(f, x, room[i, 4])
        inside += s1
        edge += s2
        distance += s3
    theta = best_scale(inside, distance, limits.theta_lo, limits.theta_hi)
    return theta, x0, -settled_loglik(f, theta, inside, edge, distance, 0.0)


@routine
def evidence(d: Any, played: Floats, rewards: Floats, room: Floats) -> ArmEvidence:
    """Return the settled sums of a record, and its early rewards with their lines, one a row of `room`."""
    sums, early, line = np.zeros(4), 0, first_line(d)
    for t in range(played.size):
        r = rewards[t]
        if not math.isnan(r) and is_settled(d, line):
            s1, s2, s3 = statistics(LaplaceAgent(), state_on_line(line, d.lo), r)
            sums[0] += 1.0
            sums[1] += s1
            sums[2] += s2
            sums[3] += s3
        elif not math.isnan(r):
            store(room, early, line, r)
            early += 1
        line = next_line(d, line, played[t])
    return ArmEvidence(sums, np.zeros(2), room[:early], np.zeros(0), np.zeros((0, 1)), 0.0, 1.0)


@inlined
def store(room: Floats, i: int, line: Any, r: float) -> None:
    """Write a line and a reward to row i."""
    room[i, 0], room[i, 1], room[i, 2], room[i, 3], room[i, 4] = line.slope, line.offset, line.lo, line.hi, r
