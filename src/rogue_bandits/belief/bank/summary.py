"""What a bank says in terms of levels: weighted hypotheses about each arm, and the kind of the person."""

from __future__ import annotations

import numpy as np

from rogue_bandits.belief.bank.belief import state_now
from rogue_bandits.belief.bank.evidence import BankBelief
from rogue_bandits.belief.bank.likelihood import theta_quantile
from rogue_bandits.belief.bank.pooling import fill_kinds_of_person, fill_posterior
from rogue_bandits.model.dynamics.unknown import KINDS, RECOVERY
from rogue_bandits.model.problem import arm_of
from rogue_bandits.types import Floats, mean

NAMES = "level when fresh", "level when worn out", "one play takes", "half-life"


def weights(belief: BankBelief, person: int, k: int) -> Floats:
    """Return the probability of every hypothesis about arm k, pooled over the arms of the person."""
    of_person, cdf = np.empty(KINDS), np.empty((belief.personal.plays.shape[1], belief.personal.x.shape[2]))
    fill_kinds_of_person(belief, person, of_person)
    result = np.zeros(cdf.shape[1])
    for kind in np.flatnonzero(of_person > 0.0):
        fill_posterior(belief, person, int(kind), cdf)
        result += of_person[kind] * np.diff(cdf[k], prepend=0.0) / cdf[k, -1]
    return result


def levels(belief: BankBelief, person: int, k: int) -> dict[str, Floats]:
    """Return the levels, the effect of a play and the half-life under the hypotheses with recovery, by `NAMES`."""
    p, part = belief.personal, slice(belief.shared.starts[RECOVERY], None)
    decay, pull, drift = p.decay[person, k, part], p.pull[person, k, part], p.drift[person, k, part]
    lo, hi = belief.shared.table.arms.dynamics.lo[0, k], belief.shared.table.arms.dynamics.hi[0, k]
    fresh, worn = (np.clip(rise / (1.0 - decay), lo, hi) for rise in (drift, drift + pull))
    return dict(zip(NAMES, (fresh, worn, -pull, -np.log(2.0) / np.log(decay)), strict=True))


def states_and_means(belief: BankBelief, person: int, k: int) -> tuple[Floats, Floats]:
    """Return the state now under every hypothesis about arm k, and the mean reward at its median theta."""
    p, tables, prior = belief.personal, belief.shared.theta, arm_of(belief.shared.table, person, k)
    x, means = np.empty(p.x.shape[2]), np.empty(p.x.shape[2])
    for i in range(x.size):
        x[i] = state_now(belief, person, k, i)
        theta = theta_quantile(prior.rewards, tables, k, p.totals[person, k], p.sums[person, k], i, 0.5)
        means[i] = mean(prior.rewards, theta, x[i])
    return x, means


def weighted_quantiles(values: Floats, weight: Floats, at: list[float]) -> list[float]:
    """Return quantiles of weighted values.

    >>> weighted_quantiles(np.array([3.0, 1.0, 2.0]), np.array([0.1, 0.5, 0.4]), [0.25, 0.75])
    [1.0, 2.0]
    """
    order = np.argsort(values)
    below = np.cumsum(weight[order]) / weight.sum()
    return [float(values[order[min(int(np.searchsorted(below, u)), values.size - 1)]]) for u in at]
