"""Off-policy estimates against the truth: bias and coverage of their intervals over many logs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import rogue_bandits as rb
from rogue_bandits.simulation.log import Log, checked_log, log_of
from rogue_bandits.simulation.off_policy import estimated
from rogue_bandits.simulation.replay import fitted_means_along, probabilities_along
from rogue_bandits.types import Floats
from verification.estimates import share
from verification.finding import Finding
from verification.scenarios import LOGISTIC

WRONG = [arm._replace(dynamics=arm.dynamics._replace(decay=0.95)) for arm in LOGISTIC.arms]
BOUNDED = rb.Bounded(rb.EpsilonRogue(), least=0.2)
ESTIMATORS = "inverse_propensity", "self_normalised", "doubly_robust"
OWN_PEOPLE = 40_000  # whose mean is the value of a policy on its own
ERROR_RATE = 0.01  # of all rows together
Z_95, NOMINAL = 1.96, 0.95


class Setting(NamedTuple):
    """Who was logged, who is evaluated, by which estimand, with which model; people and decisions of each log."""

    logged: Any
    policy: Any
    histories: str
    people: int
    decisions: int
    arms: Any = LOGISTIC.arms
    model: str = "true dynamics"


SETTINGS = (
    Setting(rb.Random(), rb.RoundRobin(), "logged", 10, 100),
    Setting(rb.Random(), rb.EpsilonRogue(), "logged", 10, 100),
    Setting(rb.Random(), rb.EpsilonRogue(), "logged", 10, 100, WRONG, "wrong decay"),
    Setting(BOUNDED, rb.Random(), "logged", 10, 100),
    Setting(rb.Random(), rb.EpsilonRogue(), "own", 200, 5),
    Setting(rb.Random(), rb.EpsilonRogue(), "own", 200, 5, WRONG, "wrong decay"),
    Setting(BOUNDED, rb.Random(), "own", 200, 5),
)


def off_policy(logs: int, seed: int) -> Finding:
    """Check that 95 % intervals contain the estimand in 95 % of many logs, and that the estimates are unbiased."""
    rows, holds = [], True
    level = 1.0 - ERROR_RATE / (len(SETTINGS) * len(ESTIMATORS))
    for number, setting in enumerate(SETTINGS):
        truth, found, errors = estimates(setting, logs, (seed, number))
        for j, name in enumerate(ESTIMATORS):
            wrong = found[:, j] - truth
            bias, noise = float(wrong.mean()), float(wrong.std(ddof=1) / np.sqrt(logs))
            covered = share(int((np.abs(wrong) <= Z_95 * errors[:, j]).sum()), logs, level)
            is_unbiased = name == "self_normalised" or abs(bias) <= 4.0 * noise
            holds = holds and is_unbiased and covered.hi >= NOMINAL
            rows.append((
                short(setting.logged), short(setting.policy), setting.histories, setting.model,
                name.replace("_", " "), f"{bias:+.4f} ± {noise:.4f}", f"{wrong.std(ddof=1):.4f}",
                f"{np.sqrt((errors[:, j] ** 2).mean()):.4f}", str(covered),
            ))  # fmt: skip
    return Finding(
        "Off-policy estimates",
        "Logs of one policy with known probabilities, by which another is evaluated (`rb.off_policy_value`). Estimand "
        "'logged': what its choices would have earned at the logged histories, from the true means along each log; 10 "
        "people of 100 decisions. 'own': what it earns on its own, from simulations of it; 200 people of 5 decisions. "
        "Inverse propensity and doubly robust estimates are unbiased, also where policy and regression assume a wrong "
        "decay; self-normalised ones are so in the limit. Standard errors should be the standard deviations, and 95 % "
        f"intervals contain the estimand in 95 % of logs: the last column has the share of {logs:,} logs, with "
        f"intervals for a joint error rate of {ERROR_RATE:.0%}.",
        ("logged", "evaluated", "histories", "model", "estimator", "bias", "sd", "standard error", "covered"),
        rows,
        f"{len(rows)} rows: no bias beyond four standard errors, no interval of the coverage below 95 %.",
        holds,
    )


def estimates(setting: Setting, logs: int, seed: tuple[int, ...]) -> tuple[Floats, Floats, Floats]:
    """Return the estimand of each log [logs], the estimates and their standard errors [logs, estimators]."""
    people = setting.people
    trace = rb.simulate(
        LOGISTIC, setting.logged, setting.decisions, logs * people, seed, workers=-1, probabilities=True
    )
    log = checked_log(log_of(trace), setting.arms)
    chosen, fitted = probabilities_along(setting.policy, setting.arms, log, seed), fitted_means_along(setting.arms, log)
    if setting.histories == "logged":
        each = (chosen * true_means(trace)).sum(axis=2).mean(axis=1)
        truth = each.reshape(logs, people).mean(axis=1)
    else:
        own = rb.simulate(
            LOGISTIC, setting.policy, setting.decisions, OWN_PEOPLE, (*seed, 1), -1, learner_arms=setting.arms
        )
        truth = np.full(logs, own.mean.mean())
    found = []
    for i in range(logs):
        rows = slice(i * people, (i + 1) * people)
        part = Log(*(None if column is None else column[rows] for column in log))
        found.append(estimated(part, chosen[rows], fitted[rows], setting.histories))
    both = np.array([[getattr(one, name) for name in ESTIMATORS] for one in found])
    return truth, both[:, :, 0], both[:, :, 1]


def true_means(trace: rb.Trace) -> Floats:
    """Return the mean of every arm along a trace of logistic arms, by the formulas of the paper."""
    people, horizon = trace.arm.shape
    x, means = np.tile(np.array(trace.truth.x0), (people, 1)), np.empty((people, horizon, len(trace.truth.arms)))
    for t in range(horizon):
        for k, arm in enumerate(trace.truth.arms):
            d, f = arm.dynamics, arm.rewards
            means[:, t, k] = 1.0 / (1.0 + np.exp(-f.theta_weight * trace.truth.theta[k] - f.state_weight * x[:, k]))
            x[:, k] = np.clip(d.decay * x[:, k] + d.pull * (trace.arm[:, t] == k) + d.drift, d.lo, d.hi)
    return means


def short(policy: Any) -> str:
    """Return the name of a policy's class.

    >>> short(rb.Random())
    'Random'
    """
    return f"Bounded {short(policy.policy)}" if isinstance(policy, rb.Bounded) else type(policy).__name__
