"""Arms of a new person from people.json: rewards of the family that was fitted, and dynamics that are to be learned.

An agent's state is its mean reward, and theta its noise. In the other families the state is the level itself, log odds
or the like, so that the prior of the level is that of the population; theta has no weight.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rogue_bandits.model.dynamics.population import AGENT, family_of, fits_of, population_prior
from rogue_bandits.model.dynamics.unknown import Unknown
from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.model.rewards.binomial_logit import BinomialLogit
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.model.rewards.poisson_log import PoissonLog
from rogue_bandits.types import Arm

LEVELS = {family.__name__: family for family in (BernoulliLogit, BinomialLogit, Gaussian, PoissonLog)}
TWO_PARTS = "zero-inflated"
NOISE = (0.005, 1.0)  # of an agent, as `rogue fit` has it


def arm_from_fit(people: str | Path, arm: str, hypotheses: float = 512.0) -> Arm:
    """Return an arm of a people.json of `rogue fit` for a new person, whose dynamics are to be learned.

    Its dynamics are `Unknown` with the population as prior, and its rewards of the family that was fitted. Rewards of
    a Gaussian family have the noise of the median person.
    """
    family = family_of(people)
    if family == AGENT:
        return Arm(Unknown.from_fit(people, arm, hypotheses), LaplaceAgent(), *NOISE, name=arm)
    if family == TWO_PARTS:
        raise ValueError(
            f"'{people}' has rewards of the family {TWO_PARTS}, which no arm can have: use "
            "`rogue fit --family gaussian` or another"
        )
    fits = fits_of(people, arm)
    if not fits:
        raise ValueError(f"'{people}', arm {arm!r}: nobody was fitted")
    rewards = _rewards(fits)
    unit = unit_of_levels(rewards)
    lo = min(float(fit["theta_lo"]) + float(fit["lo"]) for fit in fits) / unit
    hi = max(float(fit["theta_hi"]) for fit in fits) / unit
    prior = population_prior(people, arm, unit)
    unknown = Unknown(lo=lo, hi=hi, hypotheses=hypotheses, centre=prior.centre, factor=prior.factor)
    return Arm(unknown, rewards, name=arm)


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
