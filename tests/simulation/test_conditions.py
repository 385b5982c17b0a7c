"""Late and missing rewards, arms that are not available, and learners who assume other arms than the truth's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief import evidence
from rogue_bandits.simulation import simulate as module
from rogue_bandits.simulation.simulate import DECISIONS_AT_ONCE, PEOPLE_AT_ONCE, simulate
from rogue_bandits.types import (
    Problem,
    draw,
    grown,
    mean,
    next_state,
    start,
)
from tests.interpreted import interpreted as interpreted
from tests.policies.histories import TWO_ARMS
from tests.simulation.notes import Notes, noted

TRUTH = rb.Truth(TWO_ARMS, [0.5, 0.7], [0.1, 0.3])
KEYS = "arm", "reward", "probability", "known_at", "available"


def assert_same(one: rb.Trace, other: rb.Trace, rows: Any = slice(None), keys: tuple[str, ...] = KEYS) -> None:
    for name in keys:
        a, b = getattr(one, name), getattr(other, name)
        assert (a is None) == (b is None)
        if a is not None:
            assert np.array_equal(a, b[rows], equal_nan=a.dtype == np.float64), name


def streams(seed: int, person: int, horizon: int, arms: int = 2) -> tuple[Any, Any]:
    """The person's uniforms as documented: of choice and reward, and of the conditions."""
    of = [
        np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))
        for key in ((person,), (person, 2))
    ]
    return of[0].random((horizon, 2)), of[1].random((horizon, 2 + arms))


def geometric(u: Any) -> Any:
    return np.floor(np.log1p(-u) / np.log(0.6))


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize(
    "delay", [0, 3, geometric, np.arange(60) % 7, 10**15], ids=["0", "3", "drawn", "array", "forever"]
)
def test_rewards_are_learned_with_their_ticket_when_they_are_due(delay: Any) -> None:
    trace, found = noted(
        lambda: simulate(TRUTH, Notes(60), 60, people=3, seed=5, delay=delay, missing=0.2, available=0.6)
    )
    for person in range(3):
        _, v = streams(5, person, 60)
        wait = delay(v[:, 0]) if callable(delay) else np.broadcast_to(delay, 60)
        last = []
        for t in range(60):
            available = v[t, 2:] < 0.6
            assert trace.available is not None
            assert trace.available[person, t].tolist() == available.tolist()
            is_known = available.any() and v[t, 1] >= 0.2
            due = t + 1 + int(wait[t]) if is_known else -1
            assert trace.known_at is not None
            assert trace.known_at[person, t] == due
            assert found.arm[person, t] == trace.arm[person, t]
            assert (trace.arm[person, t] == -1) == (not available.any()) == bool(np.isnan(trace.reward[person, t]))
            if is_known and due < 60:
                assert (found.learned_at[person, t], found.reward[person, t]) == (due, trace.reward[person, t])
                last.append((due, t, found.order[person, t]))
            else:
                assert found.learned_at[person, t] == -9.0
        assert [order for _, _, order in sorted(last)] == list(range(len(last)))


@pytest.mark.usefixtures("interpreted")
def test_states_recover_at_rests_and_rewards_are_those_of_the_laws() -> None:
    trace = simulate(TRUTH, rb.Random(), 80, people=2, seed=8, available=[0.5, 0.4], delay=1)
    assert trace.available is not None
    means, myopic, regret = trace.mean, trace.myopic, trace.tracking_regret()
    for person in range(2):
        x, (u, _) = list(TRUTH.x0), streams(8, person, 80)
        lost = 0.0
        for t in range(80):
            arm, available = int(trace.arm[person, t]), trace.available[person, t]
            now = [mean(a.rewards, TRUTH.theta[k], x[k]) for k, a in enumerate(TRUTH.arms)]
            if arm == -1:
                assert not available.any()
                assert np.isnan([means[person, t], myopic[person, t], trace.probability[person, t]]).all()
            else:
                assert available[arm]
                r = draw(TRUTH.arms[arm].rewards, TRUTH.theta[arm], x[arm], u[t, 1])
                assert trace.reward[person, t] == r
                assert means[person, t] == pytest.approx(now[arm])
                lost += max(m for m, here in zip(now, available, strict=True) if here) - now[arm]
            assert regret[person, t] == pytest.approx(lost, abs=1e-12)
            x = [next_state(a.dynamics, x[k], float(k == arm)) for k, a in enumerate(TRUTH.arms)]
    played = trace.arm >= 0
    assert trace.average_reward()[:, -1] == pytest.approx(
        [r[p].mean() for r, p in zip(trace.reward, played, strict=True)]
    )


