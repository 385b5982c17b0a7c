"""The reward families that a cohort can be fitted with: one line each, and the guess from the rewards."""

from __future__ import annotations

import numpy as np

from rogue_bandits.estimate.families.agent import AGENT
from rogue_bandits.estimate.families.contract import Family, Model
from rogue_bandits.estimate.families.exponential import BINOMIAL, GAUSSIAN, LOGIT, POISSON
from rogue_bandits.types import Floats
from rogue_bandits.unknown_name import unknown

FAMILIES: dict[str, Family] = {family.name: family for family in (AGENT, LOGIT, POISSON, GAUSSIAN, BINOMIAL)}
GUESSES = LOGIT, AGENT, POISSON, GAUSSIAN  # the first that all rewards are possible in
OVERDISPERSED = 10.0  # counts whose variance is this many times their mean are not taken for Poisson counts


def family_of(name: str) -> Family:
    """Return a family by its name; an unknown one is refused with the nearest.

    >>> family_of("logit").words
    '0 or 1'
    """
    if name not in FAMILIES:
        raise ValueError(unknown("family", name, FAMILIES))
    return FAMILIES[name]


def guess(rewards: Floats) -> str:
    """Return the name of the family that fits the kind of numbers that rewards are.

    >>> [guess(np.array(r)) for r in ([0, 1, 1], [0.5, 1, 0], [0, 1, 3], [-1, 2], [0, 9000, 12000])]
    ['logit', 'agent', 'poisson', 'gaussian', 'gaussian']
    """
    found = next(family for family in GUESSES if family.accepts(rewards, 0.0).all())
    if found is POISSON and np.var(rewards) > OVERDISPERSED * np.mean(rewards):
        found = GAUSSIAN
    return found.name


def model_for(family: str, rewards: Floats, trials: float = 0.0) -> Model:
    """Return the model of a family for observed rewards."""
    return family_of(family).model(rewards, trials)
