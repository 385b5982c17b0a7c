"""The growth of regret with the horizon, doubling by doubling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.types import Floats
from verification.estimates import LEVEL, Interval, bootstrap
from verification.finding import Finding

DOUBLINGS = 6
NEARLY_LINEAR = 0.9
NOTHING = 1e-3  # regret: less than this counts as this much
CORRECTED = "tuned-rogue-ucb-corrected"


class Scenario(NamedTuple):
    """An experiment: its name, a description, the longest horizons, and its tracking regret."""

    name: str
    about: str
    horizon: int
    horizon_of_others: int
    regret: Callable[[Any, int, int, int], Floats]  # policy, horizon, people, seed: [people, decisions]


def growth(
    scenario: Scenario, learn: dict[str, Any], others: dict[str, Any], people: int, people_of_others: int, seed: int
) -> Finding:
    """Estimate the exponent of each doubling of the horizon: near 0 while regret is logarithmic, 1 while linear."""
    rows, last = [], {}
    for row, policy in {**learn, **others}.items():
        horizon = scenario.horizon if row in learn else scenario.horizon_of_others
        ends = horizon // 2 ** np.arange(DOUBLINGS + 1)[::-1]
        regret = scenario.regret(policy, horizon, people if row in learn else people_of_others, seed)[:, ends - 1]
        local = local_exponents(regret, seed)
        last[row] = local[-1]
        values = " → ".join(f"{r:,.1f}" for r in regret.mean(axis=0))
        rows.append((row, f"{ends[0]:,} to {ends[-1]:,}", values, *(str(exponent) for exponent in local[-3:])))
    slower = [row for row in learn if last[row].hi < NEARLY_LINEAR]
    linear = [row for row in others if last[row].lo > NEARLY_LINEAR]
    return Finding(
        f"Growth of regret: {scenario.name}",
        "The exponent of a doubling is log₂(R(2T)/R(T)): 1 where regret is linear, ½ where it grows as a root, 0 where "
        "it has stopped growing, and about 1/log T where it grows as log T. One power law for all T would "
        f"hide that the exponent changes with T. {scenario.about}, {people:,} people "
        f"({people_of_others:,} for the other policies); "
        f"{LEVEL:.0%} bootstrap intervals over people, which are too narrow where few people have most of the regret. "
        f"Criterion: the last interval of {CORRECTED} ends below {NEARLY_LINEAR}, and those of all other policies "
        "begin above it. A policy that learns nothing is not in this table: see “radii that exclude nothing”.",
        ("policy", "decisions", "tracking regret, by doubling", "third last exponent", "second last", "last"),
        rows,
        f"At the last doubling slower than T: {', '.join(slower) or 'none'}. Linear, of the others: {len(linear)} of "
        f"{len(others)}.",
        CORRECTED in slower and len(linear) == len(others),
    )


def local_exponents(regret: Floats, seed: int) -> list[Interval]:
    """Return log₂(R(2T)/R(T)) of each doubling, with intervals over people."""

    def exponent(people: Floats) -> float:
        at = np.maximum(people.mean(axis=0), NOTHING)
        return float(np.log2(at[1] / at[0]))

    return [bootstrap(regret[:, i : i + 2], exponent, seed) for i in range(regret.shape[1] - 1)]
