"""The analysis of a trial: the estimator, and the effect that it finds in an export."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from rogue_bandits.study.export import as_csv
from rogue_bandits.study.replay import replay
from rogue_bandits.study.wcls import wcls
from tests.study.trial import EFFECT, run_trial


def test_the_estimator_is_weighted_least_squares() -> None:
    """By scipy's solver on rows scaled by the root of the weights: another algorithm."""
    random = np.random.default_rng(3)
    n = 300
    who, p = np.repeat(np.arange(30), 10), random.uniform(0.2, 0.8, n)
    a = (random.random(n) < p).astype(float)
    control, moderator = random.normal(size=n), random.normal(size=n)
    r = control + a * (0.5 + 0.2 * moderator) + random.normal(size=n)
    found = wcls(who, a, p, r, controls=control, moderators=moderator, numerator=0.4)
    weight = (0.4 / p) ** a * (0.6 / (1 - p)) ** (1 - a)
    x = np.column_stack([np.ones(n), control, a - 0.4, (a - 0.4) * moderator])
    root = np.sqrt(weight)
    expected = np.linalg.lstsq(x * root[:, None], r * root, rcond=None)[0]
    assert found.estimate == pytest.approx(expected[2:], rel=1e-9)


def test_its_standard_errors_are_those_of_repeated_trials() -> None:
    """The mean of 400 estimates is the effect, and 95 % intervals hold it: within 4 standard errors."""
    random = np.random.default_rng(5)
    estimates, errors = [], []
    for _ in range(400):
        base = np.repeat(random.normal(size=40), 15)
        p = np.clip(0.5 + 0.2 * base, 0.2, 0.8)  # the better off are sent more: a plain difference is biased
        a = (random.random(base.size) < p).astype(float)
        r = base + 0.3 * a + random.normal(size=base.size)
        found = wcls(np.repeat(np.arange(40), 15), a, p, r)
        estimates.append(found.estimate[0])
        errors.append(found.standard_error[0])
    mean, spread = np.mean(estimates), np.std(estimates, ddof=1)
    assert abs(mean - 0.3) < 4 * spread / 20
    covered = np.mean(np.abs(np.subtract(estimates, 0.3)) < 1.96 * np.array(errors))
    assert abs(covered - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 400) + 0.01  # the last: 40 people are few


@pytest.mark.parametrize(("a", "p", "words"), [([0, 2], [0.5, 0.5], "action must be"), ([0, 1], [0.5, 1.0], "above 0")])
def test_what_is_no_trial_is_refused(a: list[float], p: list[float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        wcls([0, 1], a, p, [0.0, 1.0])


def test_decisions_without_a_reward_are_refused() -> None:
    with pytest.raises(ValueError, match="leave out decisions without one"):
        wcls([0, 1], [0, 1], [0.5, 0.5], [0.0, np.nan])


@pytest.mark.verify
def test_the_effect_of_a_simulated_trial_is_recovered_from_its_export(tmp_path: Path) -> None:
    with run_trial(tmp_path / "study.db", people=40, days=40, seed=11) as service, service.storage.reading() as reader:
        rows = list(csv.DictReader(io.StringIO("".join(as_csv(reader, service.design)))))
        assert replay(reader).differences == []
    rows = [row for row in rows if row["available"] == "1"]
    columns = {name: np.array([float(row[name]) for row in rows]) for name in ("probability_message", "reward")}
    sent = np.array([row["action"] == "message" for row in rows], dtype=float)
    found = wcls([row["person"] for row in rows], sent, columns["probability_message"], columns["reward"])
    assert abs(found.estimate[0] - EFFECT) < 4 * found.standard_error[0]
    assert found.standard_error[0] < EFFECT / 3
    assert len(rows) < 1600
