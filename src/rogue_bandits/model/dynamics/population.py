"""A prior over the dynamics of a new person from people.json: how people differ, and what the data leave open.

Files of `rogue fit` from version 3 have the distribution of a new person's (fresh, log loss, log half-life). From
older ones it is made of the people's fits, weighted by their rewards: point estimates differ more than people do, so
that this prior is wider than the population.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.checked_json import readable
from rogue_bandits.types import Floats, Vector
from rogue_bandits.wording import unknown

# Version 1 had agents only, 2 no ladder, 3 draws of one rung, 4 no floors.
FORMAT, VERSION, OLDEST = "rogue-bandits/people", 5, 3
DRAWS_OVER_RUNGS = 4  # the first version that has them
TOO_OLD = "it was made by an earlier version; run `rogue fit` anew"
NUMBERS = ("fresh", "log_loss", "log_half_life")
FEWEST = 3  # fits from which a distribution is made
# Standard deviations that are added, factors of e and 2: `rogue fit` lets people share loss and half-life unless they
# clearly differ, and its population is then too narrow.
LEAST_SPREAD = (0.05, 1.0, 0.7)
MOST_SIMPLE = 0.5  # probability of the kinds without recovery together: to act on them teaches nothing about others
NEGLIGIBLE = 1e-3  # a probability below is 0
NODES = 40  # of Gauss–Hermite quadrature
SMALLEST_LOSS, HALF_LIVES = 1e-2, (0.1, 1e3)  # of fits, which may end on a bound
QUARTILES = 1.349  # their distance, in standard deviations of a normal distribution
USUAL_HALF_LIFE = 4.0  # decisions, of an arm of which nothing is known
USED = ("cohort", "family", "population", "fits")  # of a file, which is mostly draws
AGENT, FAMILY = "agent", "LaplaceAgent"  # whose states are mean rewards, in the words of the two parts of a file


class PopulationPrior(NamedTuple):
    """Mean and Cholesky factor, row by row, of (fresh, log loss, log half-life), and probabilities of simple kinds."""

    centre: Vector
    factor: Vector
    no_effect: float
    no_recovery: float


def population_prior(
    people: str | Path, arm: str, unit: float = 1.0, least_spread: Vector = LEAST_SPREAD
) -> PopulationPrior:
    """Return the prior of an arm from a file of `rogue fit`, with levels and losses in units of so much.

    `least_spread` is added to the spreads of the population. That of a prior for learning leaves something to learn.
    """
    content = _content(people)
    arms = content["cohort"]["arms"]
    _raise_on_arm(people, arm, arms)
    if "population" in content:
        own = _from_block(content["population"].get(arm) or {}, f"'{people}', arm {arm!r}", unit, least_spread)
        simple = np.mean([_simple_kinds(block) for block in content["population"].values()], axis=0)
    else:
        fits = {name: [one[name] for one in content["fits"].values() if name in one] for name in arms}
        own = _from_fits(fits[arm], f"'{people}', arm {arm!r}", least_spread)
        simple = np.mean([(1.0 - len(_usable(some)) / len(some), 0.0) for some in fits.values() if some], axis=0)
    # A kind is one of a person: arms that differed in its probability could not be of one bandit.
    no_effect, no_recovery = _probabilities(*simple)
    return own._replace(no_effect=no_effect, no_recovery=no_recovery)


def family_of(people: str | Path) -> str:
    """Return the name of the reward family of a file; agents if it does not say."""
    family: str = _content(people).get("family", AGENT)
    return family


def fits_of(people: str | Path, arm: str) -> list[dict[str, Any]]:
    """Return the fits of an arm, person by person, as a file has them."""
    content = _content(people)
    _raise_on_arm(people, arm, content["cohort"]["arms"])
    return [fits[arm] for fits in content["fits"].values() if arm in fits]


def _raise_on_arm(people: str | Path, arm: str, arms: Sequence[str]) -> None:
    if not isinstance(arm, str):
        raise TypeError(f"'{people}', arm {arm!r} must be the name of an arm")
    if arm not in arms:
        raise ValueError(f"'{people}': {unknown('arm', arm, arms)}")


def _simple_kinds(block: dict[str, Any] | None) -> tuple[float, float]:
    """Return the probabilities of no effect and of no recovery of an arm; nothing wears out where it has no block."""
    return (float(block["no_effect"]), float(block["no_recovery"])) if block and "no_effect" in block else (1.0, 0.0)


def _content(people: str | Path) -> dict[str, Any]:
    """Return what a file holds."""
    if not isinstance(people, str | Path):
        raise TypeError(f"people {people!r} must be the path of a people.json of `rogue fit`")
    path = Path(people)
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ValueError(f"'{path}' cannot be read: {error.strerror}") from None
    return _content_of(path, text)


@lru_cache(maxsize=1)
def _content_of(path: Path, text: bytes) -> dict[str, Any]:
    """Return what is used here of a text: several functions ask for it of each arm, one after the other."""
    content: dict[str, Any] = readable(text, f"people file '{path}'", FORMAT, VERSION, OLDEST, TOO_OLD)
    if "cohort" not in content or "fits" not in content:
        raise ValueError(f"'{path}' has no fitted people: `rogue fit` writes them")
    return {name: content[name] for name in USED if name in content}


def _from_block(block: dict[str, Any], where: str, unit: float, least_spread: Vector) -> PopulationPrior:
    """Return the prior that the block "population" of an arm describes."""
    if "mean" not in block:
        raise ValueError(f"{where}: nothing wears out in this population, so that there are no dynamics to learn")
    at = [block["numbers"].index(name) for name in NUMBERS]
    mean, covariance = np.array(block["mean"])[at], np.array(block["covariance"])[np.ix_(at, at)]
    per = np.array([1.0 / unit, 1.0, 1.0])  # the fresh level is a number, the others are logarithms
    return _prior(per * mean - [0.0, math.log(unit), 0.0], per[:, None] * covariance * per, least_spread)


def wears_out(people: str | Path, arm: str) -> bool:
    """Return whether a file has a distribution of the losses of an arm; without any, the fits decide.

    Files have been written without one of an arm that wears out for good. These are refused: a negligible loss, the
    prior of arms that nothing wears out, would be far from the truth.
    """
    content = _content(people)
    _raise_on_arm(people, arm, content["cohort"]["arms"])
    block = content.get("population", {}).get(arm) or {}
    if "mean" not in block and float(block.get("no_recovery", 0.0)) > float(block.get("no_effect", 1.0)):
        raise ValueError(
            f"'{people}', arm {arm!r} wears out for good, and the file has no distribution of what it loses: "
            "`rogue fit` writes it anew"
        )
    return "population" not in content or "mean" in block


def prior_of_means(people: str | Path, arm: str, unit: float) -> PopulationPrior:
    """Return the prior of an arm whose states are mean rewards, in units of so much, from quantiles of these.

    For families with two parts, whose other numbers are on the scales of their parts.
    """
    content = _content(people)
    block, scale = content["population"][arm], unit * float(content["cohort"].get("scale", 1.0))
    reward, shown = block["reward"], block["reward"]["quantiles"]
    fresh = np.interp((0.25, 0.5, 0.75), shown, np.array(reward["fresh"]) / scale)
    loss = fresh[1] - float(np.interp(0.5, shown, reward["worn"])) / scale
    mean = np.array([fresh[1], math.log(max(loss, SMALLEST_LOSS)), block["mean"][block["numbers"].index(NUMBERS[2])]])
    at = [block["numbers"].index(name) for name in NUMBERS[1:]]
    spread = [(fresh[2] - fresh[0]) / QUARTILES, *(block["covariance"][k][k] ** 0.5 for k in at)]
    return _prior(mean, np.diag(np.square(spread)), LEAST_SPREAD)


def still_prior(levels: Floats) -> PopulationPrior:
    """Return the prior of an arm that nothing wears out: levels as people have them, and a loss that is negligible.

    >>> still_prior(np.array([1.0, 3.0])).centre[0]
    2.0
    """
    mean = np.array([float(np.mean(levels)), math.log(SMALLEST_LOSS), math.log(USUAL_HALF_LIFE)])
    return _prior(mean, np.diag([float(np.var(levels)), 0.0, 0.0]), LEAST_SPREAD)


def _from_fits(fits: Sequence[dict[str, Any]], where: str, least_spread: Vector) -> PopulationPrior:
    """Return the prior of a new person from the fits of others, weighted by their rewards."""
    families = {fit.get("rewards", {}).get("family", FAMILY) for fit in fits}
    if families - {FAMILY}:
        raise ValueError(f"{where}: rewards are {', '.join(sorted(families))}; they must be {FAMILY}")
    usable = _usable(fits)
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
    return _prior(mean, covariance * (1.0 + float(weight @ weight)), least_spread)  # the mean is uncertain too


def _usable(fits: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the fits that wear out and recover."""
    return [fit for fit in fits if float(fit["decay"]) < 1.0 and float(fit["pull"]) < 0.0 and int(fit["n"]) > 0]


