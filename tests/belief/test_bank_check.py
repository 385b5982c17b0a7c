"""The test of the model, reward by reward: its e-values against a density, false alarms, power, and recovery."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate

import rogue_bandits as rb
from rogue_bandits.belief.bank.check import (
    ALARM,
    CHECKS,
    COUNT,
    FALSE_ALARM,
    FIRST,
    LATEST,
    LOG_M,
    MEAN,
    SPREAD,
    is_contradicted,
    log_predicted,
    recent_value,
    update_check,
)
from rogue_bandits.belief.bank.evidence import first_checks, start_bank
from rogue_bandits.model.problem import problem_of
from rogue_bandits.types import Floats, Request, choose, learn, loglik, play, probabilities, start
from tests.interpreted import interpreted as interpreted

AGENT = rb.Arm(rb.Unknown(hypotheses=32), rb.LaplaceAgent(), 0.02, 1.0)
COIN = rb.Arm(rb.Unknown(hypotheses=32), rb.BernoulliLogit(2.0, 3.0), -1.0, 1.0)
TABLES = {arm: start_bank("test", problem_of([arm]), 1).shared.theta for arm in (AGENT, COIN)}


def checked(rewards: Floats, x: Floats, theta: float) -> list[bool]:
    """Whether a model that knows the state and theta is contradicted after each reward of an agent."""
    check, found = first_checks(1)[0, 0], []
    for r, at in zip(rewards, x, strict=True):
        check[LATEST] = r
        update_check(AGENT.rewards, TABLES[AGENT], 0, loglik(AGENT.rewards, theta, at, r) + math.log(2.0), check)
        found.append(is_contradicted(check))
    return found


def agent_rewards(rng: np.random.Generator, x: Floats, theta: float) -> Floats:
    """Rewards of an agent, from numpy's Laplace noise."""
    return np.clip(x + rng.laplace(0.0, theta, x.size), 0.0, 1.0)


def test_the_other_prediction_of_an_agent_is_a_density() -> None:
    """Two point masses and a density, which sum to 1; the factor ½ is left out of all."""
    f, tables = AGENT.rewards, TABLES[AGENT]
    inside, _ = integrate.quad(lambda r: math.exp(log_predicted(f, tables, 0, 0.3, 0.2, r)), 1e-12, 1.0, points=[0.3])
    masses = sum(math.exp(log_predicted(f, tables, 0, 0.3, 0.2, r)) for r in (0.0, 1.0))
    assert 0.5 * (inside + masses) == pytest.approx(1.0, abs=1e-6)


def test_the_other_prediction_of_a_coin_has_the_recent_mean() -> None:
    """Heads with the probability of recent heads, where the range of natural parameters has it."""
    heads = math.exp(log_predicted(COIN.rewards, TABLES[COIN], 0, 0.7, 0.4, 1.0))
    tails = math.exp(log_predicted(COIN.rewards, TABLES[COIN], 0, 0.7, 0.4, 0.0))
    assert (heads, tails) == pytest.approx((0.7, 0.3), abs=1e-6)


@pytest.mark.verify
def test_false_alarms_are_as_rare_as_stated() -> None:
    """A model that is right, on 400 arms with 300 rewards: at most FALSE_ALARM and four standard errors."""
    rng, alarms = np.random.default_rng(1), 0
    for _ in range(400):
        x = np.full(300, rng.uniform(0.1, 0.9))
        theta = rng.uniform(0.05, 0.3)
        alarms += any(checked(agent_rewards(rng, x, theta), x, theta))
    assert alarms / 400 <= FALSE_ALARM + 4.0 * math.sqrt(FALSE_ALARM / 400)


