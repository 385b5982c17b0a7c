"""What a fit says in plain terms: what a sending costs, how long it takes to make up for it, what is there to gain."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from rogue_bandits.cohort.fitted import ArmFit
from rogue_bandits.model.dynamics import ClippedAffine, clip
from rogue_bandits.model.laplace_agent import LaplaceAgent
from rogue_bandits.types import mean, next_state

LONGEST = 10_000  # decisions after which what has not recovered is said never to


class Terms(NamedTuple):
    """An arm of a person in plain terms; rewards are on the user's own scale.

    `recovery` is in decisions: infinite where half never comes back, nan where a sending costs nothing.
    """

    fresh: float
    worn: float
    cost: float
    recovery: float


def terms_of(fit: ArmFit, scale: float = 1.0) -> Terms:
    """The plain terms of a fit.

    >>> d = ClippedAffine(decay=0.5, pull=-0.4, drift=0.5)
    >>> fit = ArmFit(d, theta=0.01, x0=1.0, loglik=0.0, n=9, intervals={}, gap=None, enough=True)
    >>> terms = terms_of(fit, scale=1000.0)
    >>> [round(term) for term in terms]  # when fresh, worn out; one sending costs; half of it is back after
    [995, 200, 395, 1]
    """
    rested = level(fit.dynamics, 0.0, fit.x0)
    fresh, worn = reward_at(fit, rested), reward_at(fit, level(fit.dynamics, 1.0, fit.x0))
    after = next_state(fit.dynamics, rested, 1.0)
    cost = fresh - reward_at(fit, after)
    return Terms(fresh * scale, worn * scale, cost * scale, recovery(fit, after, fresh - 0.5 * cost, cost))


def level(d: ClippedAffine, played: float, x0: float) -> float:
    """Where the state goes when the arm always rests (played = 0), or is always played (1).

    >>> round(level(ClippedAffine(decay=0.5, pull=-0.4, drift=0.5), 1.0, x0=0.9), 9)
    0.2
    """
    # A step that moves nothing leaves the state at x0; any other that never slows down ends at a bound.
    push = d.pull * played + d.drift
    if d.decay >= 1.0:
        return x0 if push == 0.0 else d.hi if push > 0.0 else d.lo
    return clip(push / (1.0 - d.decay), d.lo, d.hi)


def reward_at(fit: ArmFit, x: float) -> float:
    """The mean reward in a state, from 0 to 1."""
    return mean(LaplaceAgent(), fit.theta, x)


def recovery(fit: ArmFit, after: float, half: float, cost: float) -> float:
    """The decisions of rest until the mean reward is back at `half`."""
    if cost <= 0.0:
        return math.nan
    # Rounding in the last place must not turn "half" into "never".
    enough = half - 1e-12
    states = islice(path(fit.dynamics, after, 0.0), LONGEST + 1)
    return next((float(n) for n, x in enumerate(states) if reward_at(fit, x) >= enough), math.inf)


def path(d: ClippedAffine, x: float, played: float) -> Iterator[float]:
    """The states from x on, always played or always at rest, without end."""
    while True:
        yield x
        x = next_state(d, x, played)


def states(fit: ArmFit, played: list[float]) -> list[float]:
    """The fitted state at each decision, and at the one to come.

    >>> d = ClippedAffine(decay=0.5, pull=-0.5, drift=0.5)
    >>> states(ArmFit(d, 0.01, 1.0, 0.0, 9, {}, None, True), [1.0, 0.0])
    [1.0, 0.5, 0.75]
    """
    x = [fit.x0]
    for p in played:
        x.append(next_state(fit.dynamics, x[-1], p))
    return x


def surely_wears_out(fit: ArmFit) -> bool | None:
    """Do the data rule out that playing the arm costs nothing? None where there is no interval to tell by."""
    return fit.intervals["pull"].hi < -1e-9 if "pull" in fit.intervals else None
