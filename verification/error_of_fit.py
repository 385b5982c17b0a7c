"""The rate at which the error of the fit falls."""

from __future__ import annotations

import math

import numpy as np

import rogue_bandits as rb
from rogue_bandits.types import Floats, information, next_state
from verification.estimates import bootstrap, slope
from verification.finding import Finding
from verification.replay import replay
from verification.scenarios import LOGISTIC

CHECKPOINTS = tuple(625 * 2**k for k in range(8))


def error_of_fit(people: int, seed: int) -> Finding:
    """Check the root mean square error of theta by the number of rewards: its slope on log axes, and its size."""
    trace = rb.simulate(LOGISTIC, rb.Random(), CHECKPOINTS[-1], people, seed, workers=-1)
    found = replay(trace, rb.TunedRogueUCB(), CHECKPOINTS)
    rows, holds = [], True
    for k, arm in enumerate(LOGISTIC.arms):
        squared = (found.theta[:, :, k] - LOGISTIC.theta[k]) ** 2
        log_n = np.log(found.n[:, :, k].mean(axis=0))

        def exponent(errors: Floats, log_n: Floats = log_n) -> float:
            return slope(log_n, 0.5 * np.log(errors.mean(axis=0)))

        interval = bootstrap(squared, exponent, seed)
        last = math.sqrt(squared[:, -1].mean())
        ideal = 1.0 / math.sqrt(found.n[:, -1, k].mean() * information_a_reward(arm, k, trace))
        stderr = 1.0 / math.sqrt(2.0 * people)  # of a standard deviation, as a share of it
        holds = holds and interval.contains(-0.5) and abs(last / ideal - 1.0) <= 4.0 * stderr
        rows.append((str(k), str(interval), f"{last:.4f}", f"{ideal:.4f}"))
    return Finding(
        "The error of the fit",
        "The error of a maximum-likelihood fit falls as 1/√n: slope −½ on log axes. Asymptotically its root mean "
        "square error is 1/√(n × information of a reward), the least of any unbiased estimate (Cramér–Rao). "
        f"Two logistic arms, random choices, {people:,} people, {CHECKPOINTS[0]:,} to {CHECKPOINTS[-1]:,} decisions.",
        ("arm", "slope (99 % interval)", "error at the end", "1/√(n × information)"),
        rows,
        "The intervals of the slopes contain −½; the errors at the end agree with the least possible within 4 standard "
        "errors.",
        holds,
    )


def information_a_reward(arm: rb.Arm, k: int, trace: rb.Trace) -> float:
    """Return the mean information about theta of a reward of arm k, over the plays of the first person."""
    x, total, plays = trace.truth.x0[k], 0.0, 0
    for played in (trace.arm[0] == k).tolist():
        if played:
            total += information(arm.rewards, trace.truth.theta[k], x)[0]
            plays += 1
        x = next_state(arm.dynamics, x, 1.0 if played else 0.0)
    return total / plays
