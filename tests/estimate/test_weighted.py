"""Weighting by known probabilities: against people whose rewards under every choice are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rogue_bandits.estimate.history import Cohort, History
from rogue_bandits.estimate.weighted import effects_of, entries_of, shares_of

ARMS = ["walk", "sleep"]


def cohort_of_chance(people: int = 40, decisions: int = 60, seed: int = 1, scale: float = 1.0) -> Cohort:
    """Good days have rewards higher by 2, and walk is sent more on them; walk adds 0.5, sleep nothing."""
    rng = np.random.default_rng(seed)
    every = {}
    for i in range(people):
        good = rng.random(decisions) < 0.5
        walk, sleep = np.where(good, 0.6, 0.1), np.full(decisions, 0.2)
        u = rng.random(decisions)
        arm = np.where(u < walk, 0, np.where(u < walk + sleep, 1, -1))
        p = np.where(arm == 0, walk, np.where(arm == 1, sleep, 1.0 - walk - sleep))
        reward = i % 5 + 2.0 * good + 0.5 * (arm == 0) + rng.standard_normal(decisions)
        able = np.ones(decisions, dtype=np.bool_)
        every[f"p{i}"] = History(0, decisions, np.arange(decisions), arm, reward, able, p, np.zeros((decisions, 0)))
    return Cohort("d.csv", "steps", scale, ARMS, every, [])


def test_effects_are_those_of_the_choice_and_not_of_the_day() -> None:
    """The plain difference of means is off by more than 0.5, as walk was sent on good days."""
    cohort = cohort_of_chance()
    arm = np.concatenate([h.arm for h in cohort.people.values()])
    reward = np.concatenate([h.reward for h in cohort.people.values()])
    assert reward[arm == 0].mean() - reward[arm == -1].mean() > 1.0
    walk, sleep = effects_of(cohort)
    assert walk.low < 0.5 < walk.high
    assert sleep.low < 0.0 < sleep.high
    assert walk.high - walk.low < 0.6


def test_intervals_cover() -> None:
    """95 % intervals hold the truth in at least 88 of 100 cohorts: fewer has probability below 0.002."""
    hits = sum(
        effect.low < 0.5 < effect.high
        for seed in range(100)
        for effect in effects_of(cohort_of_chance(12, 30, seed))[:1]
    )
    assert hits >= 88


def test_the_standard_error_is_that_of_a_jackknife_over_people() -> None:
    cohort = cohort_of_chance(30, 40)
    whole = effects_of(cohort)[0]
    left_out = [
        effects_of(cohort._replace(people={n: h for n, h in cohort.people.items() if n != name}))[0].difference
        for name in cohort.people
    ]
    n = len(left_out)
    jackknife = math.sqrt((n - 1.0) / n * float(((np.array(left_out) - np.mean(left_out)) ** 2).sum()))
    assert (whole.high - whole.low) / (2.0 * 2.0452) == pytest.approx(jackknife, rel=0.1)  # t with 29 degrees


def test_effects_are_on_the_scale_of_the_file() -> None:
    plain, scaled = (effects_of(cohort_of_chance(scale=s))[0] for s in (1.0, 100.0))
    assert scaled.difference == pytest.approx(100.0 * plain.difference)


def test_shares_are_one_if_the_probabilities_are_right() -> None:
    cohort = cohort_of_chance()
    for share in shares_of(cohort):
        assert abs(share.ratio - 1.0) < 4.0 * share.error
    wrong = {name: h._replace(probability=np.full(h.at.size, 0.5)) for name, h in cohort.people.items()}
    assert any(abs(s.ratio - 1.0) > 10.0 * s.error for s in shares_of(cohort._replace(people=wrong)))


def test_what_chance_did_not_decide_does_not_count() -> None:
    """Decisions without a probability, and those at which nothing was available."""
    cohort = cohort_of_chance(8)
    unknown = {name: h._replace(probability=np.full(h.at.size, np.nan)) for name, h in cohort.people.items()}
    assert shares_of(cohort._replace(people=unknown)) == effects_of(cohort._replace(people=unknown)) == []
    half = {name: h._replace(available=np.arange(h.at.size) % 2 == 0) for name, h in cohort.people.items()}
    assert entries_of(cohort._replace(people=half)).arm.size == 8 * 30
