"""Sums of settled rewards of families given by `loglik`, against sums over all rewards."""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rogue_bandits as rb
from rogue_bandits.belief.contract import (
    OFFLINE_EVALUATIONS,
    ONLINE_EVALUATIONS,
    add_reward,
    advance,
    belief_of,
    divergence,
    empty_belief,
    fit,
    log_likelihood,
    refit,
    rewards_count,
    ticket,
    upper_bound,
    with_places,
)
from rogue_bandits.belief.nodes import summing_tables
from rogue_bandits.belief.radius import rule_for
from rogue_bandits.model import Numeric, effective_support
from rogue_bandits.model.problem import problem_of
from rogue_bandits.model.rewards.weighted import projected_arm
from rogue_bandits.types import draw, kl, loglik, next_state, start, support
from tests.belief.numeric_twins import NumericLogit
from tests.matrix import pairs_of


class Bent(NamedTuple):
    """A normal reward whose mean, tanh(2·theta·x), is no function of a linear predictor."""

    sd: float


Numeric.register(Bent)
support.register(Bent)(lambda f: (-math.inf, math.inf, False))


@effective_support.register(Bent)
def bent_effective_support(f: Bent, theta: float, x: float) -> tuple[float, float, float]:
    mean = math.tanh(2.0 * theta * x)
    return mean - 9.0 * f.sd, mean, mean + 9.0 * f.sd


@loglik.register(Bent)
def bent_loglik(f: Bent, theta: float, x: float, r: float) -> float:
    z = (r - math.tanh(2.0 * theta * x)) / f.sd
    return -0.5 * z * z - math.log(f.sd * math.sqrt(2.0 * math.pi))


class Peaked(NamedTuple):
    """A density with a kink at theta + x: no function that few nodes hold."""

    scale: float


Numeric.register(Peaked)
support.register(Peaked)(lambda f: (-math.inf, math.inf, False))
effective_support.register(Peaked)(
    lambda f, theta, x: (theta + x - 40.0 * f.scale, theta + x, theta + x + 40.0 * f.scale)
)
loglik.register(Peaked)(lambda f, theta, x, r: -abs(r - theta - x) / f.scale - math.log(2.0 * f.scale))

CLIPPED = rb.ClippedAffine(0.6, -1.0, 0.5)
FADING = rb.ClippedAffine(0.3, -0.2, 0.4)  # no clip: the first state is forgotten after some thirty decisions
SATURATING = rb.Saturating(0.2, 0.4, 0.3)
ARMS = {
    "logit": rb.Arm(CLIPPED, NumericLogit(1.0, 3.0), -1.0, 1.0),
    "probit": rb.Arm(FADING, rb.BernoulliProbit(1.0, 2.0), -1.0, 1.0),
    "a mean of one's own": rb.Arm(CLIPPED, Bent(0.3), 0.0, 1.0),
    "known states": rb.Arm(rb.ClippedAffine(0.98, -0.05, 0.02), Bent(0.3), 0.0, 1.0, x0=0.8),
    "known logit": rb.Arm(FADING, NumericLogit(1.0, 3.0), -1.0, 1.0, x0=0.3),
    "agent": rb.Arm(CLIPPED, rb.LogisticAgent(), 0.1, 0.6),
    "play log": rb.Arm(SATURATING, NumericLogit(1.0, 3.0), -1.0, 1.0),
}


class History(NamedTuple):
    played: list[float]
    rewards: list[float]  # nan where it was not played


def history_of(arm: rb.Arm, decisions: int, seed: int) -> History:
    """Plays at random, and the rewards of a true arm."""
    rng = np.random.default_rng(seed)
    theta, x = rng.uniform(arm.theta_lo, arm.theta_hi), arm.x0 if arm.x0 is not None else rng.random()
    played = (rng.random(decisions) < 0.6).astype(float).tolist()
    rewards = []
    for on in played:
        rewards.append(float(draw(arm.rewards, theta, x, float(rng.random()))) if on else math.nan)
        x = next_state(arm.dynamics, x, on)
    return History(played, rewards)


def believed(arm: rb.Arm, history: History, evaluations: int = ONLINE_EVALUATIONS) -> Any:
    """The belief of a policy (or, offline, of `rb.fit`) after a history, by laws as plain Python."""
    belief = empty_belief(problem_of([arm]), 1, evaluations)
    belief = belief_of(with_places(belief.personal, len(history.played) + 1), belief.shared)
    moved = False
    for on, r in zip(history.played, history.rewards, strict=True):
        if on:
            moved = add_reward(belief, 0, 0, ticket(belief, 0, 0), r) or moved
        advance(belief, 0, 0, on)
    refit(belief, 0, 0, moved)
    return belief


def path(arm: rb.Arm, history: History, x0: float) -> list[tuple[float, float]]:
    """The state and the reward of each decision with one."""
    x, found = x0, []
    for on, r in zip(history.played, history.rewards, strict=True):
        if on:
            found.append((x, r))
        x = next_state(arm.dynamics, x, on)
    return found


def some_point(arm: rb.Arm, rng: np.random.Generator) -> tuple[float, float]:
    x0 = arm.x0 if arm.x0 is not None else rng.uniform(arm.dynamics.lo, arm.dynamics.hi)
    return rng.uniform(arm.theta_lo, arm.theta_hi), x0


