"""People whose every number is known, for checks of the fits of a cohort."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import rogue_bandits as rb
from rogue_bandits.estimate.families.agent import THETA_HI, THETA_LO
from rogue_bandits.estimate.history import Record

ARMS = 5  # drawn at random, so that an arm rests 4 decisions of 5


class Known(NamedTuple):
    """One arm of one person, and what nature keeps to herself of it."""

    dynamics: rb.ClippedAffine
    x0: float
    theta: float
    record: Record

    def numbers(self) -> dict[str, float]:
        """The true numbers by name."""
        d = self.dynamics
        return {"decay": d.decay, "pull": d.pull, "drift": d.drift, "x0": self.x0, "theta": self.theta}


def drawn_dynamics(rng: np.random.Generator) -> rb.ClippedAffine:
    """Half-lives from under a decision to 34, rest at 0.3 to 1, and a play that takes 0.02 to 0.5 away."""
    decay, rest = rng.uniform(0.3, 0.98), rng.uniform(0.3, 1.0)
    return rb.ClippedAffine(decay, -rng.uniform(0.02, 0.5), (1.0 - decay) * rest)


def lived(d: rb.ClippedAffine, decisions: int, seed: int) -> Known:
    """One arm of a person with these dynamics, a first state and a scale of their own, among arms drawn at random."""
    rng = np.random.default_rng(seed)
    x0, theta = rng.uniform(), rng.uniform(0.05, 0.25)
    arm = rb.Arm(d, rb.LaplaceAgent(), THETA_LO, THETA_HI)
    truth = rb.Truth([arm] * ARMS, theta=[theta] * ARMS, x0=[x0] * ARMS)
    trace = rb.simulate(truth, rb.Random(), decisions, seed=seed)
    played = trace.arm[0] == 0
    return Known(d, x0, theta, Record(played.astype(np.float64), np.where(played, trace.reward[0], np.nan)))


def someone(decisions: int, seed: int) -> Known:
    """A person with dynamics drawn at random."""
    return lived(drawn_dynamics(np.random.default_rng([seed, 1])), decisions, seed)
