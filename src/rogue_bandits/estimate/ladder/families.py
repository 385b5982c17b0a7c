"""Reward families: which rewards are possible, and the laws that they are made of.

A family is one or two components, each a law of some of the rows. Zero-inflated rewards have two: whether a reward is
above 0, and how large it is if so. Likelihoods of families are compared as probabilities of rewards that are rounded to
a unit, the smallest difference between two of them: point masses and densities are then on one scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.estimate.ladder.laws import Agent, Gamma, Logit, Normal, Poisson, draw_of, has_noise, mean_of
from rogue_bandits.estimate.ladder.noise import explaining, noises_of
from rogue_bandits.estimate.ladder.panel import Panel
from rogue_bandits.types import Bools, Floats
from rogue_bandits.wording import unknown

LARGEST_COUNT = 1e5
FINEST, DIGITS = 1e-6, 6  # unit of rounding, relative to the range; digits of a value that count


class Component(NamedTuple):
    """A law of the rows it applies to; their rewards were shifted and divided by `scale`."""

    law: Any
    rows: Bools
    reward: Floats  # of these rows
    shift: float
    scale: float
    constant: Floats  # added to the log-likelihood of each of these rows: from a density to a probability


class Family(NamedTuple):
    """A reward family; the texts say what rewards are, and on what scale the level is."""

    name: str
    words: str
    scale: str
    accepts: Callable[[Floats, float], Bools]
    components: Callable[[Floats, float], list[Component]]


def unit_of(r: Floats) -> float:
    """Return the smallest difference between two rewards, within reason; of one value, its last decimal place.

    >>> unit_of(np.array([0.0, 0.5, 2.0])), unit_of(np.array([0.5, 0.5]))
    (0.5, 0.1)
    """
    values = np.unique(r)
    if not values.any():
        return 1.0
    if values.size == 1:
        return float(Decimal(1).scaleb(int(Decimal(f"{values[0]:.{DIGITS}g}").normalize().as_tuple().exponent)))
    return float(max(np.diff(values).min(), FINEST * (values[-1] - values[0])))


def _all(r: Floats) -> Bools:
    return np.ones(r.size, dtype=np.bool_)


def _normal(r: Floats, trials: float) -> list[Component]:
    shift, scale = float(r.mean()), float(r.std()) if np.ptp(r) > 0.0 else 1.0
    constant = np.full(r.size, math.log(unit_of(r) / scale))
    return [Component(Normal(), _all(r), (r - shift) / scale, shift, scale, constant)]


def _plain(law: Any) -> Callable[[Floats, float], list[Component]]:
    return lambda r, trials: [Component(law, _all(r), r, 0.0, 1.0, np.zeros(r.size))]


def _binomial(r: Floats, trials: float) -> list[Component]:
    return _plain(Logit(trials))(r, trials)


def _agent(r: Floats, trials: float) -> list[Component]:
    inside = (r > 0.0) & (r < 1.0)
    return [Component(Agent(), _all(r), r, 0.0, 1.0, np.where(inside, math.log(unit_of(r)), 0.0))]


def _zero_inflated(r: Floats, trials: float) -> list[Component]:
    above = r > 0.0
    scale = float(r[above].mean()) if above.any() else 1.0
    size = Component(
        Gamma(), above, r[above] / scale, 0.0, scale, np.full(int(above.sum()), math.log(unit_of(r) / scale))
    )
    if above.all():
        return [size]
    return [Component(Logit(), _all(r), above.astype(np.float64), 0.0, 1.0, np.zeros(r.size)), size]


def _whole(r: Floats, largest: float) -> Bools:
    return (r >= 0.0) & (r <= largest) & (r == np.floor(r))


LOGIT = Family("logit", "0 or 1", "log odds", lambda r, n: (r == 0.0) | (r == 1.0), _plain(Logit()))
BINOMIAL = Family(
    "binomial", "whole numbers from 0 to the number of trials", "log odds", lambda r, n: _whole(r, n or math.inf),
    _binomial,
)  # fmt: skip
POISSON = Family(
    "poisson", "whole numbers from 0 to 100,000", "log means", lambda r, n: _whole(r, LARGEST_COUNT), _plain(Poisson())
)
AGENT = Family("agent", "shares from 0 to 1", "the reward", lambda r, n: (r >= 0.0) & (r <= 1.0), _agent)
GAUSSIAN = Family("gaussian", "any numbers", "the reward", lambda r, n: np.isfinite(r), _normal)
ZERO_INFLATED = Family(
    "zero-inflated", "0, or any number above", "log means of rewards above 0, and log odds of being above 0",
    lambda r, n: r >= 0.0, _zero_inflated,
)  # fmt: skip
FAMILIES = {f.name: f for f in (AGENT, LOGIT, POISSON, GAUSSIAN, ZERO_INFLATED, BINOMIAL)}


def family_of(name: str) -> Family:
    """Return a family by its name; an unknown one is refused with the nearest.

    >>> family_of("logit").words
    '0 or 1'
    """
    if name not in FAMILIES:
        raise ValueError(unknown("family", name, FAMILIES))
    return FAMILIES[name]


def components_of(name: str, panel: Panel, trials: float) -> list[Component]:
    """Return the components of a family for the rewards of a panel, with the noise that is typical of people."""
    return [with_typical_noise(part, panel) for part in family_of(name).components(panel.reward, trials)]


def with_typical_noise(part: Component, panel: Panel) -> Component:
    """Return a component whose law has the noise of the median person whose rewards vary, by least squares.

    It is at least the standard deviation of what rounding takes away. A person alone, whose rewards vary, has no others
    to be compared with: any noise is possible.
    """
    if not has_noise(part.law) or not part.reward.size:
        return part
    person, relative = panel.person[part.rows], isinstance(part.law, Gamma)
    y = np.log(part.reward) if relative else part.reward
    sd = noises_of(y, person, explaining(panel, part.rows), relative)
    if sd.size and person[0] == person[-1]:
        return part
    rounding = math.exp(float(part.constant.min())) / math.sqrt(12.0)
    typical = max(float(np.median(sd)), rounding) if sd.size else rounding
    return part._replace(law=type(part.law)(typical / (math.sqrt(2.0) if isinstance(part.law, Agent) else 1.0)))


def possible(rewards: Floats) -> list[str]:
    """Return the families that rewards may be of, the simplest first: what is chosen from if none is named.

    >>> [possible(np.array(r)) for r in ([0, 1, 1], [0.5, 1, 0.25], [-1, 2])]
    [['logit'], ['agent', 'gaussian', 'zero-inflated'], ['gaussian']]
    >>> possible(np.array([0, 1, 3]))
    ['poisson', 'gaussian', 'zero-inflated']
    """
    if LOGIT.accepts(rewards, 0.0).all():
        return [LOGIT.name]
    return [f.name for f in (AGENT, POISSON, GAUSSIAN, ZERO_INFLATED) if f.accepts(rewards, 0.0).all()]


def level_scale(part: Component) -> tuple[float, float]:
    """Return offset and unit of levels: offset + unit · level does not depend on how rewards were shifted and divided.

    >>> none = np.zeros(0)
    >>> level_scale(Component(Normal(), none > 0.0, none, 5.0, 2.0, none))
    (5.0, 2.0)
    """
    if isinstance(part.law, Normal):
        return part.shift, part.scale
    return (math.log(part.scale), 1.0) if isinstance(part.law, Gamma) else (0.0, 1.0)


def parts_of(family: str, trials: float, scales: list[list[float]]) -> list[Component]:
    """Return the components of a family without data, from the shift and the scale of each: laws to compute with."""
    laws: dict[str, list[Any]] = {
        "logit": [Logit()], "binomial": [Logit(trials)], "poisson": [Poisson()], "gaussian": [Normal()],
        "agent": [Agent()], "zero-inflated": [Logit(), Gamma()][-len(scales) :],
    }  # fmt: skip
    none = np.zeros(0)
    return [
        Component(law, none.astype(np.bool_), none, shift, scale, none)
        for law, (shift, scale) in zip(laws[family], scales, strict=True)
    ]


def at_an_edge(part: Component) -> bool:
    """Return whether rewards are all failures, or all successes: no level is the most likely."""
    if isinstance(part.law, Poisson):
        return not part.reward.any()
    return isinstance(part.law, Logit) and (not part.reward.any() or bool((part.reward == part.law.trials).all()))


def mean_reward(parts: list[Component], eta: list[Floats], s: list[Floats]) -> Floats:
    """Return the mean reward at the predictors of each component."""
    means = [c.shift + c.scale * mean_of(c.law, e, x) for c, e, x in zip(parts, eta, s, strict=True)]
    return means[0] if len(means) == 1 else means[0] * means[1]


def draw_reward(parts: list[Component], eta: list[Floats], s: list[Floats], rng: np.random.Generator) -> Floats:
    """Draw rewards at the predictors of each component."""
    drawn = [c.shift + c.scale * draw_of(c.law, e, x, rng) for c, e, x in zip(parts, eta, s, strict=True)]
    return drawn[0] if len(drawn) == 1 else drawn[0] * drawn[1]