@pytest.mark.parametrize("name", ARMS)
def test_sums_are_sums_over_all_rewards(name: str) -> None:
    arm, rng = ARMS[name], np.random.default_rng(5)
    history = history_of(arm, 70, seed=2)
    belief = believed(arm, history)
    assert belief.personal.sums[0, 0, 0] > 10  # most are summed up
    assert rewards_count(belief, 0, 0) == sum(history.played)
    for _ in range(8):
        (theta, x0), (theta2, x02) = some_point(arm, rng), some_point(arm, rng)
        one, other = path(arm, history, x0), path(arm, history, x02)
        exact = math.fsum(loglik(arm.rewards, theta, x, r) for x, r in one)
        assert log_likelihood(belief, 0, 0, theta, np.array([x0])) == pytest.approx(exact, rel=1e-10, abs=1e-10)
        far = math.fsum(kl(arm.rewards, theta, x, theta2, x2) for (x, _), (x2, _) in zip(one, other, strict=True))
        found = divergence(belief, 0, 0, theta, np.array([x0]), theta2, np.array([x02]))
        assert found == pytest.approx(far, rel=1e-8, abs=1e-9)


@pytest.mark.parametrize(("name", "variant"), pairs_of(["logit", "probit", "known logit"], ["paper", "corrected"], 1))
def test_fit_and_bound_are_those_of_all_rewards(name: str, variant: str) -> None:
    """Offline nothing is summed up: the same laws, over every reward."""
    arm = ARMS[name]
    history = history_of(arm, 40, seed=3)
    summed, kept = believed(arm, history), believed(arm, history, OFFLINE_EVALUATIONS)
    assert kept.personal.sums[0, 0, 0] == 0.0 < summed.personal.sums[0, 0, 0]
    (theta, _), (theta_kept, x0_kept) = fit(summed, 0, 0), fit(kept, 0, 0)
    assert theta == pytest.approx(theta_kept, abs=1e-7)
    assert log_likelihood(summed, 0, 0, *fit(summed, 0, 0)) == pytest.approx(
        log_likelihood(kept, 0, 0, theta_kept, x0_kept), abs=1e-9
    )
    rule = rule_for(rb.TunedRadius(1.0, variant), arm)
    bounds = [upper_bound(belief, 0, 0, rule, math.log(41.0)) for belief in (summed, kept)]
    assert bounds[0] == pytest.approx(bounds[1], abs=1e-7)


@given(st.floats(-1.0, 1.0), st.floats(1e-9, 0.5), st.integers(0, 3))
@settings(max_examples=25, deadline=None)
def test_divergences_close_to_each_other_keep_their_digits(theta: float, apart: float, seed: int) -> None:
    """At 1e-9 from each other the divergence is 1e-18: a difference of sums would have lost it."""
    arm = ARMS["logit"]._replace(x0=0.5)
    belief = believed(arm, history_of(arm, 20, seed))
    history, theta2 = history_of(arm, 20, seed), theta + apart if theta < 0.0 else theta - apart
    exact = 0.0
    for x, _ in path(arm, history, 0.5):
        p, q, between = (1.0 / (1.0 + math.exp(-t - 3.0 * x)) for t in (theta, theta2, theta + (theta2 - theta) / 3.0))
        close = 0.5 * (theta - theta2) ** 2 * between * (1.0 - between)  # to fourth order: A'' at a third of the way
        exact += close if apart < 1e-3 else p * math.log(p / q) + (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    found = divergence(belief, 0, 0, theta, np.array([0.5]), theta2, np.array([0.5]))
    assert found == pytest.approx(exact, rel=1e-6 if apart < 1e-3 else 1e-8)


def test_all_states_known_means_that_no_reward_is_kept() -> None:
    arm = ARMS["known states"]
    belief = believed(arm, history_of(arm, 50, seed=1))
    assert belief.personal.early_n[0, 0] == 0


def test_a_density_with_a_kink_at_theta_is_kept_and_a_policy_warns() -> None:
    arm = rb.Arm(CLIPPED, Peaked(0.3))
    assert not summing_tables([projected_arm(arm)]).is_summed.any()
    with pytest.warns(RuntimeWarning, match="Peaked rewards cannot be summed up, as their likelihood or divergence"):
        start(rb.EpsilonRogue(), problem_of([arm, arm]), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        start(rb.EpsilonRogue(), problem_of([ARMS["logit"]]), 1)


def test_a_reward_that_the_nodes_do_not_hold_is_kept() -> None:
    """One so unlikely that its likelihood varies too fast, as a nan does."""
    arm = ARMS["known states"]
    belief = empty_belief(problem_of([arm]), 1, ONLINE_EVALUATIONS)
    with np.errstate(invalid="ignore"):
        assert add_reward(belief, 0, 0, ticket(belief, 0, 0), math.inf)
    assert not add_reward(belief, 0, 0, ticket(belief, 0, 0), 0.4)
    assert belief.personal.early_n[0, 0] == 1
    assert belief.personal.sums[0, 0, 0] == 1.0


def test_a_snapshot_without_room_for_sums_goes_on_keeping_rewards() -> None:
    """Such as one that was saved before rewards were summed up."""
    arm = ARMS["known states"]
    belief = empty_belief(problem_of([arm]), 1, ONLINE_EVALUATIONS)
    old = belief._replace(personal=belief.personal._replace(w=np.zeros((1, 1, 3))))
    assert add_reward(old, 0, 0, ticket(old, 0, 0), 0.4)
    assert old.personal.early_n[0, 0] == 1
