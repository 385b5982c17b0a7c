"""People × decisions: the same whatever the workers, the crowd and the policy beside it."""

from __future__ import annotations

import importlib
import math
import re
import time
import tracemalloc
from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.inference import evidence
from rogue_bandits.model.probe import first_no_reward
from rogue_bandits.simulation import DECISIONS_AT_ONCE, PEOPLE_AT_ONCE, decide, simulate
from rogue_bandits.types import draw, next_state
from tests.conformance.models import family, log_partition
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
each_policy = pytest.mark.parametrize("policy", rb.POLICIES)


def assert_same(one: rb.Trace, other: rb.Trace, rows: Any = slice(None), columns: Any = slice(None)) -> None:
    """All of `one`, and these rows and columns of `other`, to the last bit."""
    for name in ("arm", "reward", "probability"):
        assert np.array_equal(getattr(one, name), getattr(other, name)[rows, columns])


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
    """Of an arm that never settles every reward is kept, and people run out of room at different decisions."""
    truth = rb.Truth([UNMOVED, TWO_ARMS[0], UNMOVED], [0.2, 0.5, 0.9], [0.5, 0.1, 0.2])
    grown = simulate(truth, policy, horizon=70, people=4, seed=9)
    assert np.count_nonzero(grown.arm != 1, axis=1).min() > 2 * evidence.FIRST_CAPACITY
    monkeypatch.setattr(evidence, "FIRST_CAPACITY", 70)
    assert_same(simulate(truth, policy, horizon=70, people=4, seed=9), grown)


def test_memory_is_little_more_than_the_trace() -> None:
    """18 bytes a decision (an arm of 2, a reward and a probability of 8), and a block of people at work."""
    people, horizon = 200, 20_000
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


# ---- laws of a user's own that break where nobody tried them ---------------------------------------------------------
def beyond_half(broken: float) -> Any:
    """Sound at u 0.1 and 0.9, where it is tried at the door."""
    return lambda f, theta, x, u: broken if x > 0.5 and u < 0.05 else u


BROKEN_DRAWS = {
    "outside": (family("Over", draw=beyond_half(1.8)), "1.8", "from 0 to 1 (Over)"),
    "below": (family("Under", draw=beyond_half(-0.25)), "-0.25", "from 0 to 1 (Under)"),
    "nan": (family("Nowhere", draw=beyond_half(math.nan)), "nan", "finite, from 0 to 1 (Nowhere)"),
    "part": (
        family(
            "Parts",
            support=lambda f: (0.0, 1.0, True),
            draw=lambda f, theta, x, u: 0.5 if x > 0.5 and u < 0.05 else 1.0,
            loglik=lambda f, theta, x, r: math.log(0.5),
        ),
        "0.5",
        "0 or 1 (Parts)",
    ),
}


@pytest.mark.parametrize("people", [3, PEOPLE_AT_ONCE + 2])
@pytest.mark.parametrize("name", BROKEN_DRAWS)
def test_a_draw_that_is_no_reward_is_refused_with_its_values(name: str, people: int) -> None:
    arm, r, allowed = BROKEN_DRAWS[name]
    truth = rb.Truth([arm._replace(name="rest"), arm._replace(name="walk")], [0.3, 0.7], [0.2, 0.4])
    with pytest.raises(ValueError, match=rf"must be {re.escape(allowed)}$") as refused:
        simulate(truth, rb.Random(), horizon=200, people=people, seed=14)
    words = (
        r"arm '(rest|walk)', draw\(theta (.+), x (.+), u (.+)\) is (.+) at decision (\d+) of person (\d+): must be .*"
    )
    found = re.fullmatch(words, str(refused.value))
    assert found is not None
    arm_name, theta, x, u, reward, t, person = found.groups()
    mine, k = uniforms(14, int(person), 200), ("rest", "walk").index(arm_name)
    states = list(truth.x0)
    for played in (mine[: int(t), 0] * 2).astype(int):
        states = [next_state(arm.dynamics, states[j], float(j == played)) for j in range(2)]
    assert int(2 * mine[int(t), 0]) == k
    assert (float(theta), reward) == (truth.theta[k], r)
    assert [float(x), float(u)] == pytest.approx([states[k], mine[int(t), 1]], rel=1e-5)


