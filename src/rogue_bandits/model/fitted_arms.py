"""Arms of a new person from people.json: rewards of the family that was fitted, and dynamics that are to be learned.

An agent's state is its mean reward, and theta its noise. In the other families the state is the level itself, log odds
or the like, so that the prior of the level is that of the population; theta has no weight.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rogue_bandits.model.dynamics.population import (
    AGENT,
    PopulationPrior,
    family_of,
    fits_of,
    population_prior,
    prior_of_means,
    still_prior,
    wears_out,
)
from rogue_bandits.model.dynamics.unknown import Unknown
from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.model.rewards.binomial_logit import BinomialLogit
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.model.rewards.poisson_log import PoissonLog
from rogue_bandits.types import Arm

LEVELS = {family.__name__: family for family in (BernoulliLogit, BinomialLogit, Gaussian, PoissonLog)}
TWO_PARTS = "zero-inflated"
PriorOf = Callable[[str | Path, str, float], PopulationPrior]
NOISE = (0.005, 1.0)  # of an agent, as `rogue fit` has it


def arm_from_fit(people: str | Path, arm: str, hypotheses: float = 512.0) -> Arm:
    """Return an arm of a people.json of `rogue fit` for a new person, whose dynamics are to be learned.

    Its dynamics are `Unknown` with the population as prior, and its rewards of the family that was fitted. Rewards of
    a Gaussian family have the noise of the median person. An arm that nothing wears out, by the fit, has the levels of
    the people and a loss that is negligible: arms of one bandit are of one type.
    """
    family = family_of(people)
    wears = wears_out(people, arm)
    if family == AGENT and wears:
        return Arm(Unknown.from_fit(people, arm, hypotheses), LaplaceAgent(), *NOISE, name=arm)
    if family == TWO_PARTS:
        raise ValueError(
            f"'{people}' has rewards of the family {TWO_PARTS}, which no arm can have: use "
            "`rogue fit --family gaussian` or another"
        )
    if family == AGENT:
        still = still_prior(np.array([float(fit["x0"]) for fit in _some_fits(people, arm)]))
        dynamics = Unknown(hypotheses=hypotheses, centre=still.centre, factor=still.factor)
        return Arm(dynamics, LaplaceAgent(), *NOISE, name=arm)
    return _arm_of_levels(people, arm, hypotheses, population_prior)


def normal_arm_from_fit(people: str | Path, arm: str, hypotheses: float = 512.0) -> Arm:
    """Return the same with normal rewards in place of zero-inflated ones, which no arm has: a model of their means."""
    return _arm_of_levels(people, arm, hypotheses, prior_of_means)


def _arm_of_levels(people: str | Path, arm: str, hypotheses: float, prior_of: PriorOf) -> Arm:
    """Return an arm whose state is the level."""
    fits = _some_fits(people, arm)
    rewards = _rewards(fits)
    unit = unit_of_levels(rewards)
    lo = min(float(fit["theta_lo"]) + float(fit["lo"]) for fit in fits) / unit
    hi = max(float(fit["theta_hi"]) for fit in fits) / unit
    if wears_out(people, arm):
        prior = prior_of(people, arm, unit)
    else:
        prior = still_prior(np.array([float(fit["theta"]) for fit in fits]) / unit)
    unknown = Unknown(lo=lo, hi=hi, hypotheses=hypotheses, centre=prior.centre, factor=prior.factor)
    return Arm(unknown, rewards, name=arm)


def _some_fits(people: str | Path, arm: str) -> list[dict[str, Any]]:
    """Return the fits of an arm; a ValueError if there are none."""
    if not (fits := fits_of(people, arm)):
        raise ValueError(f"'{people}', arm {arm!r}: nobody was fitted")
    return fits


def unit_of_levels(rewards: Any) -> float:
    """Return what a state of 1 is on the scale of the fit: the noise of a Gaussian family, else 1."""
    return float(rewards.state_weight) if isinstance(rewards, Gaussian) else 1.0


def _rewards(fits: list[dict[str, Any]]) -> Any:
    """Return the family with the level as its state."""
    described = dict(fits[0]["rewards"])
    family = LEVELS[described.pop("family")]
    if family is not Gaussian:
        return family(**{**described, "theta_weight": 0.0, "state_weight": 1.0})
    sd = float(np.median([float(fit["rewards"]["sd"]) for fit in fits]))
    return Gaussian(0.0, sd, sd)
