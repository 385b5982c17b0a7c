"""People after a trial: a prior from other people's trial, and learning that goes on after one's own."""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import rogue_bandits as rb
from rogue_bandits.cli.fit import fit_command
from rogue_bandits.types import Floats, draw, mean
from verification.gains import Learner

TRIAL_DAYS = 150


def trial_of(truths: Sequence[rb.Truth], seed: int) -> list[rb.Trace]:
    """Send people messages at random for the length of a trial."""
    return [rb.simulate(truth, rb.Random(), TRIAL_DAYS, seed=(seed, 7, n)) for n, truth in enumerate(truths)]


def fitted(trial: Sequence[rb.Trace], folder: Path) -> Path:
    """Return the people.json that `rogue fit` makes of a trial."""
    rows = [
        (f"p{n}", t, one.truth.arms[one.arm[0, t]].name, one.reward[0, t])
        for n, one in enumerate(trial)
        for t in range(one.arm.shape[1])
    ]
    table, out = folder / "trial.csv", folder / "fit"
    pd.DataFrame(rows, columns=["person", "decision", "arm", "reward"]).to_csv(table, index=False)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        fit_command.main([str(table), "--family", "agent", "--out", str(out)], standalone_mode=False)
    return out / "people.json"


def with_fit(people: Path) -> Learner:
    """Return a learner whose prior is the population of a people.json."""
    return lambda arm: arm._replace(dynamics=rb.Unknown.from_fit(people, arm.name))


def after_trial(
    trial: Sequence[rb.Trace], policy: Any, learner: Learner, horizon: int, replicates: int, seed: int
) -> Floats:
    """Return the expected reward of every decision after a trial that the learner has seen: [people, decisions].

    All learners assume what `learner` makes of the arms of the first person: a prior.
    """
    people = [one for one in trial for _ in range(replicates)]
    learners = rb.Population([learner(arm) for arm in trial[0].truth.arms], policy, len(people), seed)
    numbers = np.array([[arm.dynamics for arm in one.truth.arms] for one in people])
    decay, pull, drift, lo, hi = np.moveaxis(numbers, -1, 0)
    x, rows = np.array([one.truth.x0 for one in people]), np.arange(len(people))

    def moved(arm: Any) -> Floats:
        return np.asarray(np.clip(decay * x + pull * (np.arange(x.shape[1]) == arm[:, None]) + drift, lo, hi))

    for t in range(TRIAL_DAYS):
        arm = np.array([one.arm[0, t] for one in people])
        learners.record(rows, arm, np.array([one.reward[0, t] for one in people]))
        x = moved(arm)
    earned = np.empty((len(people), horizon))
    u = np.random.default_rng((seed, 8)).random(earned.shape)
    for t in range(horizon):
        made = learners.choose(probabilities=False)
        reward = np.empty(len(people))
        for i, k in enumerate(made.arm):
            family, theta, level = people[i].truth.arms[k].rewards, people[i].truth.theta[k], x[i, k]
            earned[i, t] = mean(family, theta, level)
            reward[i] = draw(family, theta, level, u[i, t])
        learners.update(made, reward)
        x = moved(made.arm)
    return np.asarray(earned.reshape(len(trial), replicates, horizon).mean(axis=1))
