"""Off-policy estimates: exactly unbiased over all histories of a small problem; sums by hand."""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.simulation.log import checked_log
from rogue_bandits.simulation.off_policy import estimated
from rogue_bandits.simulation.replay import fitted_means_along, probabilities_along
from rogue_bandits.types import mean, next_state
from tests.interpreted import interpreted as interpreted
from tests.policies.histories import TWO_ARMS

pytestmark = pytest.mark.usefixtures("interpreted")
TRUTH = rb.Truth(TWO_ARMS, [0.5, 0.7], [0.1, 0.3])
nan = float("nan")


class World(NamedTuple):
    """Every history of a few decisions: what was played and seen, and the probabilities and means along it."""

    log: rb.Log
    likelihood: Any  # [histories, decisions] of the rewards
    mean: Any  # [histories, decisions, arms] true means


def behaviour(arms: list[int], rewards: list[int]) -> float:
    """The probability of arm 1, which depends on all of the past."""
    return 0.35 + 0.3 * sum(rewards) / (1 + len(rewards)) - 0.1 * (arms[-1:] == [1])


def world(decisions: int) -> World:
    found: list[tuple[list[Any], ...]] = []
    for history in itertools.product(itertools.product((0, 1), (0, 1)), repeat=decisions):
        x = list(TRUTH.x0)
        a: list[int] = []
        r: list[int] = []
        b, p, m = [], [], []
        for arm, reward in history:
            one = behaviour(a, r)
            now = [mean(k.rewards, TRUTH.theta[i], x[i]) for i, k in enumerate(TRUTH.arms)]
            b.append(one if arm == 1 else 1.0 - one)
            p.append(now[arm] if reward == 1 else 1.0 - now[arm])
            m.append(now)
            a, r = [*a, arm], [*r, reward]
            x = [next_state(k.dynamics, x[i], float(i == arm)) for i, k in enumerate(TRUTH.arms)]
        found.append((a, r, b, p, m))
    arms, rewards, chosen, likely, means = zip(*found, strict=True)
    return World(rb.Log(arms, rewards, chosen), np.array(likely), np.array(means))


@pytest.mark.parametrize("policy", [rb.EpsilonRogue(), rb.Bounded(rb.TunedRogueUCB(), 0.2), rb.Random()], ids=str)
def test_estimates_are_unbiased_over_all_histories(policy: Any) -> None:
    """Without a random number: the mean of the estimates over every history is the estimand, by its definition."""
    w = world(3)
    log = checked_log(w.log, TWO_ARMS)
    pi, q = probabilities_along(policy, TWO_ARMS, log, 0), fitted_means_along(TWO_ARMS, log)
    own = np.take_along_axis(pi, log.arm[:, :, None], axis=2)[:, :, 0]
    logged_by = np.prod(log.probability * w.likelihood, axis=1)  # of each history
    played_by = np.prod(own * w.likelihood, axis=1)
    assert logged_by.sum() == pytest.approx(1.0)
    assert played_by.sum() == pytest.approx(1.0)
    at_logged = (pi * w.mean).sum(axis=2).mean(axis=1)  # of each history
    for histories, value in (
        ("logged", logged_by @ at_logged),
        ("own", played_by @ np.array(w.log.reward).mean(axis=1)),
    ):
        each = [
            estimated(row(log, i), pi[i : i + 1], q[i : i + 1], histories) for i in range(len(logged_by))
        ]  # fmt: skip
        for name in ("inverse_propensity", "doubly_robust"):
            found = np.array([getattr(one, name).mean for one in each])
            assert logged_by @ found == pytest.approx(value, abs=1e-12), (histories, name)
            if histories == "logged":  # the error is to the value at the histories that were logged
                variance = logged_by @ (found - at_logged) ** 2
                stated = logged_by @ np.array([getattr(one, name).stderr ** 2 for one in each])
                assert variance > 0.0
                assert stated == pytest.approx(variance, rel=0.02)
    assert means_differ(q)


def row(log: Any, i: int) -> Any:
    return log._replace(**{name: getattr(log, name)[i : i + 1] for name in ("arm", "reward", "probability")})


def means_differ(q: Any) -> bool:
    """The regression learns: it is not the same after different rewards."""
    return bool(np.ptp(q[:, 2, 0]) > 1e-3)


def test_the_regression_uses_earlier_rewards_alone() -> None:
    w = world(3)
    log = checked_log(w.log, TWO_ARMS)
    q = fitted_means_along(TWO_ARMS, log)
    for t in range(3):
        past = [tuple(zip(a[:t], r[:t], strict=True)) for a, r in zip(w.log.arm, w.log.reward, strict=True)]
        for one in set(past):
            same = q[[p == one for p in past], t]
            assert np.ptp(same, axis=0).max() == 0.0
    for i in range(0, 64, 7):  # and it is the maximum-likelihood fit
        for k in (0, 1):
            played = [float(a == k) for a in w.log.arm[i][:2]]
            rewards = [r if p else nan for r, p in zip(w.log.reward[i][:2], played, strict=True)]
            if any(played):
                found, x = rb.fit(TWO_ARMS[k], played, rewards), None
                x = found.x0
                for p in played:
                    x = next_state(TWO_ARMS[k].dynamics, x, p)
                assert q[i, 2, k] == pytest.approx(mean(TWO_ARMS[k].rewards, found.theta, x), abs=1e-6)


