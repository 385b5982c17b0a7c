"""What an estimation family must provide.

The unknowns of an arm are three numbers p of its dynamics, its first state x0 and theta. The outer search minimises
over p; given p, `profile_fit` minimises over (theta, x0) exactly. A new family gives the two laws below for the type
of its rewards and adds a `Family` to the table in `families/__init__.py`. Exponential families only need the entry.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.compile.laws import law
from rogue_bandits.estimate.history import Record
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.types import Bools, Floats, next_state


class Limits(NamedTuple):
    """Ranges of theta and x0; a range of length 0 fixes the number. `theta` is where a search starts."""

    theta_lo: float
    theta_hi: float
    x0_lo: float
    x0_hi: float
    theta: float


class Model(NamedTuple):
    """A reward family and the ranges of the unknowns.

    p[j] lies between `slow[j]` and `fast[j]`; starts are denser towards `slow`, by `power`, where small changes of p
    add up over many decisions.
    """

    rewards: Any
    limits: Limits
    slow: Floats
    fast: Floats
    power: Floats


class Family(NamedTuple):
    """An entry of the table of families.

    `accepts` says which rewards are possible and `model` makes the model for observed rewards, both given the number of
    trials; `unknowns` names p; `certified` says whether a fit can be certified. The texts are for readers of a report:
    what rewards are (`words`), what the fitted curve of a person is (`line`), what p and theta are (`numbers`), what
    the model cannot do (`limits`).
    """

    name: str
    words: str
    accepts: Callable[[Floats, float], Bools]
    model: Callable[[Floats, float], Model]
    unknowns: tuple[str, str, str]
    line: str
    numbers: str
    limits: str
    certified: bool = False


@law
def dynamics_at(f: Any, p: Floats) -> ClippedAffine:
    """The dynamics of the unknowns p."""


@law
def profile_fit(
    f: Any, d: ClippedAffine, limits: Limits, played: Floats, rewards: Floats, room: Floats
) -> tuple[float, float, float]:
    """Theta, x0 and the negative log-likelihood (up to a constant) of a record, given the dynamics.

    `room` has a row of 5 for each decision.
    """


@singledispatch
def with_noise(f: Any, residuals: Floats) -> Any:
    """Return the family with its noise estimated from rewards minus means; most families have no such number."""
    return f


@singledispatch
def curve_at(f: Any, theta: float, x: float) -> float:
    """Return the height of the fitted curve of a person at a state: the mean reward, unless a family says otherwise."""
    from rogue_bandits.types import mean

    return mean(f, theta, x)


def trajectory(d: ClippedAffine, x0: float, played: Floats) -> Floats:
    """Return the state at each decision and at the one to come.

    >>> trajectory(ClippedAffine(decay=0.5, pull=-0.5, drift=0.5), 1.0, np.array([1.0, 0.0])).tolist()
    [1.0, 0.5, 0.75]
    """
    x = np.empty(played.size + 1)
    x[0] = x0
    for t, played_t in enumerate(played.tolist()):
        x[t + 1] = next_state(d, x[t], played_t)
    return x


def seen_states(d: ClippedAffine, x0: float, record: Record) -> Floats:
    """Return the states in which a reward was seen."""
    return trajectory(d, x0, record.played)[:-1][~np.isnan(record.rewards)]
