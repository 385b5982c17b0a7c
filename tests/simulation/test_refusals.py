"""Laws of a user's own that break in a simulation, where nobody tried them: named with their values, and when."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.model.probe import first_no_reward
from rogue_bandits.simulation.simulate import DECISIONS_AT_ONCE, PEOPLE_AT_ONCE, simulate
from rogue_bandits.types import Problem, next_state, start
from tests.conformance.models import family, log_partition
from tests.interpreted import compiled_in_verify as compiled_in_verify
from tests.interpreted import interpreted as interpreted
from tests.matrix import FULL
from tests.simulation.test_simulate import FAST, uniforms


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


EVERY_CROWD = [(name, people) for name in BROKEN_DRAWS for people in (3, PEOPLE_AT_ONCE + 2)]
FEW_CROWDS = [("outside", PEOPLE_AT_ONCE + 2), *((name, 3) for name in BROKEN_DRAWS)]


@pytest.mark.parametrize(("name", "people"), EVERY_CROWD if FULL else FEW_CROWDS)
def test_a_draw_that_is_no_reward_is_refused_with_its_values(
    name: str, people: int, request: pytest.FixtureRequest
) -> None:
    if name != "outside" and not FULL:
        request.getfixturevalue("interpreted")
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


def test_a_draw_that_breaks_late_is_reported_with_its_decision() -> None:
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


FOR_ALL_FAMILIES = "tuned-rogue-ucb", "epsilon-rogue"
VARIANTS = () if FULL else ("tuned-rogue-ucb-corrected", "rexp3")  # have the laws of another


@pytest.mark.filterwarnings("ignore:Holes rewards cannot be summed up")
@pytest.mark.parametrize("policy", [name for name in rb.POLICIES if name not in VARIANTS])
def test_every_policy_goes_on_until_a_nan_is_reported(policy: str, request: pytest.FixtureRequest) -> None:
    """A policy that needs more of a family, such as a posterior, says so before the first decision."""
    if policy != "sw-ucb" and not FULL:
        request.getfixturevalue("interpreted")
    arm = family("Holes", draw=lambda f, theta, x, u: math.nan if 0.2 < u < 0.5 else u)
    truth, horizon = rb.Truth([arm, arm], [0.3, 0.7], [0.2, 0.4]), 12 if FULL else 6
    refused = refusal_to_start(policy, truth.arms, horizon)
    words = r"is nan at decision \d+ of person \d: must be finite"
    if refused is not None:
        assert rb.POLICIES[policy].is_rogue
        assert policy not in FOR_ALL_FAMILIES
        assert "Holes" in refused
        words = re.escape(refused)
    with pytest.raises((TypeError, ValueError), match=words):
        simulate(truth, rb.POLICIES[policy](), horizon, people=2)


def refusal_to_start(policy: str, arms: Sequence[rb.Arm], horizon: int) -> str | None:
    """The error of a policy that cannot start with these arms; None if it can."""
    try:
        start(rb.POLICIES[policy](), Problem(tuple(arms), horizon), 1)
    except (TypeError, ValueError) as error:
        return str(error)
    return None


def strict_loglik(f: Any, theta: float, x: float, r: float) -> float:
    if r < 0.0:
        raise ValueError("a negative reward")
    return (theta - x) * r - log_partition(theta - x)


@pytest.mark.usefixtures("compiled_in_verify")
@pytest.mark.filterwarnings("ignore:Strict rewards cannot be summed up")
def test_a_draw_out_of_the_support_is_reported_rather_than_the_law_that_raises() -> None:
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