def test_a_draw_that_breaks_late_is_told_with_its_decision() -> None:
    """In the second block of decisions, whose states follow from those of the first."""
    sloth = rb.ClippedAffine(decay=1.0, pull=0.9 / (DECISIONS_AT_ONCE + 50), drift=0.0)
    arm = family("Late", draw=lambda f, theta, x, u: 1.5 if 0.9 < x < 0.95 else u)._replace(dynamics=sloth)
    with pytest.raises(
        ValueError, match=rf"^arm 0, .* x 0\.9.*, .* is 1\.5 at decision {DECISIONS_AT_ONCE + 51} of person 0: "
    ):
        simulate(rb.Truth([arm], [0.3], [0.0]), rb.Random(), horizon=DECISIONS_AT_ONCE + 100)


def test_arms_with_supports_of_their_own_are_asked_for_their_own() -> None:
    """Out of 3 trials, and out of 9: what one arm can give, the other may not."""
    arms = [rb.Arm(FAST, rb.BinomialLogit(0.4, 0.6, trials)) for trials in (3.0, 9.0)]
    trace = simulate(rb.Truth(arms, [0.5, 0.7], [0.1, 0.3]), rb.Random(), horizon=100)
    arm, reward = trace.arm[0], trace.reward[0]
    assert first_no_reward(arms, arm, reward) is None
    assert first_no_reward(arms[::-1], arm, reward) == np.flatnonzero((arm == 1) & (reward > 3.0))[0]


@pytest.mark.filterwarnings("ignore:Holes rewards cannot be summed up")
@pytest.mark.parametrize("policy", [name for name in rb.POLICIES if name != "rogue-ucb"])  # it asks for constants
def test_every_policy_lives_through_what_is_no_number_until_it_is_told(policy: str) -> None:
    arm = family("Holes", draw=lambda f, theta, x, u: math.nan if u < 0.05 else u)
    with pytest.raises(ValueError, match=r"is nan at decision \d+ of person \d: must be finite"):
        simulate(rb.Truth([arm, arm], [0.3, 0.7], [0.2, 0.4]), rb.POLICIES[policy](), horizon=60, people=2)


def strict_loglik(f: Any, theta: float, x: float, r: float) -> float:
    if r < 0.0:
        raise ValueError("a negative reward")
    return (theta - x) * r - log_partition(theta - x)


@pytest.mark.filterwarnings("ignore:Strict rewards cannot be summed up")
def test_a_draw_that_nobody_can_learn_from_is_blamed_rather_than_the_law_that_says_so() -> None:
    arm = family("Strict", draw=lambda f, theta, x, u: -0.25 if u < 0.05 else u, loglik=strict_loglik)
    words = r"^arm [01], draw\(theta .* is -0\.25 at decision \d+ of person \d: must be from 0 to 1 \(Strict\)$"
    with pytest.raises(ValueError, match=words):
        simulate(rb.Truth([arm, arm], [0.3, 0.7], [0.2, 0.4]), rb.EpsilonRogue(), horizon=60, people=2)


@pytest.mark.parametrize("theta", [[0.3, 0.3], [0.3, 0.8]])
def test_a_mean_that_is_no_number_is_refused_where_it_is_asked_for(theta: list[float]) -> None:
    """Also that of an arm which is not played."""
    arm = family("Gap", mean=lambda f, theta, x: math.nan if 0.6 < x < 0.9 else 0.5, draw=lambda f, theta, x, u: u)
    arm = arm._replace(name="walk")
    trace = simulate(rb.Truth([arm, arm], theta, [0.2, 0.2]), rb.Random(), horizon=50, seed=1)
    words = r"^arm 'walk', mean\(0\.3, 0\.6.*\) is nan at decision 1 of person 0: it must be finite$"
    with pytest.raises(ValueError, match=words):
        _ = trace.mean
    with pytest.raises(ValueError, match=words):
        trace.tracking_regret()
