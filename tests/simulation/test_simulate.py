"""People × decisions: the same whatever the workers, the crowd and the policy beside it."""

from __future__ import annotations

import importlib
import math
import time
import tracemalloc
from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief import evidence, pool
from rogue_bandits.simulation.kernels import decide
from rogue_bandits.simulation.simulate import DECISIONS_AT_ONCE, PEOPLE_AT_ONCE, simulate
from rogue_bandits.types import draw, next_state
from tests.matrix import FULL
from tests.policies.histories import TWO_ARMS

TRUTH = rb.Truth(TWO_ARMS, [0.5, 0.7], [0.1, 0.3])
UNMOVED = rb.Arm(rb.ClippedAffine(decay=1.0, pull=0.0, drift=0.0), rb.BernoulliLogit(0.4, 0.6))
FAST, SLOW = TWO_ARMS[0].dynamics, TWO_ARMS[1].dynamics
TRUTHS = {
    "bernoulli": TRUTH,
    "gaussian": rb.Truth(
        [rb.Arm(FAST, rb.Gaussian(0.4, 0.6, 0.5)), rb.Arm(SLOW, rb.Gaussian(0.7, 0.3, 0.5))], [0.5, 0.7], [0.1, 0.3]
    ),
    "laplace": rb.Truth(
        [rb.Arm(FAST, rb.LaplaceAgent(), 0.1), rb.Arm(SLOW, rb.LaplaceAgent(), 0.1)], [0.5, 0.2], [0.1, 0.3]
    ),
}
# Those whose settings do not follow from the horizon.
TIMELESS = [rb.TunedRogueUCB(), rb.RogueUCB(scale=1e-3), rb.EpsilonRogue(), rb.Random(), rb.UCB1Tuned()]
each_timeless = pytest.mark.parametrize("policy", TIMELESS, ids=lambda policy: type(policy).__name__)
# One of each kind, as each is compiled in the loop; tests/policies has the laws of all.
KINDS = ("plan-ts", "tuned-rogue-ucb", "epsilon-rogue", "random", "ucb1-tuned", "exp3s", "sw-ucb")
each_policy = pytest.mark.parametrize("policy", rb.POLICIES if FULL else KINDS)


def assert_same(one: rb.Trace, other: rb.Trace, rows: Any = slice(None), columns: Any = slice(None)) -> None:
    """All of `one`, and these rows and columns of `other`, to the last bit."""
    for name in ("arm", "reward", "probability"):
        assert np.array_equal(getattr(one, name), getattr(other, name)[rows, columns], equal_nan=name == "probability")


