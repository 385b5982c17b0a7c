"""The growth of regret with the horizon, doubling by doubling."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.types import Floats, Ints
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
    """Estimate the exponent of each doubling of the horizon: 0 while regret is logarithmic, 1 while it is linear."""
    rows, last = [], {}
    for row, policy in {**learn, **others}.items():
        horizon = scenario.horizon if row in learn else scenario.horizon_of_others
        ends = horizon // 2 ** np.arange(DOUBLINGS + 1)[::-1]
        regret = scenario.regret(policy, horizon, people if row in learn else people_of_others, seed)[:, ends - 1]
        local = local_exponents(regret, ends, seed)
        last[row] = local[-1]
        values = " → ".join(f"{r:,.1f}" for r in regret.mean(axis=0))
        rows.append((row, f"{ends[0]:,} to {ends[-1]:,}", values, *(str(exponent) for exponent in local[-3:])))
    slower = [row for row in learn if last[row].hi < NEARLY_LINEAR]
    linear = [row for row in others if last[row].lo > NEARLY_LINEAR]
    return Finding(
        f"Growth of regret: {scenario.name}",
        "If regret grows as log T, each doubling of T adds the same amount; if it grows linearly, twice as much as the "
        "last. The exponent of a doubling is log₂ of what it adds over what the doubling before added: 0 in the first "
        "case, 1 in the second, below 0 where regret levels off. One power law for all T would hide that the exponent "
        f"changes with T. {scenario.about}, {people:,} people ({people_of_others:,} for the other policies); "
        f"{LEVEL:.0%} bootstrap intervals over people, which are too narrow where few people have most of the regret. "
        f"Criterion: the last interval of {CORRECTED} ends below {NEARLY_LINEAR}, and those of all other policies "
        "begin above it. A policy that learns nothing is not in this table: see “radii that exclude nothing”.",
        ("policy", "decisions", "tracking regret, by doubling", "third last exponent", "second last", "last"),
        rows,
        f"At the last doubling slower than T: {', '.join(slower) or 'none'}. Linear, of the others: {len(linear)} of "
        f"{len(others)}.",
        CORRECTED in slower and len(linear) == len(others),
    )


def local_exponents(regret: Floats, ends: Ints, seed: int) -> list[Interval]:
    """Return log₂ of what each doubling adds over what the one before added, with intervals over people."""

    def exponent(people: Floats) -> float:
        added = np.maximum(np.diff(people.mean(axis=0)), NOTHING)
        return round(float(np.log2(added[1] / added[0])), 9)  # rounded, so that a constant regret has the exponent 0

    return [bootstrap(regret[:, i : i + 3], exponent, seed) for i in range(len(ends) - 2)]
