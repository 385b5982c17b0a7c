"""How does regret grow with the horizon?"""

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


class Crowd(NamedTuple):
    """An experiment: its name, who lives in it, for how long, and their tracking regret by policy, number and seed."""

    name: str
    about: str
    horizon: int
    regret: Callable[[Any, int, int, int], Floats]  # policy, horizon, people, seed: [people, decisions]


def growth(
    crowd: Crowd, learn: dict[str, Any], others: dict[str, Any], people: int, people_of_others: int, seed: int
) -> Finding:
    """The exponent of what each doubling of the horizon adds: 0 where regret is logarithmic, 1 where it is linear."""
    ends = crowd.horizon // 2 ** np.arange(DOUBLINGS)[::-1]
    rows, exponents = [], {}
    for row, policy in {**learn, **others}.items():
        regret = crowd.regret(policy, crowd.horizon, people if row in learn else people_of_others, seed)[:, ends - 1]
        exponents[row] = exponent_of(regret, ends, seed)
        rows.append((row, *(f"{r:,.1f}" for r in regret.mean(axis=0)), str(exponents[row]), in_words(exponents[row])))
    slower = [row for row in learn if exponents[row].hi < NEARLY_LINEAR]
    linear = [row for row in others if exponents[row].lo > NEARLY_LINEAR]
    return Finding(
        f"Growth of regret: {crowd.name}",
        "If regret grows as log T each doubling of T adds the same, if it grows linearly twice as much as the last. "
        "The exponent is the slope of what a doubling adds, on log axes: 0 for the one, 1 for the other. What is "
        "proved is log T for Algorithm 1 and for ε-ROGUE with a large c; nothing for the tuned radius or ε_t = 1/t. "
        f"{crowd.about}, {people:,} people ({people_of_others:,} for the other policies); {LEVEL:.0%} intervals over "
        f"people. Asked for: the interval of {CORRECTED} ends below {NEARLY_LINEAR}, and those of all of the other "
        "policies begin above it. Whether growth can be told from log T, where the interval holds 0, is said of each.",
        ("policy", *(f"T = {t:,}" for t in ends), "exponent", "grows"),
        rows,
        f"Slower than T: {', '.join(slower) or 'none'}. Not told from log T, at these horizons: "
        f"{', '.join(row for row in slower if exponents[row].holds(0.0)) or 'none'}. Linear, of the others: "
        f"{len(linear)} of {len(others)}.",
        CORRECTED in slower and len(linear) == len(others),
    )


def in_words(exponent: Interval) -> str:
    """What an exponent means."""
    if exponent.hi < NEARLY_LINEAR:
        return "not told from log T" if exponent.holds(0.0) else "slower than T"
    return "as T" if exponent.lo > NEARLY_LINEAR else "perhaps as T"


def exponent_of(regret: Floats, ends: Any, seed: int) -> Interval:
    """The slope of log(R(2t) − R(t)) by log t. What a doubling adds is held above a thousandth, to have a logarithm."""
    log_t = np.log(ends[:-1].astype(np.float64))

    def exponent(people: Floats) -> float:
        added = np.diff(people.mean(axis=0))
        # Rounded, so that what does not grow at all has the exponent 0.
        return round(slope(log_t, np.log(np.maximum(added, 1e-3))), 9)

    return bootstrap(regret, exponent, seed)