def _numbers(fit: dict[str, Any]) -> Vector:
    """Return (fresh, log loss, log half-life) of a fit."""
    decay, lo, hi = (float(fit[name]) for name in ("decay", "lo", "hi"))
    fresh = min(max(float(fit["drift"]) / (1.0 - decay), lo), hi)
    loss = max(-float(fit["pull"]) / (1.0 - decay), SMALLEST_LOSS)
    half_life = -1.0 / math.log2(decay) if decay > 0.0 else HALF_LIVES[0]
    return fresh, math.log(loss), math.log(min(max(half_life, HALF_LIVES[0]), HALF_LIVES[1]))


def _prior(mean: Floats, covariance: Floats, least_spread: Vector) -> PopulationPrior:
    """Return the prior of an arm that recovers."""
    factor = np.linalg.cholesky(covariance + np.diag(np.square(least_spread)))
    return PopulationPrior(tuple(mean.tolist()), tuple(factor[np.tril_indices(len(NUMBERS))].tolist()), 0.0, 0.0)


def weighted_by_stake(prior: PopulationPrior) -> PopulationPrior:
    """Return the prior for acting: mean and covariance of the population, each person weighted by what is at stake.

    That is what steady play takes away, fresh level less worn-out level, both within the states from 0 to 1. For whom
    messages hardly wear out, no policy gains much, and none loses much by a prior that has few like them.

    The fresh level and log loss are centre + factor · (a, b) with a and b standard normal: moments of (a, b) under the
    weights, by quadrature, are carried over.
    """
    node, weight = np.polynomial.hermite_e.hermegauss(NODES)
    a, b = np.meshgrid(node, node, indexing="ij")
    factor = np.zeros((len(NUMBERS), len(NUMBERS)))
    factor[np.tril_indices(len(NUMBERS))] = prior.factor
    fresh = np.clip(prior.centre[0] + factor[0, 0] * a, 0.0, None)
    loss = np.exp(prior.centre[1] + factor[1, 0] * a + factor[1, 1] * b)
    mass = np.outer(weight, weight) * (np.minimum(fresh, 1.0) - np.clip(fresh - loss, 0.0, 1.0))
    mass /= mass.sum()
    mean = np.array([(mass * a).sum(), (mass * b).sum(), 0.0])
    second = np.diag([(mass * a * a).sum(), (mass * b * b).sum(), 1.0])
    second[0, 1] = second[1, 0] = (mass * a * b).sum()
    weighted = np.linalg.cholesky(factor @ (second - np.outer(mean, mean)) @ factor.T)
    centre = tuple((np.array(prior.centre) + factor @ mean).tolist())
    return prior._replace(centre=centre, factor=tuple(weighted[np.tril_indices(len(NUMBERS))].tolist()))


def _probabilities(no_effect: float, no_recovery: float) -> tuple[float, float]:
    """Return the probabilities of the kinds without recovery, limited so that something is left to learn."""
    simple = [float(p) if p >= NEGLIGIBLE else 0.0 for p in (no_effect, no_recovery)]
    share = min(1.0, MOST_SIMPLE / max(sum(simple), MOST_SIMPLE))
    return share * simple[0], share * simple[1]
