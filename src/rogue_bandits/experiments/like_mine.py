"""What policies would earn on people like those of a trial: people are drawn from what the fit says of a new person.

A person's dynamics come from the population of `rogue fit` with the uncertainty about it (`arm_from_fit`), the noise
of an agent from a fitted person. Policies that learn dynamics have that population as their prior; others are given its
centre. Beside it stands what the same policies earn on people who *are* their point estimates, and who are known: that
flatters every policy with a model, since errors of estimates are then taken for wear-out and recovery.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.experiments.gained import gain
from rogue_bandits.experiments.health.fitted import fitted_people
from rogue_bandits.experiments.results import Gain
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.dynamics.population import population_prior
from rogue_bandits.model.dynamics.unknown import NO_EFFECT, NO_RECOVERY, RECOVERY, Hypothesis, Unknown, hypothesis_at
from rogue_bandits.model.fitted_arms import arm_from_fit, unit_of_levels
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.policies.random import Random
from rogue_bandits.schedule import in_threads
from rogue_bandits.simulation.simulate import simulate
from rogue_bandits.types import Arm, Floats, Truth

LEARNERS = ("IndexTS", "PlanTS", "RogueTS")  # of dynamics
MIDDLE = 0.5  # of the population: its centre
AS_FITTED = (1e-3, 1e-2, 1e-2)  # spreads added to a population: next to nothing, as its people are not to be learned
MOST = 0.99  # fits of decay 1 never recover, and have no index to plan with


class Alike(NamedTuple):
    """What a policy earns more than random choices, a decision, in units of the reward."""

    drawn: Gain  # on people drawn from the population
    fits: Gain  # on people who are their fits


class Setting(NamedTuple):
    """How much is simulated."""

    horizon: int
    people: int
    seed: int


def like_mine(people: Path, policies: Mapping[str, Any], setting: Setting) -> dict[str, Alike]:
    """Return what policies gain over random choices; people are the same for all of them."""
    fits = fitted_people(people)
    names = [arm.name for arm in fits.truths[0].arms]
    new = {name: arm_from_fit(people, name) for name in names}
    populations = {name: population(people, arm) for name, arm in new.items()}
    rng = np.random.default_rng((setting.seed, 1))
    whole = [truth for truth in fits.truths if [arm.name for arm in truth.arms] == names]
    each = [whole[rng.integers(len(whole))] for _ in range(setting.people)]
    drawn = [drawn_truth(truth, populations, rng) for truth in each]
    found = {}
    for name, policy in policies.items():
        learners = [assumed(truth, policy, new, populations) for truth in each]
        on_drawn = gains(drawn, policy, learners, setting)
        on_fits = gains(whole, policy, [plannable(truth) for truth in whole], setting)
        found[name] = Alike(gain(fits.scale * on_drawn), gain(fits.scale * on_fits))
    return found


def population(people: Path, arm: Arm) -> Arm:
    """Return how people differ, each of them counted once; some wear out or recover on no arm."""
    found = population_prior(people, arm.name, unit_of_levels(arm.rewards), AS_FITTED)
    return arm._replace(dynamics=arm.dynamics._replace(**found._asdict()))


def drawn_truth(fitted: Truth, populations: Mapping[str, Arm], rng: np.random.Generator) -> Truth:
    """Return a person drawn from the population, an agent with the noise of a fitted one; arms are of one kind."""
    first = next(iter(populations.values())).dynamics
    simple = (first.no_effect, first.no_recovery)
    kind = int(rng.choice((NO_EFFECT, NO_RECOVERY, RECOVERY), p=(*simple, 1.0 - sum(simple))))
    arms, theta, x0 = [], [], []
    for arm, noise in zip(fitted.arms, fitted.theta, strict=True):
        like = populations[arm.name]
        h = hypothesis_at(like.dynamics, kind, *rng.random(4))
        arms.append(like._replace(dynamics=dynamics_of(h, like.dynamics)))
        theta.append(noise if is_agent(like) else like.theta_lo)  # of other families it has no weight
        x0.append(float(h.x0))
    return Truth(arms, theta, x0)


def dynamics_of(h: Hypothesis, unknown: Unknown) -> ClippedAffine:
    """Return the dynamics of a hypothesis."""
    return ClippedAffine(float(h.decay), float(h.pull), float(h.drift), unknown.lo, unknown.hi)


def is_agent(arm: Arm) -> bool:
    """Return whether theta is the noise; in the other families a new person's state is the level."""
    return isinstance(arm.rewards, LaplaceAgent)


def assumed(fitted: Truth, policy: Any, new: Mapping[str, Arm], populations: Mapping[str, Arm]) -> Sequence[Arm]:
    """Return the arms that a policy assumes: the prior where it learns dynamics, the centre of the population else."""
    if type(policy).__name__ in LEARNERS:
        return [new[arm.name] for arm in fitted.arms]
    return [told(arm, populations[arm.name]) for arm in fitted.arms]


def told(arm: Arm, population: Arm) -> Arm:
    """Return an arm with the dynamics of the centre of the population; theta is to be learned, as it is in fits."""
    centre = hypothesis_at(population.dynamics, RECOVERY, MIDDLE, MIDDLE, MIDDLE, MIDDLE)
    if is_agent(arm):
        return arm._replace(dynamics=dynamics_of(centre, population.dynamics))
    pull = float(centre.pull) * population.rewards.state_weight
    return arm._replace(dynamics=arm.dynamics._replace(decay=float(centre.decay), pull=pull))


def plannable(truth: Truth) -> list[Arm]:
    """Return the arms of a fitted person, with decays that a plan can be made for."""
    return [arm._replace(dynamics=arm.dynamics._replace(decay=min(arm.dynamics.decay, MOST))) for arm in truth.arms]


def gains(truths: Sequence[Truth], policy: Any, learners: Sequence[Sequence[Arm]], setting: Setting) -> Floats:
    """Return each person's average expected reward under a policy less that of random choices."""

    def gained(number: int) -> float:
        seed = (setting.seed, 2, number)
        own = simulate(truths[number], policy, setting.horizon, 1, seed, learner_arms=learners[number])
        random = simulate(truths[number], Random(), setting.horizon, 1, seed)
        return float(own.mean.mean() - random.mean.mean())

    return np.array(in_threads(gained, ((n,) for n in range(len(truths))), workers=-1))
