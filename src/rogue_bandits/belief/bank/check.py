"""A sequential test of whether the family and the prior over dynamics explain the rewards of an arm.

With p_t the model's predictive density of reward t given those before, and q_t that of a predictor that knows recent
rewards only, e_t = q_t/p_t has expectation 1 if the model is right. A change may come late: the mixture over its time,

    M_t = (M_{t−1} + w_t)·e_t,    w_t = 1/((t + 1)(t + 2)),  Σ w_t = 1,

is below 1/`FALSE_ALARM` at all times with probability 1 − `FALSE_ALARM` or more, by Ville's inequality. Where it is
not, the model is contradicted, until it has predicted better than recent rewards by the same factor; then the test
restarts.
G. Shafer (2021) and A. Ramdas, P. Grünwald, V. Vovk, G. Shafer (2023) have the theory of such tests.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rogue_bandits.belief.bank.likelihood import ThetaTables
from rogue_bandits.compile.laws import inlined, law, routine
from rogue_bandits.model.dynamics.unknown import KINDS
from rogue_bandits.types import Floats

FALSE_ALARM = 0.01  # for each arm of each person
ALARM = -math.log(FALSE_ALARM)
RATE = 0.08  # of the exponentially weighted mean of recent rewards: a memory of some twelve
FIRST = 5  # rewards before the first prediction
LOG_M, STEPS, PEAK, MEAN, SPREAD, COUNT, LATEST = range(7)  # numbers of a check; a peak above 0: contradicted
CHECKS = 7


@law
def log_predicted(f: Any, tables: ThetaTables, k: int, mean: float, spread: float, r: float) -> float:
    """Return the log-density of a reward given recent ones, without the terms that all hypotheses share."""


@inlined
def arm_evidence(prior: Floats, evidence: Floats) -> float:
    """Return the log-evidence of an arm by itself, over kinds."""
    top, total = evidence.max(), 0.0
    for j in range(KINDS):
        total += prior[j] * math.exp(evidence[j] - top)
    return top + math.log(total)


@routine
def update_check(f: Any, tables: ThetaTables, k: int, gained: float, check: Floats) -> None:
    """Count the latest reward, of which the model's log-density was `gained`."""
    r = check[LATEST]
    if check[COUNT] >= FIRST:
        step = log_predicted(f, tables, k, check[MEAN], check[SPREAD], r) - gained
        if check[PEAK] > 0.0:
            check[LOG_M] += step
            check[PEAK] = max(check[PEAK], check[LOG_M])
            if check[PEAK] - check[LOG_M] >= ALARM:
                check[LOG_M], check[STEPS], check[PEAK] = -np.inf, 0.0, 0.0
        else:
            log_w = -math.log((check[STEPS] + 1.0) * (check[STEPS] + 2.0))
            top = max(check[LOG_M], log_w)
            check[LOG_M] = top + math.log(math.exp(check[LOG_M] - top) + math.exp(log_w - top)) + step
            check[STEPS] += 1.0
            if check[LOG_M] >= ALARM:
                check[PEAK] = check[LOG_M]
    rate = max(RATE, 1.0 / (1.0 + check[COUNT]))
    if check[COUNT] > 0.0:
        spread_rate = max(RATE, 1.0 / check[COUNT])
        check[SPREAD] += spread_rate * (abs(r - check[MEAN]) - check[SPREAD])
    check[MEAN] += rate * (r - check[MEAN])
    check[COUNT] += 1.0


@inlined
def is_contradicted(check: Floats) -> bool:
    """Return whether the rewards of an arm contradict the model."""
    return bool(check[PEAK] > 0.0)


@inlined
def recent_value(check: Floats, rests: int) -> float:
    """Return the mean of recent rewards plus its standard error: the value where rewards contradict the model.

    The weighted mean is the Kalman filter of a level that drifts, with a variance of RATE² a step in units of that of a
    reward: after a rest the level is less certain. Without that a false alarm would end the plays of an arm for ever.
    """
    return float(check[MEAN] + check[SPREAD] * math.sqrt(RATE * (1.0 + RATE * rests)))
