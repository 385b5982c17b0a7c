"""The growth of regret with the horizon."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.types import Floats
from verification.estimates import LEVEL, Interval, bootstrap, slope
from verification.finding import Finding

DOUBLINGS = 6
NEARLY_LINEAR = 0.9
CORRECTED = "tuned-rogue-ucb-corrected"


class Scenario(NamedTuple):
    """An experiment: its name, a description, the longest horizon, and its tracking regret."""

    name: str
    about: str
    horizon: int
    regret: Callable[[Any, int, int, int], Floats]  # policy, horizon, people, seed: [people, decisions]


def growth(
    scenario: Scenario, learn: dict[str, Any], others: dict[str, Any], people: int, people_of_others: int, seed: int
) -> Finding:
    """Estimate the exponent of the regret added by a doubling of the horizon: 0 if logarithmic, 1 if linear."""
    ends = scenario.horizon // 2 ** np.arange(DOUBLINGS)[::-1]
    rows, exponents = [], {}
    for row, policy in {**learn, **others}.items():
        regret = scenario.regret(policy, scenario.horizon, people if row in learn else people_of_others, seed)[
            :, ends - 1
        ]
        exponents[row] = exponent_of(regret, ends, seed)
        rows.append((row, *(f"{r:,.1f}" for r in regret.mean(axis=0)), str(exponents[row]), in_words(exponents[row])))
    slower = [row for row in learn if exponents[row].hi < NEARLY_LINEAR]
    linear = [row for row in others if exponents[row].lo > NEARLY_LINEAR]
    return Finding(
        f"Growth of regret: {scenario.name}",
        "If regret grows as log T, each doubling of T adds the same amount; if it grows linearly, twice as much as the "
        "last. The exponent is the slope on log axes of the amount added: 0 in the first case, 1 in the second. Regret "
        "of log T is proved for Algorithm 1 and for ε-ROGUE with a large c; nothing for the tuned radius or ε_t = 1/t. "
        f"{scenario.about}, {people:,} people ({people_of_others:,} for the other policies); {LEVEL:.0%} intervals "
        f"over people. Criterion: the interval of {CORRECTED} ends below {NEARLY_LINEAR}, and those of all other "
        "policies begin above it. An interval that contains 0 is consistent with log T.",
        ("policy", *(f"T = {t:,}" for t in ends), "exponent", "grows"),
        rows,
        f"Slower than T: {', '.join(slower) or 'none'}. Consistent with log T at these horizons: "
        f"{', '.join(row for row in slower if exponents[row].contains(0.0)) or 'none'}. Linear, of the others: "
        f"{len(linear)} of {len(others)}.",
        CORRECTED in slower and len(linear) == len(others),
    )


def in_words(exponent: Interval) -> str:
    """Return the meaning of an exponent."""
    if exponent.hi < NEARLY_LINEAR:
        return "consistent with log T" if exponent.contains(0.0) else "slower than T"
    return "as T" if exponent.lo > NEARLY_LINEAR else "perhaps as T"


def exponent_of(regret: Floats, ends: Any, seed: int) -> Interval:
    """Return the slope of log(R(2t) − R(t)) by log t; differences below a thousandth count as a thousandth."""
    log_t = np.log(ends[:-1].astype(np.float64))

    def exponent(people: Floats) -> float:
        added = np.diff(people.mean(axis=0))
        # Rounded, so that a constant regret has the exponent 0.
        return round(slope(log_t, np.log(np.maximum(added, 1e-3))), 9)

    return bootstrap(regret, exponent, seed)