@pytest.mark.usefixtures("interpreted")
def test_one_uniform_more_or_less_of_a_condition_changes_nothing_else() -> None:
    plain = simulate(TRUTH, Notes(40), 40, people=2, seed=3)
    assert plain.known_at is None
    assert plain.available is None
    late = simulate(TRUTH, Notes(40), 40, people=2, seed=3, delay=geometric)
    assert_same(late, plain, keys=("arm", "reward", "probability"))
    both = simulate(TRUTH, Notes(40), 40, people=2, seed=3, delay=geometric, missing=0.3)
    assert both.known_at is not None
    assert late.known_at is not None
    seen = both.known_at >= 0
    assert 0.0 < seen.mean() < 1.0
    assert np.array_equal(both.known_at[seen], late.known_at[seen])


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("policy", [rb.EpsilonRogue(), rb.TunedRogueUCB(), rb.Exp3S(), rb.RogueTS()], ids=str)
def test_conditions_that_ask_for_nothing_change_nothing(policy: Any) -> None:
    plain = simulate(TRUTH, policy, 25, people=2, seed=4)
    for nothing in ({"missing": np.zeros(25)}, {"available": np.ones((25, 2), dtype=bool)}, {"delay": np.zeros(25)}):
        assert_same(
            simulate(TRUTH, policy, 25, people=2, seed=4, **nothing), plain, keys=("arm", "reward", "probability")
        )


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("name", ["epsilon-rogue", "rogue-ts", "d-ucb"])
def test_late_rewards_are_learned_as_a_bandit_online_learns_them(name: str) -> None:
    """A bandit that is given the same arms and rewards, in the same order, ends with the same state."""
    policy, trace = rb.POLICIES[name](**({"horizon": 30} if name == "d-ucb" else {})), None
    keep: list[Any] = []

    def spy(policy: Any, problem: Problem, people: int) -> Any:
        keep.append(start(policy, problem, people))
        return keep[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "start", spy)
        trace = simulate(TRUTH, policy, 30, seed=6, delay=geometric, missing=0.2, available=0.7)
    assert trace.known_at is not None
    made: dict[int, rb.Decision] = {}
    bandit = rb.Bandit(TWO_ARMS, policy, seed=1)
    for t in range(30):
        for s in range(t):
            if trace.known_at[0, s] == t:
                bandit.update(made[s], float(trace.reward[0, s]))
        arm = int(trace.arm[0, t])
        if arm < 0:
            bandit.rest()
        else:
            made[t] = bandit.record(arm, probability=1.0)
    state = bandit._online.state
    for one, other in zip(leaves(keep[-1].personal), leaves(state.personal), strict=True):
        assert np.array_equal(one, other, equal_nan=True)


def leaves(part: Any) -> list[Any]:
    return [part] if isinstance(part, np.ndarray) else [leaf for field in part for leaf in leaves(field)]


# ---- the same whatever the workers -----------------------------------------------------------------------------------
EVERYTHING: dict[str, Any] = {"delay": geometric, "missing": 0.2, "available": [0.7, 0.5], "probabilities": True}


@pytest.mark.parametrize("workers", [2, 3])
def test_workers_and_the_crowd_do_not_matter(workers: int) -> None:
    people, horizon = PEOPLE_AT_ONCE + 5, DECISIONS_AT_ONCE + 30
    alone = simulate(TRUTH, rb.Random(), horizon, people=people, seed=3, **EVERYTHING)
    shared = simulate(TRUTH, rb.Random(), horizon, people=people, seed=3, workers=workers, **EVERYTHING)
    assert_same(alone, shared, keys=(*KEYS, "probabilities"))
    few = simulate(TRUTH, rb.Random(), horizon, people=3, seed=3, **EVERYTHING)
    assert_same(few, alone, slice(3), keys=(*KEYS, "probabilities"))


