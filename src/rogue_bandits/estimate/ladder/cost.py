"""The cost of one sending: the posterior median, in an interval that also holds if recovery is quick.

A person's rewards hardly tell the half-life, and the same losses are a small cost that lasts or a large one that is
soon over. The reference prior of half-lives has most of its weight on those that last: intervals of the cost under it
end too low if recovery is quick. Here their prior is a mixture that gives quick recovery more weight.
"""

from __future__ import annotations

import numpy as np

from rogue_bandits.estimate.ladder.compare import PARTIAL, SHARED
from rogue_bandits.estimate.ladder.panel import Axis, axis_of
from rogue_bandits.estimate.ladder.posterior import Posterior
from rogue_bandits.estimate.ladder.result import QUANTILES
from rogue_bandits.estimate.ladder.task import ArmTask
from rogue_bandits.types import Floats

QUICK = 0.75  # share of the prior in proportion to the squared rate of recovery; the rest is the reference prior


def cost_of_average(posterior: Posterior, task: ArmTask, cost: Floats) -> list[float]:
    """Return the median cost of the average person between the ends of its interval, from draws [draws, people].

    People with half-lives of their own have no half-life on average: theirs is the interval of the posterior.
    """
    shared = cost.shape[1] == 1 or posterior.fit.candidate.pool == SHARED
    half_life = posterior.half_life if shared else np.full(cost.shape[0], np.nan)
    return _quantiles(cost.mean(1, keepdims=True), half_life[:, None], task)[0]


def cost_of_each(posterior: Posterior, task: ArmTask, cost: Floats) -> list[list[float]]:
    """Return the same of each person.

    A half-life that was drawn from a population has its prior from the others, not the reference prior.
    """
    drawn = posterior.fit.candidate.pool == PARTIAL and cost.shape[1] > 1
    return _quantiles(cost, np.full(cost.shape, np.nan) if drawn else posterior.own_half_life, task)


def _quantiles(cost: Floats, half_life: Floats, task: ArmTask) -> list[list[float]]:
    """Return median and ends of each column of costs [draws, columns]; half-lives are nan where there is none.

    The median is that of the posterior, as are all other numbers, and the interval is extended to it if it must be.
    """
    ends = np.quantile(cost, QUANTILES, axis=0)
    if not np.isnan(half_life).all():
        weight = mixture_weight(half_life, axis_of(task.records))
        low, high = np.quantile(cost, QUANTILES[::2], axis=0, weights=weight, method="inverted_cdf")
        ends = np.stack([np.minimum(low, ends[1]), ends[1], np.maximum(high, ends[1])])
    found: list[list[float]] = ends.T.tolist()
    return found


def mixture_weight(half_life: Floats, axis: Axis) -> Floats:
    """Return the density of the mixture at half-lives, over that of the reference prior.

    One component is the reference prior times 1 / half-life², divided by its mean; the other is the reference prior
    itself, without which long half-lives would hardly be possible. No recovery at all is as probable as it was.

    >>> axis = Axis(np.array([1.0, 2.0, np.inf]), np.array([0.0, 0.5, 1.0]))
    >>> mixture_weight(np.array([1.0, 2.0, np.inf]), axis).tolist()
    [2.25, 0.75, 1.0]
    """
    mean = np.trapezoid(axis.half_lives**-2.0, axis.before)
    return np.where(np.isfinite(half_life), 1.0 - QUICK + QUICK * half_life**-2.0 / mean, 1.0)