def test_a_level_that_has_moved_is_noticed_and_forgotten_when_it_is_back() -> None:
    """Right for 200 rewards, wrong by three noise scales for 60, right again for 200."""
    rng, theta = np.random.default_rng(2), 0.1
    believed = np.full(460, 0.4)
    true = np.where((np.arange(460) >= 200) & (np.arange(460) < 260), 0.7, 0.4)
    found = checked(agent_rewards(rng, true, theta), believed, theta)
    assert not any(found[:200])
    assert found[259]
    assert not found[-1]


def test_recent_rewards_are_weighted_means() -> None:
    """The plain mean at first; a policy goes by it and its error."""
    check = np.zeros(CHECKS)
    check[LOG_M] = -np.inf
    for r in (0.2, 0.4, 0.6):
        check[LATEST] = r
        update_check(AGENT.rewards, TABLES[AGENT], 0, 0.0, check)
    assert (check[MEAN], check[COUNT]) == pytest.approx((0.4, 3.0))
    assert check[COUNT] < FIRST
    assert check[LOG_M] == -np.inf
    assert check[MEAN] < recent_value(check, 0) < recent_value(check, 10)
    assert recent_value(check, 100) == pytest.approx(check[MEAN] + 3.0 * (recent_value(check, 0) - check[MEAN]))
    assert check[SPREAD] > 0.0


def test_a_bandit_falls_back_and_says_so() -> None:
    """A prior that rules out what happens: rewards jump between 0.1 and 0.9 in blocks of ten."""
    prior = rb.Unknown(fresh=(0.5, 0.5), loss=(0.0, 0.01), half_life=(1.0, 2.0), hypotheses=32)
    arm = rb.Arm(prior, rb.LaplaceAgent(), 0.02, 0.05)
    bandit = rb.Bandit([arm, arm], rb.IndexTS(), seed=1)
    for t in range(80):
        bandit.record(0, 0.1 if t // 10 % 2 else 0.9)
    said = str(bandit.explain())
    assert "contradict" in said
    assert bandit.contradicted() == [0]
    assert pytest.approx(-math.log(FALSE_ALARM)) == ALARM


def test_an_arm_whose_rewards_contradict_the_model_is_tried_again() -> None:
    """Its last rewards were bad luck, and the other arm is worse than its mean."""
    arm = rb.Arm(rb.Unknown(fresh=(0.4, 0.6), loss=(0.0, 0.01), hypotheses=32), rb.LaplaceAgent(), 0.02, 0.05)
    bandit = rb.Bandit([arm, arm], rb.IndexTS(), seed=1)
    for t in range(80):
        bandit.record(0, 0.1 if t // 10 % 2 else 0.9)
    assert bandit.contradicted() == [0]
    played = []
    for _ in range(60):
        decision = bandit.choose()
        bandit.update(decision, 0.5)
        played.append(decision.arm)
    assert 0 in played
    assert 1 in played


@pytest.mark.verify
@pytest.mark.filterwarnings("ignore:overflow")  # of words of the random stream, as they should
def test_probabilities_are_the_shares_of_the_uniforms_that_choose() -> None:
    """Over a grid of uniforms for the kind and for ties; two arms that were never played tie."""
    arm = AGENT._replace(dynamics=rb.Unknown(hypotheses=64, no_effect=0.9))
    problem = problem_of([arm] * 3)
    state, available, out = start(rb.IndexTS(), problem, 1), np.ones(3, dtype=bool), np.empty(3)
    for number, r in enumerate((0.3, 0.4, 0.2)):
        token = play(state, 0, number, 0)
        learn(state, 0, number, 0, 1.0, token, r)
    probabilities(state, 0, Request(3, available, np.zeros(2)), out)
    points = 40
    shares, grid = np.zeros(3), (np.arange(points) + 0.5) / points
    for u in grid:
        for v in (0.25, 0.75):
            shares[choose(state, 0, Request(3, available, np.array([u, v])))[0]] += 0.5 / grid.size
    assert out.sum() == pytest.approx(1.0)
    assert out == pytest.approx(shares, abs=1.0 / grid.size)
