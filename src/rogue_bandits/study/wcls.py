"""The effect of a message by weighted and centred least squares (Boruvka et al. 2018), from an export.

reward ~ controls'α + (action − q) effects'β, with weights (q/p)^action ((1 − q)/(1 − p))^(1 − action): p is the
probability with which the message was sent at that decision, q one that does not depend on it. β is then the effect of
sending at a decision on the reward that follows, averaged over people and decisions, whatever the controls are;
standard errors are those of the sandwich, with a cluster for each person.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rogue_bandits.types import Floats


class ExcursionEffect(NamedTuple):
    """The effect of a message, and its moderators if there are any, with standard errors."""

    estimate: Floats
    standard_error: Floats
    people: int
    decisions: int

    def interval(self, width: float = 1.96) -> tuple[Floats, Floats]:
        """Return estimate ± so many standard errors."""
        return self.estimate - width * self.standard_error, self.estimate + width * self.standard_error


def wcls(
    person: ArrayLike,
    action: ArrayLike,
    probability: ArrayLike,
    reward: ArrayLike,
    controls: ArrayLike | None = None,
    moderators: ArrayLike | None = None,
    numerator: float | None = None,
) -> ExcursionEffect:
    """Return the effect of action 1 against 0; leave out decisions at which nobody could be sent anything.

    `probability` is that of action 1. Without `numerator`, q is the share of decisions with action 1.

    >>> rng = np.random.default_rng(1)
    >>> p = np.where(rng.random(4_000) < 0.5, 0.2, 0.8)
    >>> a = (rng.random(4_000) < p).astype(float)
    >>> effect = wcls(np.arange(4_000) // 40, a, p, 1.0 + p + 0.3 * a + rng.normal(size=4_000))
    >>> abs(effect.estimate[0] - 0.3) < 3 * effect.standard_error[0]
    np.True_
    """
    who, a, p, r = (np.asarray(column) for column in (person, action, probability, reward))
    a, p, r = a.astype(np.float64), p.astype(np.float64), r.astype(np.float64)
    raise_on_invalid(a, p, r)
    q = float(a.mean()) if numerator is None else numerator
    ones = np.ones((r.size, 1))
    control = (
        ones if controls is None else np.hstack([ones, np.asarray(controls, dtype=np.float64).reshape(r.size, -1)])
    )
    effects = ones if moderators is None else np.hstack([ones, np.asarray(moderators, np.float64).reshape(r.size, -1)])
    weight = np.where(a > 0.5, q / p, (1.0 - q) / (1.0 - p))
    x = np.hstack([control, (a - q)[:, None] * effects])
    bread = np.linalg.inv((x * weight[:, None]).T @ x)
    coefficients = bread @ (x * weight[:, None]).T @ r
    scores = x * (weight * (r - x @ coefficients))[:, None]
    names, index = np.unique(who, return_inverse=True)
    by_person = np.zeros((names.size, x.shape[1]))
    np.add.at(by_person, index, scores)
    # n/(n − k): few people would otherwise seem to say more than they do.
    small = names.size / max(names.size - x.shape[1], 1)
    covariance = small * bread @ (by_person.T @ by_person) @ bread
    k = effects.shape[1]
    return ExcursionEffect(coefficients[-k:], np.sqrt(np.diag(covariance))[-k:], names.size, r.size)


def raise_on_invalid(action: Floats, probability: Floats, reward: Floats) -> None:
    """Refuse what is no randomised trial."""
    if not np.isin(action, (0.0, 1.0)).all():
        raise ValueError("action must be 0 or 1")
    if not ((probability > 0.0) & (probability < 1.0)).all():
        raise ValueError("probability must be above 0 and below 1: leave out decisions that were not randomised")
    if not np.isfinite(reward).all():
        raise ValueError("reward must be a finite number: leave out decisions without one")
