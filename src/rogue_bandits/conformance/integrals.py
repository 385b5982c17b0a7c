"""The distribution of the reward by `loglik` alone: Gauss-Legendre nodes on short pieces, counts, point masses."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import remembered
from rogue_bandits.model.probe import BrokenLawError, evaluate, has_law, overrides_law
from rogue_bandits.model.protocols import Model
from rogue_bandits.model.rewards.expectations import effective_support, kinks
from rogue_bandits.types import Floats, draw, loglik, mean, point_masses, support

NODES, WEIGHTS = np.polynomial.legendre.leggauss(10)
AWAY = np.concatenate([[0.0], 2.0 ** np.arange(-2.0, 7.0)])  # in spreads, from the middle
TOWARDS = 0.5 ** np.arange(1.0, 15.0)  # of the range, from a finite end
MOST_COUNTS = 100_000


class Distribution(NamedTuple):
    """Rewards in order with their probabilities; and the distribution function `at_most` at some `ends`."""

    rewards: Floats
    log_density: Floats
    probability: Floats
    ends: Floats
    at_most: Floats


# Several checks need the same. Typed: NamedTuples of two families with the same numbers are equal.
@remembered(256, typed=True)
def distribution(f: Model, theta: float, x: float, others: tuple[float, ...] = ()) -> Distribution:
    """Return the distribution at (theta, x); `others` are further kinks of what is to be integrated."""
    lo, hi, whole = support(f)
    if whole:
        return _counted(f, theta, x, lo, hi)
    ends = _breaks(f, theta, x, lo, hi, others)
    pairs = [(0.5 * (a + b), 0.5 * (b - a)) for a, b in pairwise(ends)]
    rewards = np.concatenate([middle + half * NODES for middle, half in pairs])
    weights = np.concatenate([half * WEIGHTS for _, half in pairs])
    log_density = np.array([evaluate(loglik, f, theta, x, float(r)) for r in rewards])
    probability = weights * np.exp(log_density)
    at_most = np.concatenate([[0.0], np.cumsum(probability.reshape(len(pairs), -1).sum(axis=1))])
    if not point_masses(f):
        return Distribution(rewards, log_density, probability, ends, at_most)
    masses = [math.exp(evaluate(loglik, f, theta, x, end)) for end in (lo, hi)]
    at_most += masses[0]
    at_most[-1] += masses[1]
    return Distribution(
        np.concatenate([[lo], rewards, [hi]]),
        np.concatenate([[math.nan], log_density, [math.nan]]),
        np.concatenate([masses[:1], probability, masses[1:]]),
        ends,
        at_most,
    )


def adds_up(c: Distribution) -> bool:
    """Return whether the probabilities sum to 1; otherwise nothing can be compared with them."""
    return abs(float(c.probability.sum()) - 1.0) <= 1e-6


def _breaks(f: Model, theta: float, x: float, lo: float, hi: float, others: tuple[float, ...]) -> Floats:
    """Return the ends of the pieces: around the median in steps of the spread, graded towards finite ends."""
    named = kinks_of(f, theta, x)
    middle, low, high = (evaluate(draw, f, theta, x, u) for u in (0.5, 0.1, 0.9))
    spread = high - low if high > low else (hi - lo) / 10.0 if math.isfinite(hi - lo) else 1.0
    places = [*(middle + spread * AWAY), *(middle - spread * AWAY), *named, *others]
    if math.isfinite(lo) and math.isfinite(hi):
        places += [lo, hi, *(lo + (hi - lo) * TOWARDS), *(hi - (hi - lo) * TOWARDS)]
    elif math.isfinite(lo) or math.isfinite(hi):
        end = lo if math.isfinite(lo) else hi
        places += [end, *(end + math.copysign(spread, middle - end) * TOWARDS)]
    return np.unique(np.clip(places, lo, hi))


def kinks_of(f: Model, theta: float, x: float) -> tuple[float, ...]:
    """Return the rewards at which the density may have a kink, as the family gives them; else the median."""
    if overrides_law(kinks, f):
        named = evaluate(kinks, f, theta, x)
        if not isinstance(named, tuple):
            raise BrokenLawError("kinks", f"kinks({theta:g}, {x:g}) is {named!r}, and must be a tuple of rewards")
        return named
    if overrides_law(effective_support, f):
        return (evaluate(effective_support, f, theta, x)[1],)
    middle = kinks(f, theta, x)[0] if has_law(kinks, f) else math.nan
    return (
        middle if math.isfinite(middle) else evaluate(draw, f, theta, x, 0.5),
    )  # a support without ends has no middle


def _counted(f: Model, theta: float, x: float, lo: float, hi: float) -> Distribution:
    """Sum whole numbers from the mean down and up until nothing is left."""
    first = min(max(round(evaluate(mean, f, theta, x)), lo), hi)
    found = {first: evaluate(loglik, f, theta, x, float(first))}
    for step in (-1.0, 1.0):
        r = first + step
        while lo <= r <= hi and len(found) < MOST_COUNTS:
            found[r] = evaluate(loglik, f, theta, x, float(r))
            if found[r] < -42.0 and found[r] < found[r - step]:
                break
            r += step
    rewards = np.array(sorted(found), dtype=np.float64)
    log_density = np.array([found[r] for r in sorted(found)])
    probability = np.exp(log_density)
    return Distribution(rewards, log_density, probability, rewards, np.cumsum(probability))
