"""Weighting by known probabilities: against people whose rewards under every choice are known."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rogue_bandits.estimate.weighted import effects_of, entries_of, shares_of
from tests.estimate.made_up import cohort_of_chance


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
    assert not shares_of(cohort._replace(people=unknown))
    assert not effects_of(cohort._replace(people=unknown))
    half = {name: h._replace(available=np.arange(h.at.size) % 2 == 0) for name, h in cohort.people.items()}
    assert entries_of(cohort._replace(people=half)).arm.size == 8 * 30
