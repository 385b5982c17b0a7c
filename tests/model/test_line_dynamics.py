"""Switched and coupled dynamics: clipped lines of x0 like the simplest, so that all that is exact stays so."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rogue_bandits as rb
from rogue_bandits.model.dynamics.clipped_affine import first_line, state_on_line
from rogue_bandits.types import next_line, next_state
from tests.interpreted import compiled_in_verify as compiled_in_verify
from tests.interpreted import interpreted as interpreted
from tests.matrix import FULL
from tests.oracles import Logit, Normal, Tuned
from tests.oracles.paths import Paths, path_divergence, path_fit, path_loglik, path_upper_bound, readings

slopes = st.one_of(st.sampled_from([-1.0, 0.0, 0.5, 1.0]), st.floats(-1.0, 1.0))
moves = st.one_of(st.just(0.0), st.floats(-2.0, 2.0))
switched = st.builds(rb.SwitchedAffine, slopes, moves, slopes, moves, st.floats(-2.0, 0.0), st.floats(0.1, 2.0))
coupled = st.builds(
    rb.Coupled, slopes, st.tuples(moves, moves, moves), moves, st.floats(-2.0, 0.0), st.floats(0.1, 2.0)
)
shares = st.floats(0.0, 1.0)
NAN = float("nan")


def steps(d: Any, played: list[int]) -> tuple[list[float], list[float]]:
    """The slope and the shift of each decision, from the definitions."""
    if isinstance(d, rb.Coupled):
        return [d.decay] * len(played), [d.drift + (0.0 if j < 0 else d.pull[j]) for j in played]
    return (
        [d.played_decay if p else d.rest_decay for p in played],
        [d.played_drift if p else d.rest_drift for p in played],
    )


def paths_of(arm: rb.Arm, played: list[int]) -> Paths:
    a, b = steps(arm.dynamics, played)
    f, d = arm.rewards, arm.dynamics
    family = Logit(*f) if isinstance(f, rb.BernoulliLogit) else Normal(*f)
    shape = len(played), 1
    return Paths(np.reshape(a, (*shape, 1)), np.reshape(b, shape), np.array([d.lo]), np.array([d.hi]), np.ones(1),
                 family, arm.theta_lo, arm.theta_hi)  # fmt: skip


@given(st.one_of(switched, coupled), st.lists(st.sampled_from([0, 1]), max_size=30), shares)
def test_states_stay_in_bounds_and_lines_follow_them(d: Any, played: list[int], share: float) -> None:
    x0 = x = min(d.lo + share * (d.hi - d.lo), d.hi)
    line = first_line(d)
    a, b = steps(d, played)
    for played_t, a_t, b_t in zip(played, a, b, strict=True):
        expected = min(max(a_t * x + b_t, d.lo), d.hi)
        x, line = next_state(d, x, played_t), next_line(d, line, played_t)
        assert d.lo <= x <= d.hi
        assert x == pytest.approx(expected, abs=1e-15)
        assert state_on_line(line, x0) == pytest.approx(x, abs=1e-13)


@given(slopes, moves, moves, st.lists(st.sampled_from([0.0, 1.0]), max_size=20), shares)
def test_equal_slopes_are_the_clipped_affine_step(
    decay: float, pull: float, drift: float, played: list[float], x: float
) -> None:
    plain, twin = rb.ClippedAffine(decay, pull, drift), rb.SwitchedAffine(decay, pull + drift, decay, drift)
    pair = rb.Coupled(decay, (pull, 0.0), drift)
    one = other = third = x
    for played_t in played:
        one, other = next_state(plain, one, played_t), next_state(twin, other, played_t)
        third = next_state(pair, third, 0.0 if played_t else 1.0)
        assert one == pytest.approx(other, abs=1e-14)
        assert one == pytest.approx(third, abs=1e-14)


def test_the_delay_since_the_last_play() -> None:
    d, x, seen = rb.since_last_play(longest=3), 0.0, []
    for played in [1, 0, 0, 0, 0, 1, 0]:
        x = next_state(d, x, float(played))
        seen.append(round(3 * x))
    assert seen == [0, 1, 2, 3, 3, 0, 1]


def case(kind: str, seed: int) -> tuple[rb.Arm, list[int], list[float]]:
    """An arm and a history in which its rewards came from plays of arm 1."""
    rng = np.random.default_rng(seed)
    family: Any = rb.BernoulliLogit(1.0, 3.0) if seed % 2 else rb.Gaussian(1.0, 1.0, 0.3)
    own: Any = rb.SwitchedAffine(0.4, rng.uniform(-0.5, 0.0), 0.9, rng.uniform(0.0, 0.3))
    if kind == "coupled":
        own = rb.Coupled(0.8, (rng.uniform(-0.2, 0.2), rng.uniform(-0.8, 0.0), -0.1), rng.uniform(0.0, 0.4))
    arm = rb.Arm(own, family, -1.0, 1.0)
    played = rng.integers(-1, 3, 12).tolist() if kind == "coupled" else rng.integers(0, 2, 12).tolist()
    played[3] = 1
    z = readings(paths_of(arm, played), rng.uniform(0.0, 1.0, (1, 1)))[0, :-1]
    if seed % 2:
        drawn = (rng.random(12) < 1.0 / (1.0 + np.exp(-0.3 - 3.0 * z))).astype(np.float64)
    else:
        drawn = 0.3 + z + 0.3 * rng.standard_normal(12)
    return arm, played, [float(r) if p == 1 else NAN for r, p in zip(drawn, played, strict=True)]


# Even seeds draw Gaussian rewards, odd ones 0 and 1.
STARTS = 4 if FULL else 1  # of the oracle's searches
BOTH = [(seed, kind) for seed in range(4) for kind in ("switched", "coupled")]


@pytest.mark.parametrize(("seed", "kind"), BOTH if FULL else [(0, "switched"), (1, "coupled")])
@pytest.mark.usefixtures("compiled_in_verify")
def test_fit_divergence_and_upper_bound_agree_with_brute_force(seed: int, kind: str) -> None:
    arm, played, rewards = case(kind, seed)
    paths = paths_of(arm, played)
    fit, best = rb.fit(arm, played, rewards), path_fit(paths, rewards, 41, STARTS)
    at = np.array([fit.theta, fit.x0])
    assert fit.loglik == pytest.approx(path_loglik(paths, rewards, at[None])[0], abs=1e-9)
    assert fit.loglik >= path_loglik(paths, rewards, best[None])[0] - 1e-6
    one, two = np.array([0.2, 0.4]), np.array([-0.5, 0.9])
    exact = path_divergence(paths, rewards, one[None], two)[0]
    assert rb.divergence(arm, played, rewards, tuple(one), tuple(two)) == pytest.approx(exact, abs=1e-9)
    for variant in ("paper", "corrected"):
        found = rb.upper_bound(arm, played, rewards, rb.TunedRadius(1.0, variant))
        exact = path_upper_bound(paths, rewards, at, Tuned(1.0, variant), 41, STARTS)
        assert found == pytest.approx(exact, abs=1e-5)


# The paper's second worked example, as its text has it: who is played goes to 0, the other to 1.
FLIPS = [rb.Coupled(1.0, (-2.0, 0.0), 1.0), rb.Coupled(1.0, (0.0, -2.0), 1.0)]


@pytest.mark.usefixtures("interpreted")
def test_the_paper_s_coupled_example_is_played() -> None:
    arms = [rb.Arm(d, rb.Gaussian(1.0, 1.0, 1.0), -1.0, 1.0) for d in FLIPS]
    plain = [arm._replace(dynamics=rb.ClippedAffine(1.0, -2.0, 1.0)) for arm in arms]
    traces = [
        rb.simulate(rb.Truth(some, [0.0, 0.0], [0.2, 0.7]), rb.TunedRogueUCB(), horizon=200, people=2, seed=5)
        for some in (arms, plain)
    ]
    assert np.array_equal(traces[0].arm, traces[1].arm)
    assert traces[0].mean == pytest.approx(traces[1].mean)
    plans = [rb.optimal_plan(rb.Truth(some, [0.0, 0.0], [0.2, 0.7]), horizon=50).total for some in (arms, plain)]
    assert plans[0] == pytest.approx(plans[1])


@pytest.mark.usefixtures("compiled_in_verify")
def test_a_coupled_bandit_is_saved_and_goes_on() -> None:
    bandit = rb.Bandit([rb.Arm(d, rb.BernoulliLogit(1.0, 1.0)) for d in FLIPS], rb.EpsilonRogue(), seed=3)
    for r in (1, 0, 1):
        bandit.update(bandit.choose(), r)
    bandit.rest()
    text = bandit.to_json()
    assert json.loads(text)["arms"][0]["dynamics"]["pull"] == [-2.0, 0.0]
    twin = rb.Bandit.from_json(text)
    assert [twin.choose() for _ in range(5)] == [bandit.choose() for _ in range(5)]


@pytest.mark.parametrize(("dynamics", "message"), [
    (rb.SwitchedAffine(1.5, 0.0, 1.0, 0.0), "arm 0, played_decay 1.5 must be from -1 to 1"),
    (rb.SwitchedAffine(1.0, 0.0, -1.1, 0.0), "arm 0, rest_decay -1.1 must be from -1 to 1"),
    (rb.SwitchedAffine(0.5, 0.0, 0.5, 0.0, 1.0, 0.0), "arm 0, lo 1.0 must not be above hi 0.0"),
    (rb.Coupled(1.2, (0.0,), 0.0), "arm 0, decay 1.2 must be from -1 to 1"),
    (rb.Coupled(0.5, (0.0, NAN), 0.0), r"arm 0, pull\[1\] nan must be finite"),
    (rb.Coupled(0.5, (), 0.0), "arm 0, pull is empty: it must have at least one number"),
    (rb.Coupled(0.5, (0.0, 0.0), 0.0), "arm 0, pull has 2 values for 1 arms"),
])  # fmt: skip
def test_bad_dynamics_are_refused(dynamics: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        rb.Bandit([rb.Arm(dynamics, rb.BernoulliLogit(1.0, 1.0))], rb.Random())


def test_a_field_of_the_wrong_form_is_refused() -> None:
    with pytest.raises(TypeError, match=r"arm 0, pull 0.5 must be a list of numbers"):
        rb.Bandit([rb.Arm(rb.Coupled(0.5, 0.5, 0.0), rb.BernoulliLogit(1.0, 1.0))], rb.Random())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"arm 0, decay \(0.5, 0.5\) must be a number"):
        rb.Bandit([rb.Arm(rb.ClippedAffine((0.5, 0.5), 0.5, 0.0), rb.BernoulliLogit(1.0, 1.0))], rb.Random())  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="since_last_play, longest 0 must be a whole number, 1 or more"):
        rb.since_last_play(0)


@pytest.mark.parametrize(("played", "rewards", "message"), [
    ([1, 3], [0.0, NAN], "decision 1, played 3 must be the number of an arm, 0 to 1, or -1 for none"),
    ([1, -1], [0.0, 1.0], "decision 1, reward 1 was given but no arm was played: it must be nan"),
    ([1, 0], [0.0, 1.0], "decision 1, reward 1 came from arm 0, that of decision 0 from arm 1"),
])  # fmt: skip
def test_plays_that_a_coupled_arm_cannot_have_seen_are_refused(
    played: list[int], rewards: list[float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        rb.fit(rb.Arm(FLIPS[1], rb.BernoulliLogit(1.0, 1.0)), played, rewards)


@pytest.mark.parametrize("played", [[True, False, True], np.array([True, False, True])])
def test_flags_in_place_of_arm_numbers_are_refused(played: Any) -> None:
    words = (
        "played holds True and False, and Coupled dynamics need the number of the arm played, 0 to 1, or -1 for none"
    )
    with pytest.raises(TypeError, match=words):
        rb.fit(rb.Arm(FLIPS[1], rb.BernoulliLogit(1.0, 1.0)), played, [1.0, NAN, 0.0])


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("fit_or_bound", [rb.fit, rb.upper_bound])
def test_numbers_that_may_be_flags_are_read_as_arm_numbers_with_a_warning(fit_or_bound: Any) -> None:
    arm = rb.Arm(rb.Coupled(0.5, (-0.3, 0.2), 0.1), rb.Gaussian(1.0, 1.0, 0.5))
    with pytest.warns(
        RuntimeWarning, match="read as arm numbers: arm 1 gave the rewards, and arm 0 was played"
    ) as warned:
        read = fit_or_bound(arm, [1, 0, 1], [0.9, NAN, 0.4])
    assert warned[0].filename == __file__
    resting = fit_or_bound(arm, [1, -1, 1], [0.9, NAN, 0.4])
    assert read != resting
    assert fit_or_bound(arm, [0, -1, 0], [0.9, NAN, 0.4]) != resting  # neither may be flags


@pytest.mark.parametrize("arms", [2**15, 40_000])
def test_more_arms_than_decisions_can_number_are_refused(arms: int) -> None:
    many = [rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(1.0, 1.0))] * arms
    with pytest.raises(ValueError, match=f"^a bandit can have at most 32,767 arms, and arms has {arms:,}$"):
        rb.Bandit(many, rb.Random())
