"""The posterior of a curve with jumps, against all sets of jumps, one by one."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm

import rogue_bandits as rb
from rogue_bandits.belief.contract import add_reward, advance, observe, rewards_count, ticket
from rogue_bandits.belief.steps import StepsBelief, level_at, mean_and_sd, steps_prior, value_now
from rogue_bandits.model.problem import problem_of
from rogue_bandits.model.validation import checked_arm
from rogue_bandits.types import Request, choose, learn, play, start, uniforms

PRIOR, SD, WEIGHT = rb.Steps(rate=0.3, sd=0.8, mean=0.1), 0.5, 1.5
NORMAL = rb.Arm(rb.Rotting(9, 2, PRIOR), rb.Gaussian(WEIGHT, 0.0, SD), -5.0, 5.0)
LOGIT = rb.Arm(rb.Rotting(9, 2, PRIOR), rb.BernoulliLogit(WEIGHT, 0.0), -5.0, 5.0)


def lived(arm: rb.Arm, rewards: Any) -> tuple[StepsBelief, list[int]]:
    """A belief after plays of one arm, and the place of each reward."""
    belief = steps_prior("test", problem_of([arm]), 1)
    for r in rewards:
        token = ticket(belief, 0, 0)
        advance(belief, 0, 0, 1.0)
        observe(belief, 0, 0, token, r)
    return belief, [t // 2 for t in range(len(rewards))]


def every_partition(last: int) -> Any:
    """The first places of the segments of places 0 to `last`, with their prior probability."""
    for jumps in product([False, True], repeat=last):
        probability = np.prod([PRIOR.rate if jump else 1.0 - PRIOR.rate for jump in jumps])
        yield [0, *(i + 1 for i, jump in enumerate(jumps) if jump)], float(probability)


def test_normal_rewards_by_enumeration() -> None:
    """Rewards of a segment are jointly normal; the value now is normal given them and the last jump."""
    rewards = np.random.default_rng(1).normal(0.5, 1.0, 7)
    belief, places = lived(NORMAL, rewards)
    now, weights, centres, variances = 7 // 2, [], [], []
    for firsts, probability in every_partition(now):
        segment = np.array([sum(place >= first for first in firsts) for place in places])
        same = (segment[:, None] == segment).astype(float)
        covariance = WEIGHT**2 * PRIOR.sd**2 * same + SD**2 * np.eye(7)
        mean = np.full(7, WEIGHT * PRIOR.mean)
        weights.append(probability * multivariate_normal(mean, covariance).pdf(rewards))
        here = WEIGHT * PRIOR.sd**2 * (segment == len(firsts))
        gain = np.linalg.solve(covariance, here)
        centres.append(PRIOR.mean + gain @ (rewards - mean))
        variances.append(PRIOR.sd**2 - gain @ here)
    w, c = np.array(weights) / np.sum(weights), np.array(centres)
    centre, sd = mean_and_sd(value_now(belief, 0, 0))
    assert centre == pytest.approx(w @ c, abs=1e-10)
    assert sd == pytest.approx(np.sqrt(w @ (np.array(variances) + (c - w @ c) ** 2)), abs=1e-10)
    found = value_now(belief, 0, 0)
    for v in (-0.5, 0.3, 0.9):
        assert found.weight @ norm.cdf(v, found.centre, found.sd) == pytest.approx(
            w @ norm.cdf(v, c, np.sqrt(variances)), abs=1e-10
        )
    assert rewards_count(belief, 0, 0) == 7


def test_coins_by_enumeration_and_integration() -> None:
    """Marginal likelihoods by quadrature; Laplace's approximation is near them."""
    rewards = [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    belief, places = lived(LOGIT, rewards)

    def moment(at: list[int], power: int) -> float:
        def integrand(level: float) -> float:
            p = 1.0 / (1.0 + np.exp(-WEIGHT * level))
            each = [p if rewards[t] == 1.0 else 1.0 - p for t in at]
            return float(norm.pdf(level, PRIOR.mean, PRIOR.sd) * np.prod(each) * level**power)

        return float(quad(integrand, -8.0, 8.0, epsabs=1e-12)[0])

    weights, centres = [], []
    for firsts, probability in every_partition(3):
        segments = [[t for t, place in enumerate(places) if sum(place >= f for f in firsts) == i + 1]
                    for i in range(len(firsts))]  # fmt: skip
        each = [moment(segment, 0) for segment in segments]
        weights.append(probability * np.prod(each))
        centres.append(moment(segments[-1], 1) / each[-1])
    expected = float(np.average(centres, weights=weights))
    assert mean_and_sd(value_now(belief, 0, 0))[0] == pytest.approx(expected, abs=0.05)


def test_late_rewards_count_as_those_in_time() -> None:
    rewards = np.random.default_rng(2).normal(0.0, 1.0, 8)
    in_time, _ = lived(NORMAL, rewards)
    late, tickets = steps_prior("test", problem_of([NORMAL]), 1), []
    for _ in rewards:
        tickets.append(ticket(late, 0, 0))
        advance(late, 0, 0, 1.0)
    for token, r in reversed(list(zip(tickets, rewards, strict=True))):
        add_reward(late, 0, 0, token, r)
    assert mean_and_sd(value_now(late, 0, 0)) == pytest.approx(mean_and_sd(value_now(in_time, 0, 0)), abs=1e-10)


def test_before_any_reward_it_is_the_prior() -> None:
    """Also at a later place."""
    belief = steps_prior("test", problem_of([NORMAL._replace(dynamics=NORMAL.dynamics._replace(first=5))]), 1)
    assert mean_and_sd(value_now(belief, 0, 0)) == pytest.approx((PRIOR.mean, PRIOR.sd), abs=1e-12)
    now = value_now(belief, 0, 0)
    assert now.weight == pytest.approx([0.7**2, 0.3 * 0.7, 0.3], abs=1e-12)
    assert [level_at(now, u) for u in (0.0, 0.48, 0.5, 0.69, 0.71, 1.0)] == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("policy", [rb.PlanTS(), rb.RogueTS(), rb.PlanUCB(beta=0.3)], ids=str)
def test_policies_play_the_largest_draw_or_bound(policy: Any) -> None:
    arms, rng = [NORMAL, NORMAL], np.random.default_rng(3)
    problem = problem_of(arms)
    state, m = start(policy, problem, 1), uniforms(policy, problem)
    for t in range(9):
        learn(state, 0, t, t % 2, 1.0, play(state, 0, t, t % 2), float(rng.normal()))
    belief = StepsBelief(state.shared.belief, state.personal)
    for _ in range(20):
        u = rng.random(m)
        values = []
        for k in range(2):
            now = value_now(belief, 0, k)
            if isinstance(policy, rb.PlanUCB):
                values.append(np.dot(mean_and_sd(now), (1.0, np.sqrt(0.6 * np.log(10.0)))))
            else:
                s = int(np.searchsorted(np.cumsum(now.weight), u[2 * k], side="right"))
                values.append(now.centre[s] + now.sd[s] * norm.ppf(u[2 * k + 1]))
        assert choose(state, 0, Request(9, np.ones(2, dtype=np.bool_), u))[0] == int(np.argmax(values))


@pytest.mark.parametrize(
    ("arm", "says"),
    [
        (NORMAL._replace(dynamics=rb.Rotting(9, 2, rb.Steps(rate=1.0))), "prior, rate 1.0 must be below 1"),
        (NORMAL._replace(dynamics=rb.Rotting(9, 2, rb.Steps(rate=0.0))), "prior, rate 0.0 must be above 0"),
        (NORMAL._replace(dynamics=rb.Recovering(9, rb.Steps())), "Steps is for Rotting arms"),
        (NORMAL._replace(dynamics=rb.Rotting(9, 2, rb.Monotone(rb.Steps()))), "a Gaussian one, such as Matern"),
    ],
)
def test_refused_by_name(arm: rb.Arm, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        checked_arm(arm)


def test_a_gaussian_process_policy_refuses_it() -> None:
    with pytest.raises(ValueError, match="rgp-ts, arm 0: under a Steps prior its curve has no Gaussian posterior"):
        start(rb.RGPTS(), problem_of([NORMAL]), 1)