def test_arrays_over_people_are_each_persons_own() -> None:
    rng, people = np.random.default_rng(1), PEOPLE_AT_ONCE + 3
    available = rng.random((people, 50, 2)) < 0.6
    missing, delay = rng.random((people, 50)) < 0.3, rng.integers(0, 9, (people, 50))
    trace = simulate(
        TRUTH, rb.Random(), 50, people=people, workers=2, available=available, missing=missing, delay=delay
    )
    assert trace.available is not None
    assert trace.known_at is not None
    assert np.array_equal(trace.available, available)
    rest = ~available.any(axis=2)
    assert np.array_equal(trace.known_at, np.where(missing | rest, -1, np.arange(50) + 1 + delay))


@pytest.mark.usefixtures("interpreted")
@pytest.mark.filterwarnings("ignore:.* its first state is forgotten")
def test_room_that_grows_is_room_that_was_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """An arm that never settles keeps every reward; several become known at once, when there may be no room."""
    unmoved = rb.Arm(rb.ClippedAffine(decay=1.0, pull=0.0, drift=0.0), rb.BernoulliLogit(0.4, 0.6))
    truth = rb.Truth([unmoved, unmoved], [0.2, 0.9], [0.5, 0.1])
    bursts: dict[str, Any] = {"delay": 11 - np.arange(48) % 12, "available": [0.9, 0.8]}
    times: list[int] = []

    def counted(state: Any) -> Any:
        times.append(1)
        return grown(state)

    with monkeypatch.context() as patch:
        patch.setattr(module, "grown", counted)
        grew = simulate(truth, rb.EpsilonRogue(), 48, people=2, seed=2, **bursts)
    assert times
    monkeypatch.setattr(evidence, "FIRST_CAPACITY", 48)
    monkeypatch.setattr(module, "grown", None)
    assert_same(simulate(truth, rb.EpsilonRogue(), 48, people=2, seed=2, **bursts), grew)


@pytest.mark.parametrize("policy", [rb.Random(), rb.UCB1Tuned()], ids=str)
def test_compiled_is_interpreted(policy: Any, request: pytest.FixtureRequest) -> None:
    compiled = simulate(TRUTH, policy, 48, people=2, seed=2, **EVERYTHING)
    request.getfixturevalue("interpreted")
    assert_same(simulate(TRUTH, policy, 48, people=2, seed=2, **EVERYTHING), compiled)


# ---- learners who are wrong ------------------------------------------------------------------------------------------
@pytest.mark.usefixtures("interpreted")
def test_the_learner_starts_from_its_arms_and_rewards_come_from_the_truth() -> None:
    slow = [arm._replace(dynamics=arm.dynamics._replace(decay=0.95)) for arm in TWO_ARMS]
    wrong = simulate(TRUTH, rb.EpsilonRogue(), 60, people=2, seed=1, learner_arms=slow)
    right = simulate(TRUTH, rb.EpsilonRogue(), 60, people=2, seed=1, learner_arms=TWO_ARMS)
    assert wrong.learner_arms == slow
    assert_same(right, simulate(TRUTH, rb.EpsilonRogue(), 60, people=2, seed=1), keys=("arm", "reward", "probability"))
    assert not np.array_equal(wrong.arm, right.arm)
    other = simulate(rb.Truth(slow, TRUTH.theta, TRUTH.x0), rb.EpsilonRogue(), 60, people=2, seed=1)
    assert wrong.arm[:, 0].tolist() == other.arm[:, 0].tolist()  # the learner's own model decides,
    for person in range(2):  # the truth's rewards follow
        x, (u, _) = list(TRUTH.x0), streams(1, person, 60)
        for t, arm in enumerate(wrong.arm[person]):
            assert wrong.reward[person, t] == draw(TRUTH.arms[arm].rewards, TRUTH.theta[arm], x[arm], u[t, 1])
            x = [next_state(a.dynamics, x[k], float(k == arm)) for k, a in enumerate(TRUTH.arms)]
