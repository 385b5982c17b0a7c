"""What rewards say of the levels of all arms and people, and the normal equations of the means of arms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rogue_bandits.types import Floats, Ints

RIDGE = 1e-11  # relative: people who are 10⁵ noises apart leave nothing of the precision of a common mean


class Levels(NamedTuple):
    """What rewards say of levels and of mean slopes, on one scale: [draws, people, arms] and [draws, arms].

    `value` is where the likelihood of level + tilt · slope is largest. Arms of one group have slopes of one kind, which
    may be alike; an arm by itself has a slope that is like no other's.
    """

    value: Floats
    precision: Floats  # 0 where somebody has no rewards
    tilt: Floats
    information: Floats  # on the mean slope, levels being free
    score: Floats  # the slope of its log-likelihood at 0
    noise: float  # typical standard deviation of a reward
    silence: bool  # whether the last arm is silence
    group: Ints  # [arms]: the first arm whose slope is of the same kind
    reach: Floats  # [arms]: standard deviation of what the slope multiplies

    def some(self, draws: Ints) -> Levels:
        """Return some of the draws."""
        return self._replace(**{name: getattr(self, name)[draws] for name in self._fields[:5]})

    def mean(self) -> Levels:
        """Return the means over draws, as the only draw."""
        return self._replace(**{name: getattr(self, name).mean(0, keepdims=True) for name in self._fields[:5]})


class Equations(NamedTuple):
    """Normal equations of means and slopes of arms, people integrated out: P · (means, slopes) = h."""

    P: Floats  # [draws, 2 arms, 2 arms]
    h: Floats  # [draws, 2 arms]
    square: Floats  # [draws]: of the values, in the metric of their covariance
    weight: Floats  # [draws, people, arms]: of values, given the person
    shrunk: Floats  # [draws, people]: variance of a person's effect given the values


def equations_of(levels: Levels, between: Floats, own: Floats) -> Equations:
    """Return the equations for variances of people [draws, 1] and of arms within them [draws, 1, arms]."""
    value, tilt, arms = levels.value, levels.tilt, np.arange(levels.value.shape[2])
    weight = levels.precision / (1.0 + own * levels.precision)
    shrunk = between / (1.0 + between * weight.sum(2))
    k, tilted, sums = arms.size, weight * tilt, (weight * value).sum(2)
    rest = value - (shrunk * sums)[..., None]
    h = np.concatenate([(weight * rest).sum(1), (tilted * rest).sum(1)], axis=1)
    rows = np.sqrt(shrunk)[..., None] * np.concatenate([weight, tilted], axis=2)
    P = -(np.swapaxes(rows, 1, 2) @ rows)
    P[:, arms, arms] += (1.0 + RIDGE) * weight.sum(1)
    P[:, arms, k + arms] += tilted.sum(1)
    P[:, k + arms, arms] += tilted.sum(1)
    P[:, k + arms, k + arms] += (tilted * tilt).sum(1) + levels.information
    h[:, k:] += levels.score
    square = (weight * value * value).sum((1, 2)) - (shrunk * sums**2).sum(1)
    return Equations(P, h, square, weight, shrunk)


def common_to(group: Ints) -> Floats:
    """Return what means and slopes of arms have in common: 1 for all means, and 1 for the slopes of each group.

    >>> common_to(np.array([0, 0, 2])).astype(int).tolist()
    [[1, 0, 0], [1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]]
    """
    kinds = np.unique(group)
    means = np.concatenate([np.ones((group.size, 1)), np.zeros((group.size, kinds.size))], axis=1)
    return np.concatenate([means, np.concatenate([np.zeros((group.size, 1)), group[:, None] == kinds], axis=1)])
