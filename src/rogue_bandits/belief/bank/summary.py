"""What a bank says in terms of levels: weighted hypotheses about each arm, and the kind of the person."""

from __future__ import annotations

import numpy as np

from rogue_bandits.belief.bank.belief import state_now
from rogue_bandits.belief.bank.evidence import BankBelief
from rogue_bandits.belief.bank.kinds import fill_kinds_of_arm, fill_kinds_of_person
from rogue_bandits.belief.bank.likelihood import theta_quantile
from rogue_bandits.model.dynamics.unknown import KINDS, RECOVERY
from rogue_bandits.model.problem import arm_of
from rogue_bandits.types import Floats, mean

NAMES = "level when fresh", "level when worn out", "one play takes", "half-life"


def weights(belief: BankBelief, person: int, k: int) -> Floats:
    """Return the probability of every hypothesis about arm k, pooled over the arms of the person."""
    p, starts = belief.personal, belief.shared.starts
    of_person, of_arm, result = np.empty(KINDS), np.empty(KINDS), np.zeros(p.x.shape[2])
    fill_kinds_of_person(belief, person, of_person)
    for z in np.flatnonzero(belief.shared.prior > 0.0):
        fill_kinds_of_arm(belief.shared.prior, p.evidence[person, k], int(z), of_arm)
        for j in np.flatnonzero(belief.shared.prior > 0.0):
            part = slice(starts[j], starts[j + 1])
            within = np.exp(p.log_weight[person, k, part] - p.log_weight[person, k, part].max())
            result[part] += of_person[z] * of_arm[j] * within / within.sum()
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
