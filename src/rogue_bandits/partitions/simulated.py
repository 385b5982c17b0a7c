"""A simulated past: people who have made some decisions under their policy."""

from __future__ import annotations

import numpy as np

from rogue_bandits.compile.borrowed import borrowed
from rogue_bandits.compile.laws import kernel
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine, observed_state
from rogue_bandits.model.problem import ArmTable, arm_of, arm_table, move_person
from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.online.population import Population
from rogue_bandits.partitions.layout import Manifest
from rogue_bandits.types import Arm, Floats, Ints, draw

# Five messages that wear out and recover at different rates, for populations that are made to try things out.
MESSAGES = tuple(
    Arm(
        ClippedAffine(decay=0.5 + 0.05 * k, pull=-1.0 - 0.1 * k, drift=0.4 + 0.05 * k),
        BernoulliLogit(0.4 + 0.1 * k, 0.6 - 0.1 * k),
        name=name,
    )
    for k, name in enumerate(("walk", "sleep", "eat", "relax", "praise"))
)


def live(m: Manifest, population: Population, decisions: int, seed: np.random.SeedSequence) -> Floats:
    """Simulate so many decisions of people, and one more; return the rewards of that one, which are pending.

    Each has a theta and an x0 of their own, uniform between their bounds; an x0 that is known is that of all.
    """
    for k, arm in enumerate(m.arms):
        if not all(isinstance(bound, int | float) for bound in (arm.theta_lo, arm.theta_hi, arm.dynamics.lo)):
            raise ValueError(f"arm {arm.name or k!r}: a past can be simulated where theta and the state are numbers")
    random, people = np.random.Generator(np.random.PCG64(seed)), len(population)
    theta = _uniform(random, people, [(arm.theta_lo, arm.theta_hi) for arm in m.arms])
    x = _uniform(
        random, people, [(arm.dynamics.lo, arm.dynamics.hi) if arm.x0 is None else (arm.x0, arm.x0) for arm in m.arms]
    )
    table, reward = arm_table([list(m.arms)]), np.empty(people)
    for number in range(decisions + 1):
        made = population.choose(probabilities=number == decisions)
        draw_rewards(table, theta, x, made.arm, random.random(people), reward)
        if number < decisions:
            population.update(made, reward)
    return reward


def _uniform(random: np.random.Generator, people: int, bounds: list[tuple[float, float]]) -> Floats:
    lo, hi = np.array(bounds, dtype=np.float64).T
    drawn: Floats = lo + (hi - lo) * random.random((people, len(bounds)))
    return drawn


@kernel
def draw_rewards(table: ArmTable, theta: Floats, x: Floats, arm: Ints, u: Floats, reward: Floats) -> None:
    """Draw the reward of the arm that each person got, and advance their states."""
    table, theta, x = borrowed((table, theta, x))
    for person in range(arm.size):
        k = arm[person]
        played = arm_of(table, 0, k)
        reward[person] = draw(
            played.rewards, theta[person, k], observed_state(played.dynamics, x[person], k), u[person]
        )
        move_person(table, 0, x[person], k)
