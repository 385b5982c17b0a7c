"""A prior over the dynamics of a new person from people.json: how people differ, and what the data leave open.

Files of `rogue fit` from version 3 have the distribution of a new person's (fresh, log loss, log half-life). From
older ones it is made of the people's fits, weighted by their rewards: point estimates differ more than people do, so
that this prior is wider than the population.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.checked_json import readable
from rogue_bandits.types import Floats, Vector
from rogue_bandits.unknown_name import unknown

FORMAT, NEWEST = "rogue-bandits/people", 3
NUMBERS = ("fresh", "log_loss", "log_half_life")
SCALE = "the reward"
FEWEST = 3  # fits from which a distribution is made
# Standard deviations that are added: `rogue fit` lets people share loss and half-life unless they clearly differ.
LEAST_SPREAD = (0.05, 0.3, 0.3)
MOST_SIMPLE = 0.5  # probability of the kinds without recovery together: to act on them teaches nothing about others
NEGLIGIBLE = 1e-3  # a probability below is 0
SMALLEST_LOSS, HALF_LIVES = 1e-2, (0.1, 1e3)  # of fits, which may end on a bound
FAMILY = "LaplaceAgent"  # whose states are mean rewards


class PopulationPrior(NamedTuple):
    """Mean and Cholesky factor, row by row, of (fresh, log loss, log half-life), and probabilities of simple kinds."""

    centre: Vector
    factor: Vector
    no_effect: float
    no_recovery: float


def population_prior(people: str | Path, arm: str) -> PopulationPrior:
    """Return the prior of an arm from a file of `rogue fit`."""
    content = _content(Path(people))
    arms = content["cohort"]["arms"]
    if arm not in arms:
        raise ValueError(f"'{people}': {unknown('arm', arm, arms)}")
    where = f"'{people}', arm {arm!r}"
    if "population" in content:
        return _from_block(content["population"].get(arm) or {}, where)
    return _from_fits([fits[arm] for fits in content["fits"].values() if arm in fits], where)


def _content(path: Path) -> dict[str, Any]:
    """Return what a file holds."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ValueError(f"'{path}' cannot be read: {error.strerror}") from None
    content: dict[str, Any] = readable(text, f"people file '{path}'", FORMAT, NEWEST)
    if "cohort" not in content or "fits" not in content:
        raise ValueError(f"'{path}' has no fitted people: `rogue fit` writes them")
    return content


def _from_block(block: dict[str, Any], where: str) -> PopulationPrior:
    """Return the prior that the block "population" of an arm describes."""
    if block.get("scale", SCALE) != SCALE:
        raise ValueError(
            f"{where}: the population is on the scale of {block['scale']}; it must be that of the reward, as of "
            "`rogue fit --family agent`"
        )
    if "mean" not in block:
        raise ValueError(f"{where}: nothing wears out in this population, so that there are no dynamics to learn")
    at = [block["numbers"].index(name) for name in NUMBERS]
    mean, covariance = np.array(block["mean"])[at], np.array(block["covariance"])[np.ix_(at, at)]
    return _prior(mean, covariance, float(block["no_effect"]), float(block["no_recovery"]))


def _from_fits(fits: Sequence[dict[str, Any]], where: str) -> PopulationPrior:
    """Return the prior of a new person from the fits of others, weighted by their rewards."""
    families = {fit.get("rewards", {}).get("family", FAMILY) for fit in fits}
    if families - {FAMILY}:
        raise ValueError(f"{where}: rewards are {', '.join(sorted(families))}; they must be {FAMILY}")
    usable = [fit for fit in fits if float(fit["decay"]) < 1.0 and float(fit["pull"]) < 0.0 and int(fit["n"]) > 0]
    if len(usable) < FEWEST:
        raise ValueError(
            f"{where}: {len(usable)} of {len(fits)} people have fits that wear out and recover; a distribution needs "
            f"{FEWEST} or more"
        )
    x = np.array([_numbers(fit) for fit in usable])
    weight = np.array([float(fit["n"]) for fit in usable])
    weight /= weight.sum()
    mean = weight @ x
    covariance = (x - mean).T @ (weight[:, None] * (x - mean))
    share = 1.0 - len(usable) / len(fits)
    return _prior(mean, covariance * (1.0 + float(weight @ weight)), share, 0.0)  # the mean is uncertain too


def _numbers(fit: dict[str, Any]) -> Vector:
    """Return (fresh, log loss, log half-life) of a fit."""
    decay, lo, hi = (float(fit[name]) for name in ("decay", "lo", "hi"))
    fresh = min(max(float(fit["drift"]) / (1.0 - decay), lo), hi)
    loss = max(-float(fit["pull"]) / (1.0 - decay), SMALLEST_LOSS)
    half_life = -1.0 / math.log2(decay) if decay > 0.0 else HALF_LIVES[0]
    return fresh, math.log(loss), math.log(min(max(half_life, HALF_LIVES[0]), HALF_LIVES[1]))


def _prior(mean: Floats, covariance: Floats, no_effect: float, no_recovery: float) -> PopulationPrior:
    """Return the prior, with spreads and probabilities that leave something to learn."""
    factor = np.linalg.cholesky(covariance + np.diag(np.square(LEAST_SPREAD)))
    simple = [p if p >= NEGLIGIBLE else 0.0 for p in (no_effect, no_recovery)]
    share = min(1.0, MOST_SIMPLE / max(sum(simple), MOST_SIMPLE))
    rows = factor[np.tril_indices(len(NUMBERS))]
    return PopulationPrior(tuple(mean.tolist()), tuple(rows.tolist()), share * simple[0], share * simple[1])
