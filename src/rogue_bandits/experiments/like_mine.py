"""What policies would earn on people like those of a trial, drawn from the posterior of its people.

Policies that learn dynamics have the population of the trial as their prior (`arm_from_fit`); others are given its
centre. Beside it stands what the same policies earn on people who *are* their point estimates, and who are known: that
flatters every policy with a model, since errors of estimates are then taken for wear-out and recovery.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.experiments.gained import gain
from rogue_bandits.experiments.health.fitted import SILENCE, fits_of, observed_range, read_people, with_bounds
from rogue_bandits.experiments.results import Gain
from rogue_bandits.experiments.trial_people import Trial, drawn_truth, fitted_truth, trial_of
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.dynamics.population import family_of, population_prior, still_prior, wears_out
from rogue_bandits.model.dynamics.unknown import RECOVERY, Hypothesis, Unknown, hypothesis_at
from rogue_bandits.model.fitted_arms import TWO_PARTS, arm_from_fit, normal_arm_from_fit, unit_of_levels
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.policies.random import Random
from rogue_bandits.policies.trial import raise_on_broken_policy
from rogue_bandits.schedule import in_threads
from rogue_bandits.simulation.simulate import simulate
from rogue_bandits.types import Arm, Floats, Problem, Truth, start
from rogue_bandits.wording import plain

LEARNERS = ("IndexTS", "PlanTS", "RogueTS")  # of dynamics
MIDDLE = 0.5  # of the population: its centre
AS_FITTED = (1e-3, 1e-2, 1e-2)  # spreads added to a population: next to nothing, as its people are not to be learned
MOST = 0.99  # fits of decay 1 never recover, and have no index to plan with
Progress = Callable[[int], None]


class Alike(NamedTuple):
    """The gain of a policy over random choices, a decision, in units of the reward."""

    drawn: Gain  # on people drawn from the posterior
    fits: Gain  # on people who are their fits


class Setting(NamedTuple):
    """The size of the simulation."""

    horizon: int
    people: int
    seed: int


class LikeMine(NamedTuple):
    """The gains of each policy, why others have none, and notes for the reader."""

    gains: dict[str, Alike]
    refused: dict[str, str]
    notes: list[str]


class PreparedSimulation(NamedTuple):
    """Drawn people, their fits, and the policies that can be simulated with the arms that they assume of each."""

    setting: Setting
    drawn: list[Truth]
    fits: list[Truth]
    policies: dict[str, Any]
    learners: dict[str, list[Sequence[Arm]]]  # by policy
    refused: dict[str, str]
    notes: list[str]
    scale: float


def prepared(path: Path, policies: Mapping[str, Any], setting: Setting) -> PreparedSimulation:
    """Draw people, and set up every policy for each of them: what cannot be simulated is refused before anything is."""
    people = read_people(path)
    trial, observed = trial_of(people), observed_range(people)
    prior = normal_arm_from_fit if people.fitted.family == TWO_PARTS else arm_from_fit
    new = {name: prior(path, name) for name in trial.arms if name in people.cohort.arms}
    centres = {name: centre_of(path, arm) for name, arm in new.items()}
    if SILENCE in trial.arms and SILENCE not in new:
        new[SILENCE] = silent_arm(trial, next(iter(new.values())))
        centres[SILENCE] = at_centre(new[SILENCE])
    rng = np.random.default_rng((setting.seed, 1))
    who = [trial.names[k] for k in rng.integers(len(trial.names), size=setting.people)]
    fits = [fitted_truth(trial, name) for name in who]
    drawn = [drawn_truth(trial, name, rng) for name in who]
    ready = PreparedSimulation(setting, drawn, fits, {}, {}, {}, list(trial.notes), people.cohort.scale)
    for name, asked in policies.items():
        policy = with_bounds(asked, fits[0].arms[0].rewards, observed)
        learners = [assumed(truth, policy, new, centres) for truth in fits]
        try:
            set_up(policy, [*learners, *map(plannable, fits)], setting.horizon)
        except (TypeError, ValueError) as error:
            ready.refused[name] = str(error)
            continue
        ready.policies[name], ready.learners[name] = policy, learners
        if policy != asked:
            lo, hi = (plain(ready.scale * end) for end in observed)
            ready.notes.append(f"{name}: rewards count from {lo} to {hi}, the least and the largest of the data.")
    return ready


def set_up(policy: Any, learners: Sequence[Sequence[Arm]], horizon: int) -> None:
    """Raise TypeError or ValueError if a policy cannot be set up for some of these arms."""
    raise_on_broken_policy(policy, Problem(tuple(learners[0]), horizon))
    for arms in dict.fromkeys(map(tuple, learners)):
        start(policy, Problem(arms, horizon), 1)


def simulated(ready: PreparedSimulation, progress: Progress) -> LikeMine:
    """Return what the policies gain; a defect is raised as it is.

    `progress` is called with the number of people just simulated, of `2 * setting.people` for each policy.
    """
    found = {}
    for name, policy in ready.policies.items():
        on_drawn = gains(ready.drawn, policy, ready.learners[name], ready.setting, progress)
        on_fits = gains(ready.fits, policy, [plannable(truth) for truth in ready.fits], ready.setting, progress)
        found[name] = Alike(gain(ready.scale * on_drawn), gain(ready.scale * on_fits))
    return LikeMine(found, ready.refused, ready.notes)


def centre_of(people: Path, arm: Arm) -> Arm:
    """Return an arm of a new person with the centre of the population, each person counted once."""
    unknown: Unknown = arm.dynamics
    if wears_out(people, arm.name) and family_of(people) != TWO_PARTS:
        found = population_prior(people, arm.name, unit_of_levels(arm.rewards), AS_FITTED)
        unknown = unknown._replace(centre=found.centre, factor=found.factor)
    return at_centre(arm._replace(dynamics=unknown))


def at_centre(arm: Arm) -> Arm:
    """Return an arm with the centre of its prior in place of the prior."""
    h = hypothesis_at(arm.dynamics, RECOVERY, MIDDLE, MIDDLE, MIDDLE, MIDDLE)
    return arm._replace(dynamics=dynamics_of(h, arm.dynamics))


def silent_arm(trial: Trial, like: Arm) -> Arm:
    """Return silence as an arm of a new person: the levels of the people, and a loss that is negligible."""
    fits = [fits_of(trial.people, name)[SILENCE] for name in trial.names]
    if isinstance(like.rewards, LaplaceAgent):
        levels = np.array([fit.x0 for fit in fits])
    else:
        levels = np.array([fit.theta for fit in fits]) / unit_of_levels(like.rewards)
    prior = still_prior(levels)
    return like._replace(name=SILENCE, dynamics=like.dynamics._replace(centre=prior.centre, factor=prior.factor))


def dynamics_of(h: Hypothesis, unknown: Unknown) -> ClippedAffine:
    """Return the dynamics of a hypothesis."""
    return ClippedAffine(float(h.decay), float(h.pull), float(h.drift), unknown.lo, unknown.hi)


def assumed(fitted: Truth, policy: Any, new: Mapping[str, Arm], centres: Mapping[str, Arm]) -> Sequence[Arm]:
    """Return the arms that a policy assumes: the prior where it learns dynamics, the centre of the population else."""
    if type(policy).__name__ in LEARNERS:
        return [new[arm.name] for arm in fitted.arms]
    return [with_centre_dynamics(arm, centres[arm.name]) for arm in fitted.arms]


def with_centre_dynamics(arm: Arm, centre: Arm) -> Arm:
    """Return an arm with the dynamics of the centre of the population; theta is to be learned, as it is in fits."""
    if isinstance(arm.rewards, LaplaceAgent):
        return arm._replace(dynamics=centre.dynamics)
    pull = centre.dynamics.pull * centre.rewards.state_weight  # of states that are what a rested arm has lost
    return arm._replace(dynamics=arm.dynamics._replace(decay=centre.dynamics.decay, pull=pull))


def plannable(truth: Truth) -> list[Arm]:
    """Return the arms of a fitted person, with decays that a plan can be made for."""
    return [arm._replace(dynamics=arm.dynamics._replace(decay=min(arm.dynamics.decay, MOST))) for arm in truth.arms]


def gains(
    truths: Sequence[Truth], policy: Any, learners: Sequence[Sequence[Arm]], setting: Setting, progress: Progress
) -> Floats:
    """Return each person's average expected reward under a policy less that of random choices."""

    def gained(number: int) -> float:
        seed = (setting.seed, 2, number)
        own = simulate(truths[number], policy, setting.horizon, 1, seed, learner_arms=learners[number])
        random = simulate(truths[number], Random(), setting.horizon, 1, seed)
        progress(1)
        return float(own.mean.mean() - random.mean.mean())

    return np.array(in_threads(gained, ((n,) for n in range(len(truths))), workers=-1))
