"""The gain of the best ROGUE policy over the others, paired by person, with an interval over people."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache

import numpy as np

from rogue_bandits.experiments.results import Gain, Gained, PolicyResult
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.types import Floats

CONFIDENCE = 0.95


def gained(policies: Mapping[str, PolicyResult]) -> Gained | None:
    """Return the gains of the best ROGUE policy over the others; None without both kinds, or for a single person."""
    average = {row: np.array(result.expected) for row, result in policies.items()}
    ranked = sorted(average, key=lambda row: -average[row].mean())
    rogue, others = ([row for row in ranked if POLICIES[row].is_rogue is wanted] for wanted in (True, False))
    if not rogue or not others or average[rogue[0]].size < 2:
        return None
    return Gained(rogue[0], {row: gain(average[rogue[0]] - average[row]) for row in others})


def gain(differences: Floats) -> Gain:
    """Return the mean over people, its standard error and Student's 95 % interval; for one person that has no width.

    >>> gain(np.array([1.0, 2.0, 3.0]))
    Gain(mean=2.0, stderr=0.577..., lo=-0.484..., hi=4.484...)
    """
    n, middle = differences.size, float(differences.mean())
    if n == 1:
        return Gain(middle, 0.0, middle, middle)
    stderr = float(differences.std(ddof=1)) / math.sqrt(n)
    half = two_sided_95(n - 1) * stderr
    return Gain(middle, stderr, middle - half, middle + half)


@cache
def two_sided_95(freedom: int) -> float:
    """Return the q for which Student's t is between −q and q with probability 95 %.

    With t = √freedom·tan φ its density is proportional to cos^(freedom−1) φ.

    >>> round(two_sided_95(1), 3), round(two_sided_95(29), 3)
    (12.706, 2.045)
    """
    phi = np.linspace(0.0, 0.5 * math.pi, 100_001)
    density = np.cos(phi) ** (freedom - 1)
    within = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]))])
    return math.sqrt(freedom) * math.tan(float(np.interp(CONFIDENCE, within / within[-1], phi)))