def uniforms(seed: int, person: int, horizon: int) -> Any:
    """A person's stream, as documented: by seed and number, whatever the policy."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(person,)))).random((horizon, 2))


def test_the_function_is_what_the_package_offers_however_often_it_is_asked() -> None:
    """Though a module of its name be imported."""
    assert importlib.import_module(simulate.__module__).simulate is simulate
    assert [rb.simulate, rb.simulate] == [simulate, simulate]


# ---- the same --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("workers", [2, 3, -1])
@pytest.mark.parametrize("policy", ["tuned-rogue-ucb", "exp3s"])
def test_the_number_of_workers_does_not_matter(policy: str, workers: int) -> None:
    alone = simulate(TRUTH, rb.POLICIES[policy](), horizon=80, people=PEOPLE_AT_ONCE + 9, seed=3)
    assert_same(alone, simulate(TRUTH, rb.POLICIES[policy](), 80, people=PEOPLE_AT_ONCE + 9, seed=3, workers=workers))


@each_policy
def test_one_person_in_a_crowd_is_one_person_alone(policy: str) -> None:
    crowd = simulate(TRUTH, rb.POLICIES[policy](), horizon=60, people=PEOPLE_AT_ONCE + 2, seed=4)
    for people in (1, 5, PEOPLE_AT_ONCE + 1):
        assert_same(simulate(TRUTH, rb.POLICIES[policy](), horizon=60, people=people, seed=4), crowd, slice(people))


def test_people_and_seeds_differ() -> None:
    traces = [simulate(TRUTH, rb.Random(), horizon=64, people=40, seed=seed) for seed in (0, 1)]
    assert len({row.tobytes() for trace in traces for row in trace.arm}) == 80


@each_timeless
@pytest.mark.parametrize(("short", "long"), [(1, 50), (DECISIONS_AT_ONCE + 3, DECISIONS_AT_ONCE + 60)])
def test_a_longer_run_begins_as_the_shorter(policy: Any, short: int, long: int) -> None:
    traces = [simulate(TRUTH, policy, horizon, people=2, seed=5) for horizon in (short, long)]
    assert_same(traces[0], traces[1], columns=slice(short))


# ---- common random numbers -------------------------------------------------------------------------------------------
@each_policy
def test_policies_that_play_the_same_arms_get_the_same_rewards(policy: str) -> None:
    lone = rb.Truth(TWO_ARMS[:1], [0.5], [0.1])
    expected = simulate(lone, rb.Random(), horizon=70, people=3, seed=6)
    found = simulate(lone, rb.POLICIES[policy](), horizon=70, people=3, seed=6)
    assert np.array_equal(found.arm, expected.arm)
    assert np.array_equal(found.reward, expected.reward)
    assert 0.0 < expected.reward.mean() < 1.0


@pytest.mark.parametrize("family", TRUTHS)
def test_rewards_are_those_of_the_laws_at_the_persons_own_uniforms(family: str) -> None:
    truth = TRUTHS[family]
    trace = simulate(truth, rb.Random(), horizon=100, people=2, seed=8)
    for person in range(2):
        x, u = list(truth.x0), uniforms(8, person, 100)
        for t in range(100):
            arm = int(trace.arm[person, t])
            assert arm == int(2 * u[t, 0])
            assert trace.reward[person, t] == pytest.approx(
                draw(truth.arms[arm].rewards, truth.theta[arm], x[arm], u[t, 1]), rel=1e-12, abs=1e-12
            )
            x = [next_state(truth.arms[k].dynamics, x[k], float(k == arm)) for k in range(2)]


@pytest.mark.filterwarnings("ignore:.* its first state is forgotten")  # so that all rewards are early
# ---- room ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("policy", [rb.TunedRogueUCB(), rb.EpsilonRogue()], ids=["tuned-rogue-ucb", "epsilon-rogue"])
def test_room_that_grows_is_room_that_was_there(policy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An arm that never settles keeps rewards or pools them, and people run out of room at different decisions."""
    truth = rb.Truth([UNMOVED, TWO_ARMS[0], UNMOVED], [0.2, 0.5, 0.9], [0.5, 0.1, 0.2])
    grown = simulate(truth, policy, horizon=70, people=4, seed=9)
    assert np.count_nonzero(grown.arm != 1, axis=1).min() > 2 * pool.FIRST_CAPACITY
    monkeypatch.setattr(evidence, "FIRST_CAPACITY", 70)
    assert_same(simulate(truth, policy, horizon=70, people=4, seed=9), grown)


