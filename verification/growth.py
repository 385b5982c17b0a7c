"""How does regret grow with the horizon?"""

from __future__ import annotations

from typing import Any

import numpy as np

import rogue_bandits as rb
from rogue_bandits.types import Floats
from verification.estimates import Interval, bootstrap, slope
from verification.finding import Finding

LEARNS, IGNORES = 0.5, 0.8  # the exponent's interval must be below the one, or above the other


def growth(name: str, truth: rb.Truth, policies: dict[str, Any], horizon: int, people: int, seed: int) -> Finding:
    """The exponent of what each doubling of the horizon adds: 0 where regret is logarithmic, 1 where it is linear."""
    ends = horizon // 2 ** np.arange(6)[::-1]
    rows, holds = [], True
    for row, policy in policies.items():
        regret = rb.simulate(truth, policy, horizon, people, seed, workers=-1).tracking_regret()[:, ends - 1]
        exponent = exponent_of(regret, ends, seed)
        rogue = "rogue" in row
        holds = holds and (exponent.hi < LEARNS if rogue else exponent.lo > IGNORES)
        rows.append((row, *(f"{r:,.1f}" for r in regret.mean(axis=0)), str(exponent)))
    return Finding(
        f"Growth of regret: {name}",
        "If regret grows as log T each doubling of T adds the same, if it grows linearly twice as much as the last. "
        "The exponent is the slope of what a doubling adds, on log axes: 0 for the one, 1 for the other. "
        f"{people:,} people; 99 % intervals.",
        ("policy", *(f"T = {t:,}" for t in ends), "exponent"),
        rows,
        f"The exponents of the ROGUE policies are below {LEARNS:g}, those of the others above {IGNORES:g}.",
        holds,
    )


def exponent_of(regret: Floats, ends: Any, seed: int) -> Interval:
    """The slope of log(R(2t) − R(t)) by log t. What a doubling adds is held above a thousandth, to have a logarithm."""
    log_t = np.log(ends[:-1].astype(np.float64))

    def exponent(people: Floats) -> float:
        added = np.diff(people.mean(axis=0))
        return slope(log_t, np.log(np.maximum(added, 1e-3)))

    return bootstrap(regret, exponent, seed)
