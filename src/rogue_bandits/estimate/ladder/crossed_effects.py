"""Levels of the arms of a person, estimated together: crossed effects of people and arms.

Fitted one by one, arms that are all alike seem to differ, as the error of each level is its own. Here the level of
person i on arm k is μ_k + u_i + e_ik: people differ, arms differ, and arms may differ in another way for each person.
Silence, what follows a rest, is one more arm with variances of its own. The variance of the means μ_k is 0 with
probability 0.2 before the data: that arms are alike on average is what the data have to speak against.

The mean slope of each arm is estimated with the levels, as the data say best what both make together. Given the
variances everything is normal. These are few numbers, and are drawn from a grid.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.ladder.crossed_levels import Equations, Levels, common_to, equations_of
from rogue_bandits.estimate.ladder.crossed_spreads import MOST_NUMBERS, Spreads, posterior_of_spreads
from rogue_bandits.types import Floats, Ints


class Drawn(NamedTuple):
    """Levels [draws, people, arms], and mean slopes [draws, arms]."""

    level: Floats
    slope: Floats


def draw_levels(levels: Levels, rng: np.random.Generator, noise: Floats | None = None) -> Drawn:
    """Draw the levels of all arms together, one for each draw of what people share.

    `noise` has standard normal numbers [draws, people, arms] for what is left of the level of each arm, as of draws
    from a likelihood that is not normal.

    >>> rng = np.random.default_rng(1)
    >>> value = np.broadcast_to([[1.0, 1.1], [3.0, 2.9]], (500, 2, 2))
    >>> tilt, present, each = np.zeros((500, 2, 2)), np.ones((500, 2)), np.ones(2)
    >>> levels = Levels(value, tilt + 25.0, tilt, present, 0.0 * present, 1.0, False, np.arange(2), each)
    >>> drawn = draw_levels(levels, rng)
    >>> float(drawn.level.std(0).mean().round(2))  # 0.2 is that of each arm by itself
    0.17
    """
    seen = levels.precision > 0.0
    centre = float(np.average(levels.value[seen], weights=levels.precision[seen]))
    levels = levels._replace(value=np.where(seen, levels.value - centre, 0.0))
    spreads = posterior_of_spreads(levels)
    draws, people, arms = levels.value.shape
    cells = rng.choice(np.arange(spreads.weight.size), size=(draws,), p=spreads.weight)
    found, slope = np.empty(levels.value.shape), np.empty((draws, arms))
    for some in np.array_split(np.arange(draws), 1 + draws * people * arms // MOST_NUMBERS):
        rest = rng.standard_normal((some.size, people, arms)) if noise is None else noise[some]
        found[some], slope[some] = _drawn(levels.some(some), spreads, cells[some], rest, rng)
    return Drawn(centre + found, slope)


def _drawn(levels: Levels, spreads: Spreads, cells: Ints, rest: Floats, rng: np.random.Generator) -> Drawn:
    """Draw means of arms, then people, then arms of people, for one cell of the variances each draw."""
    between, own = spreads.people[cells][:, None], spreads.own[cells][:, None]
    equations = equations_of(levels, between, own)
    mu, slope = _drawn_means(equations, spreads.means[cells], spreads.slopes[cells], levels.group, rng)
    value, precision = levels.value - levels.tilt * slope[:, None], levels.precision
    weight, shrunk = equations.weight, equations.shrunk
    u = shrunk * (weight * (value - mu[:, None])).sum(2) + np.sqrt(shrunk) * rng.standard_normal(shrunk.shape)
    centre = mu[:, None] + u[..., None]
    kept = own * precision / (1.0 + own * precision)
    level = centre + kept * (value - centre) + np.sqrt(own / (1.0 + own * precision)) * rest
    return Drawn(np.asarray(level), slope)


def _drawn_means(
    equations: Equations, means: Floats, slopes: Floats, group: Ints, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw means and slopes of arms: a common one with a flat prior, and what arms differ in."""
    draws, arms = means.shape
    common = common_to(group)
    B = np.zeros((draws, 2 * arms, common.shape[1] + 2 * arms))
    B[:, :, : common.shape[1]] = common
    B[:, :, common.shape[1] :] = np.sqrt(np.concatenate([means, slopes], axis=1))[:, :, None] * np.eye(2 * arms)
    prior = np.diag([*np.zeros(common.shape[1]), *np.ones(2 * arms)])
    precision = np.swapaxes(B, 1, 2) @ equations.P @ B + prior
    mean = np.linalg.solve(precision, np.einsum("dka,dk->da", B, equations.h)[..., None])[..., 0]
    root = np.linalg.cholesky(precision)
    z = rng.standard_normal((*mean.shape, 1))
    found = np.einsum("dka,da->dk", B, mean + np.linalg.solve(np.swapaxes(root, 1, 2), z)[..., 0])
    return found[:, :arms], found[:, arms:]