def test_memory_is_little_more_than_the_trace() -> None:
    """18 bytes a decision (an arm of 2, a reward and a probability of 8), and a block of people at work."""
    people, horizon = 100, 10_000
    simulate(TRUTH, rb.Random(), horizon=5)
    tracemalloc.start()
    trace = simulate(TRUTH, rb.Random(), horizon, people=people, seed=10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    kept = 18 * people * horizon
    assert trace.arm.nbytes + trace.reward.nbytes + trace.probability.nbytes == kept
    # A block has two uniforms and a record for each of its decisions; the last one stays while the next is made ready.
    at_work = 2 * PEOPLE_AT_ONCE * DECISIONS_AT_ONCE * (16 + 18)
    assert peak <= kept + at_work + 2**20


# ---- interpreted -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("family", "policy"),
    [
        *((family, rb.Random()) for family in TRUTHS),
        ("bernoulli", rb.TunedRogueUCB()),
        ("bernoulli", rb.EpsilonRogue()),
    ],
)
def test_interpreted_is_compiled(family: str, policy: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = simulate(TRUTHS[family], policy, horizon=12, people=2, seed=11)
    interpreted = decide.py_func  # type: ignore[attr-defined]  # of the dispatcher
    monkeypatch.setattr(importlib.import_module(simulate.__module__), "decide", interpreted)
    trace = simulate(TRUTHS[family], policy, horizon=12, people=2, seed=11)
    assert np.array_equal(trace.arm, compiled.arm)
    assert trace.reward == pytest.approx(compiled.reward, rel=1e-12, abs=1e-12)
    assert trace.probability == pytest.approx(compiled.probability)


# ---- progress --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("workers", [1, 2])
def test_progress_adds_up(workers: int) -> None:
    steps: list[int] = []
    simulate(
        TRUTH, rb.Random(), DECISIONS_AT_ONCE + 1, people=PEOPLE_AT_ONCE + 5, workers=workers, progress=steps.append
    )
    assert sum(steps) == (DECISIONS_AT_ONCE + 1) * (PEOPLE_AT_ONCE + 5)
    assert min(steps) > 0


def test_a_trace_remembers_what_it_is_of() -> None:
    trace = simulate(rb.Truth(TWO_ARMS, [0, 1], [0, 1]), rb.Random(), horizon=4, people=2, seed=12)
    assert trace.truth == rb.Truth(TWO_ARMS, [0.0, 1.0], [0.0, 1.0])
    assert (trace.policy, trace.seed) == (rb.Random(), 12)
    assert trace.arm.shape == trace.reward.shape == trace.probability.shape == (2, 4)


def test_what_stops_one_worker_stops_all() -> None:
    """As Ctrl-C does. Without a word to the other it would live on for hundreds of stretches."""
    steps: list[int] = []

    def stop_the_first(decisions: int) -> None:
        steps.append(decisions)
        if len(steps) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate(TRUTH, rb.TunedRogueUCB(), 400 * DECISIONS_AT_ONCE, people=8, workers=2, progress=stop_the_first)
    so_far = len(steps)
    time.sleep(0.3)
    assert len(steps) <= so_far + 1 < 400


# ---- what is refused -------------------------------------------------------------------------------------------------
MIXED = [TWO_ARMS[0], TWO_ARMS[1]._replace(rewards=rb.Gaussian(1.0, 1.0, 1.0))]
TRUTHS_REFUSED = [
    (TRUTH._replace(theta=[0.5, 1.5]), "truth of arm 1, theta 1.5 must be from 0.0 to 1.0"),
    (TRUTH._replace(theta=[-0.1, 0.5]), "truth of arm 0, theta -0.1 must be from 0.0 to 1.0"),
    (TRUTH._replace(x0=[0.5, 1.5]), "truth of arm 1, x0 1.5 must be from 0.0 to 1.0"),
    (TRUTH._replace(x0=[math.nan, 0.5]), "truth of arm 0, x0 nan must be finite"),
    (TRUTH._replace(theta=[0.5]), "truth, theta has 1 values for 2 arms"),
    (TRUTH._replace(x0=[0.5, 0.5, 0.5]), "truth, x0 has 3 values for 2 arms"),
    (rb.Truth([], [], []), "a bandit needs at least one arm, and arms is empty"),
    (TRUTH._replace(arms=MIXED), "arm 1 has rewards Gaussian where arm 0 has BernoulliLogit"),
]


@pytest.mark.parametrize(("truth", "message"), TRUTHS_REFUSED)
def test_a_truth_that_cannot_be_is_refused(truth: rb.Truth, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        simulate(truth, rb.Random(), horizon=5)


@pytest.mark.parametrize(("horizon", "people", "message"), [
    (0, 1, "simulate, horizon 0 must be a whole number, 1 or more"),
    (-3, 1, "simulate, horizon -3 must be a whole number, 1 or more"),
    (5, 0, "simulate, people 0 must be a whole number, 1 or more"),
])  # fmt: skip
def test_a_run_of_nothing_is_refused(horizon: int, people: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        simulate(TRUTH, rb.Random(), horizon, people=people)


@pytest.mark.parametrize("workers", [0, -2, 1.5])
def test_a_number_of_workers_that_cannot_be_is_refused(workers: Any) -> None:
    with pytest.raises(ValueError, match=f"^simulate, workers {workers} must be 1 or more, or -1 for all cores$"):
        simulate(TRUTH, rb.Random(), 1, workers=workers)


@pytest.mark.parametrize("policy", ["random", None, rb.Random])
def test_what_is_not_a_policy_is_refused(policy: Any) -> None:
    with pytest.raises(TypeError, match="is not a policy"):
        simulate(TRUTH, policy, horizon=5)