def test_sums_by_hand() -> None:
    """Random choices in a log of known probabilities: two people, a rest and a reward that was not observed."""
    log = rb.Log(
        arm=[[0, 1, -1], [1, 1, 0]],
        reward=[[1, 0, nan], [1, nan, 1]],
        probability=[[0.25, 0.8, nan], [0.5, 0.4, 0.2]],
    )
    w = [[0.5 / 0.25, 0.5 / 0.8], [0.5 / 0.5, 0.5 / 0.4, 0.5 / 0.2]]
    found = rb.off_policy_value(rb.Random(), log, TWO_ARMS)
    terms = [w[0][0], 0.0, w[1][0], w[1][2]]
    assert (found.decisions, found.people) == (4, 2)
    assert found.inverse_propensity.mean == pytest.approx(sum(terms) / 4)
    assert found.inverse_propensity.stderr == pytest.approx(
        math.sqrt(sum((x - sum(terms) / 4) ** 2 for x in terms) / 3 / 4)
    )
    total = w[0][0] + w[0][1] + w[1][0] + w[1][2]
    assert found.self_normalised.mean == pytest.approx(sum(terms) / total)
    assert found.effective_decisions == pytest.approx(
        total**2 / (w[0][0] ** 2 + w[0][1] ** 2 + w[1][0] ** 2 + w[1][2] ** 2)
    )
    assert found.logged.mean == pytest.approx(3 / 4)
    own = rb.off_policy_value(rb.Random(), log, TWO_ARMS, histories="own")
    c = [w[0][0], w[0][0] * w[0][1], w[1][0], w[1][0] * w[1][1] * w[1][2]]  # of the rewards that were observed
    assert own.inverse_propensity.mean == pytest.approx((c[0] + 0.0 + c[2] + c[3]) / 4)
    first, second, third = (c[0] + c[2]) / (c[0] + c[2]), 0.0, 1.0
    assert own.self_normalised.mean == pytest.approx((2 * first + second + third) / 4)
    assert own.largest_weight == pytest.approx(max(c))


def test_the_policy_that_was_logged_has_the_value_of_the_log() -> None:
    trial = rb.simulate(TRUTH, rb.Random(), 30, people=4, seed=2)
    for histories in ("logged", "own"):
        found = rb.off_policy_value(rb.Random(), trial, histories=histories)
        assert found.inverse_propensity.mean == pytest.approx(trial.reward.mean())
        assert found.self_normalised.mean == pytest.approx(trial.reward.mean())
        assert found.effective_decisions == pytest.approx(120)
        assert found.largest_weight == 1.0
        assert found.inverse_propensity == found.logged


def test_a_trace_is_the_log_that_its_learners_could_write() -> None:
    """Rewards that are never known are left out; late ones are learned when they were known."""
    conditions: dict[str, Any] = {"delay": 3, "missing": 0.3, "available": [0.7, 0.5]}
    trial = rb.simulate(TRUTH, rb.Random(), 40, people=3, seed=2, probabilities=True, **conditions)
    assert trial.known_at is not None
    seen = trial.known_at >= 0
    written = rb.Log(
        trial.arm, np.where(seen, trial.reward, nan), trial.probability, None, trial.available, trial.known_at
    )
    found = rb.off_policy_value(rb.EpsilonRogue(), trial)
    assert found == rb.off_policy_value(rb.EpsilonRogue(), written, TWO_ARMS)
    assert found.decisions == seen.sum()
    at_once = rb.off_policy_value(rb.EpsilonRogue(), written._replace(known_at=None), TWO_ARMS)
    assert found.doubly_robust != at_once.doubly_robust
    changed = np.where(trial.known_at >= 40, 1.0 - written.reward, written.reward)  # known after the last decision
    log, other = checked_log(written, TWO_ARMS), checked_log(written._replace(reward=changed), TWO_ARMS)
    assert np.array_equal(fitted_means_along(TWO_ARMS, log), fitted_means_along(TWO_ARMS, other), equal_nan=True)


def test_one_person_may_be_given_without_an_axis_for_people() -> None:
    log = rb.Log([0, 1, 0], [1, 0, 1], [0.5, 0.5, 0.5])
    twice = rb.Log([[0, 1, 0]], [[1, 0, 1]], [[0.5, 0.5, 0.5]])
    assert rb.off_policy_value(rb.Random(), log, TWO_ARMS) == rb.off_policy_value(rb.Random(), twice, TWO_ARMS)
    assert math.isnan(rb.off_policy_value(rb.Random(), log, TWO_ARMS, histories="own").doubly_robust.stderr)


@pytest.mark.parametrize("name", ["play log", "vectors"])
def test_dynamics_without_a_closed_form_are_regressed_too(name: str) -> None:
    arm = rb.Arm(rb.Saturating(0.2, 0.4, 0.3), rb.BernoulliLogit(0.4, 0.6))
    theta, x0 = 0.5, 0.3
    if name == "vectors":
        dynamics = rb.MatrixAffine(((0.6, 0.1), (0.0, 0.9)), (-1.0, -0.2), (0.5, 0.1), (0.0, 0.0), (1.0, 1.0))
        rewards = rb.Weighted(rb.BernoulliLogit(1.0, 1.0), (0.4, -0.3), (0.6, 0.5))
        arm = rb.Arm(dynamics, rewards, (0.0, 0.0), (1.0, 1.0))
        theta, x0 = (0.3, 0.6), (0.2, 0.8)  # type: ignore[assignment]  # vectors
    trial = rb.simulate(rb.Truth([arm, arm], [theta, theta], [x0, x0]), rb.Random(), 4, people=2, seed=1)
    found = rb.off_policy_value(rb.RoundRobin(), trial)
    assert found.decisions == 8
    assert math.isfinite(found.doubly_robust.mean + found.doubly_robust.stderr)
