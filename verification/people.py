"""Simulated people with known parameters, for checks of the fits of a cohort."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import rogue_bandits as rb
from rogue_bandits.estimate.families.agent import THETA_HI, THETA_LO
from rogue_bandits.estimate.history import Record

ARMS = 5  # chosen at random, so that an arm rests 4 decisions of 5


class SimulatedArm(NamedTuple):
    """The record of one arm of one person, and its true parameters."""

    dynamics: rb.ClippedAffine
    x0: float
    theta: float
    record: Record

    def numbers(self) -> dict[str, float]:
        """Return the true parameters by name."""
        d = self.dynamics
        return {"decay": d.decay, "pull": d.pull, "drift": d.drift, "x0": self.x0, "theta": self.theta}


def drawn_dynamics(rng: np.random.Generator) -> rb.ClippedAffine:
    """Draw dynamics with half-lives of 0.6 to 34 decisions, resting states of 0.3 to 1 and pulls of −0.5 to −0.02."""
    decay, rest = rng.uniform(0.3, 0.98), rng.uniform(0.3, 1.0)
    return rb.ClippedAffine(decay, -rng.uniform(0.02, 0.5), (1.0 - decay) * rest)


def simulated_arm(d: rb.ClippedAffine, decisions: int, seed: int) -> SimulatedArm:
    """Simulate an arm with these dynamics and a random x0 and theta, one of five chosen at random."""
    rng = np.random.default_rng(seed)
    x0, theta = rng.uniform(), rng.uniform(0.05, 0.25)
    arm = rb.Arm(d, rb.LaplaceAgent(), THETA_LO, THETA_HI)
    truth = rb.Truth([arm] * ARMS, theta=[theta] * ARMS, x0=[x0] * ARMS)
    trace = rb.simulate(truth, rb.Random(), decisions, seed=seed)
    played = trace.arm[0] == 0
    return SimulatedArm(d, x0, theta, Record(played.astype(np.float64), np.where(played, trace.reward[0], np.nan)))


def random_arm(decisions: int, seed: int) -> SimulatedArm:
    """Simulate an arm with random dynamics."""
    return simulated_arm(drawn_dynamics(np.random.default_rng([seed, 1])), decisions, seed)
