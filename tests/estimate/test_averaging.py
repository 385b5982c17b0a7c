"""Draws over the rungs: how often each rung is drawn, and that what is advised allows for what the data leave open."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from rogue_bandits.estimate.advise import advise
from rogue_bandits.estimate.data import data_of
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.fit import FitTask, fit_cohort
from rogue_bandits.estimate.history import Cohort, History
from rogue_bandits.estimate.ladder.averaging import CONCENTRATION, drawn_rungs
from rogue_bandits.estimate.ladder.compare import CONSTANT, FADE, RECOVERY
from rogue_bandits.types import Floats

NAMES = ["walk", "sleep", "eat"]
PEOPLE, DECISIONS = 37, 42
LEVEL, SPREAD, DROP, DECAY = 1.0, 0.7, 0.8, 0.8  # log odds


def by_enumeration(share: Floats) -> dict[tuple[int, ...], float]:
    """The posterior of all sets of rungs: probabilities of rungs integrated over a Dirichlet distribution."""
    arms, rungs = share.shape
    weight = {}
    for one in itertools.product(range(rungs), repeat=arms):
        prior = sum(
            math.lgamma(CONCENTRATION / rungs + one.count(r)) - math.lgamma(CONCENTRATION / rungs) for r in range(rungs)
        )
        weight[one] = math.exp(prior) * math.prod(share[k, r] for k, r in enumerate(one))
    total = sum(weight.values())
    return {one: value / total for one, value in weight.items()}


@pytest.mark.parametrize("seed", range(3))
def test_rungs_are_drawn_as_often_as_their_posterior_says(seed: int) -> None:
    """Every set of rungs of three arms, within 5 standard errors of a share of 40,000 draws."""
    rng, draws = np.random.default_rng(seed), 40_000
    share = rng.dirichlet(np.full(4, 0.5), size=3)
    found = drawn_rungs(share, draws, rng)
    for one, p in by_enumeration(share).items():
        assert abs((found == np.array(one)).all(1).mean() - p) < 5.0 * math.sqrt(p * (1.0 - p) / draws) + 1.0 / draws


def test_an_arm_by_itself_has_its_own_probabilities() -> None:
    found = drawn_rungs(np.array([[0.7, 0.3]]), 10_000, np.random.default_rng(1))
    assert abs((found == 0).mean() - 0.7) < 4.0 * math.sqrt(0.21 / 10_000)


def alike(seed: list[int]) -> tuple[Cohort, Floats]:
    """People with 0/1 rewards whose arms wear out alike, and the loads of these at the next decision."""
    rng, people, loads = np.random.default_rng(seed), {}, []
    for i in range(PEOPLE):
        level, sent, load = LEVEL + SPREAD * rng.standard_normal(), np.arange(DECISIONS) % 3, np.zeros(3)
        rng.shuffle(sent)
        reward = np.zeros(DECISIONS)
        for t, arm in enumerate(sent.tolist()):
            reward[t] = float(rng.random() < 1.0 / (1.0 + math.exp(DROP * load[arm] - level)))
            load = DECAY * load + (np.arange(3) == arm)
        able, unknown = np.ones(DECISIONS, dtype=np.bool_), np.full(DECISIONS, np.nan)
        every = np.arange(DECISIONS), sent, reward, able, unknown, np.zeros((DECISIONS, 0))
        people[f"p{i}"] = History(0, DECISIONS, *every)
        loads.append(load)
    return Cohort("d.csv", "done", 1.0, NAMES, people, [], "logit"), np.array(loads)


@pytest.fixture(scope="module")
def fitted() -> tuple[People, Floats]:
    """People whose arms wear out alike, fitted, and their loads. One of the arms is called constant."""
    cohort, loads = alike([2, 4])
    people = People(cohort, fit_cohort(data_of(cohort), FitTask(("logit",), pool="shared", workers=1)))
    assert {ladder.rung for ladder in people.fitted.arms.values()} == {CONSTANT, RECOVERY}
    return people, loads


def test_advice_allows_for_a_loss_that_is_not_clear(fitted: tuple[People, Floats]) -> None:
    """Arms wear out alike, so that the one with the least load is the best. One of them is called constant.

    Advice that took it for one gave it to everybody with a choice, and was wrong for most of them.
    """
    people, loads = fitted
    cohort, arms = people.cohort, people.fitted.arms
    supported, right = 0, 0
    for i, name in enumerate(cohort.people):
        advice = advise(people, name)
        assert advice is not None
        if advice.supported:
            supported += 1
            right += NAMES.index(advice.first.arm) == int(loads[i].argmin())
    assert supported > 0.3 * PEOPLE
    assert right > 0.8 * supported
    called = next(ladder for ladder in arms.values() if ladder.rung == CONSTANT)
    assert called.draw_rungs.count(RECOVERY) > 0.5 * len(called.draw_rungs)


def test_draws_of_arms_belong_together(fitted: tuple[People, Floats]) -> None:
    """Each draw has one level of the person, from which arms that are alike hardly differ, whatever their rungs are."""
    people, _ = fitted
    ladders = people.fitted.arms.values()
    found = [
        np.corrcoef([ladder.persons[name].draws["level"][0] for ladder in ladders]) for name in people.cohort.people
    ]
    assert np.mean(found, axis=0).min() > 0.5


def falling(seed: int) -> Cohort:
    """People whose rewards fall by 5 over the study, sent or not; either arm adds 1 at every time."""
    rng, people, decisions = np.random.default_rng(seed), {}, 60
    for i in range(40):
        arm = np.where(rng.random(decisions) < 0.2, -1, rng.integers(0, 2, decisions))
        level = 50.0 + 5.0 * rng.standard_normal() - 5.0 * np.arange(decisions) / (decisions - 1)
        reward = level + (arm >= 0) + 8.0 * rng.standard_normal(decisions)
        able, unknown = np.ones(decisions, dtype=np.bool_), np.full(decisions, np.nan)
        every = np.arange(decisions), arm, reward, able, unknown, np.zeros((decisions, 0))
        people[f"p{i}"] = History(0, decisions, *every)
    return Cohort("d.csv", "steps", 1.0, NAMES[:2], people, [], "gaussian")


@pytest.mark.verify
def test_no_harm_is_claimed_because_the_fall_of_silence_is_not_clear() -> None:
    """Arms at the end of the study used to be compared with silence over all of it, with probabilities above 0.95."""
    fitted = fit_cohort(data_of(falling(3)), FitTask(("gaussian",), pool="shared", workers=1))
    assert fitted.silence is not None
    assert fitted.silence.rung == CONSTANT
    assert all(ladder.rung != CONSTANT for ladder in fitted.arms.values())
    assert 0.0 < fitted.silence.draw_rungs.count(FADE) < len(fitted.silence.draw_rungs)
    assert all((ladder.harm or 0.0) < 0.8 for ladder in fitted.arms.values())
