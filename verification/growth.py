"""How does regret grow with the horizon?"""

from __future__ import annotations

from typing import Any

import numpy as np

import rogue_bandits as rb
from rogue_bandits.types import Floats
from verification.estimates import Interval, bootstrap, slope
from verification.finding import Finding

DOUBLINGS = 6
NEARLY_LINEAR = 0.9
CORRECTED = "tuned-rogue-ucb-corrected"


def growth(
    name: str, truth: rb.Truth, learn: dict[str, Any], others: dict[str, Any], horizon: int, people: int, seed: int
) -> Finding:
    """The exponent of what each doubling of the horizon adds: 0 where regret is logarithmic, 1 where it is linear."""
    ends = horizon // 2 ** np.arange(DOUBLINGS)[::-1]
    rows, exponents = [], {}
    for row, policy in {**learn, **others}.items():
        crowd = people if row in learn else max(8, people // 10)  # linear regret needs no crowd to show
        regret = rb.simulate(truth, policy, horizon, crowd, seed, workers=-1).tracking_regret()[:, ends - 1]
        exponents[row] = exponent_of(regret, ends, seed)
        rows.append((row, *(f"{r:,.1f}" for r in regret.mean(axis=0)), str(exponents[row]), in_words(exponents[row])))
    slower = [row for row in learn if exponents[row].hi < NEARLY_LINEAR]
    linear = [row for row in others if exponents[row].lo > NEARLY_LINEAR]
    return Finding(
        f"Growth of regret: {name}",
        "If regret grows as log T each doubling of T adds the same, if it grows linearly twice as much as the last. "
        "The exponent is the slope of what a doubling adds, on log axes: 0 for the one, 1 for the other. What is "
        "proved is log T for Algorithm 1 and for ε-ROGUE with a large c; nothing for the tuned radius or ε_t = 1/t. "
        f"{people:,} people (a tenth of them for the other policies); 99 % intervals.",
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
        return slope(log_t, np.log(np.maximum(added, 1e-3)))

    return bootstrap(regret, exponent, seed)
