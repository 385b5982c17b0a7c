"""Rewards that are rare, few of each person: mean rewards of the fit against quadrature of the posterior."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit

from rogue_bandits.estimate.fit import Data, FitTask, fit_cohort
from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.ladder.compare import CONSTANT, Candidate, fit_candidate
from rogue_bandits.estimate.ladder.grids import panels_of
from rogue_bandits.estimate.ladder.posterior import draw_posterior, own_rewards
from rogue_bandits.estimate.ladder.task import ArmTask
from rogue_bandits.types import Floats
from tests.matrix import some_of

PEOPLE, EACH, LEVEL, SPREAD = 150, 6, -3.6, 0.8


def successes(family: str, seed: int) -> Floats:
    """The rewards of people, [people, decisions]: three or four in a hundred."""
    rng = np.random.default_rng(seed)
    mean = LEVEL + SPREAD * rng.standard_normal((PEOPLE, 1))
    if family == "poisson":
        return rng.poisson(np.exp(mean), (PEOPLE, EACH)).astype(np.float64)
    return (rng.random((PEOPLE, EACH)) < expit(mean)).astype(np.float64)


def records_of(rewards: Floats) -> dict[str, Record]:
    return {f"p{i:03}": Record(np.ones(EACH), row) for i, row in enumerate(rewards)}


def mean_by_quadrature(family: str, rewards: Floats, variance: float) -> float:
    """The posterior mean of the average person's mean reward: flat in the mean level, levels summed over a grid."""
    m, z = np.linspace(-9.0, 0.0, 361)[:, None], np.linspace(-6.0, 6.0, 241)
    u = m + np.sqrt(variance) * z
    mean = np.exp(u) if family == "poisson" else expit(u)
    total = np.zeros(m.size)
    average = np.zeros(m.size)
    for k in np.unique(rewards.sum(1)):
        people = int((rewards.sum(1) == k).sum())
        law = stats.poisson.pmf(k, EACH * mean) if family == "poisson" else stats.binom.pmf(k, EACH, mean)
        weight = law * stats.norm.pdf(z)
        total += people * np.log(weight.sum(1))
        average += people * (weight * mean).sum(1) / weight.sum(1)
    share = np.exp(total - total.max())
    return float((share * average).sum() / share.sum() / PEOPLE)


@pytest.mark.parametrize("family", ["logit", "poisson"])
@pytest.mark.parametrize("seed", some_of([1, 2, 3], 1))
def test_the_mean_reward_is_that_of_the_posterior(family: str, seed: int) -> None:
    """Given the variance between people. Draws around modes have a mean that is larger by a fifth to a third."""
    rewards = successes(family, seed)
    panels, parts = panels_of(ArmTask(records_of(rewards), family))
    fit = fit_candidate(Candidate(CONSTANT), panels.near, parts)
    posterior = draw_posterior(fit, panels.near)
    found = float(own_rewards(posterior, np.zeros(posterior.own_half_life.shape)).mean())
    expected = mean_by_quadrature(family, rewards, float(fit.populations[0].between[0, 0]))
    assert expected == pytest.approx(rewards.mean(), rel=0.02)
    assert found == pytest.approx(expected, rel=0.03)


def test_arms_of_one_person_together_have_the_means_of_their_data() -> None:
    arms = {name: successes("logit", seed) for name, seed in (("walk", 3), ("call", 4))}
    people: dict[str, dict[str, Record]] = {}
    for name, rewards in arms.items():
        for person, record in records_of(rewards).items():
            people.setdefault(person, {})[name] = record
    found = fit_cohort(Data(people), FitTask(("logit",), pool="shared", workers=1)).arms
    for name, rewards in arms.items():
        assert found[name].fresh[1] == pytest.approx(rewards.mean(), rel=0.1)
