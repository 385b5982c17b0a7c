"""The paper's two worked examples: what it claims of epsilon_a and delta_a, by computation."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.types import kl, mean, next_state

RNG = np.random.default_rng(1)
SEQUENCES = [[0, 1] * 5, [1] * 4 + [0] * 6, [0] * 9 + [1], RNG.integers(0, 2, 12).tolist()]


def shifted(truth: rb.Truth, k: int, plays: list[int]) -> float:
    """What theta alone does: a mean that is wrong by epsilon/2 at every play has ½(epsilon/2)²."""
    return rb.theory.separation(truth, plays).epsilon[k] ** 2 / 8


@pytest.mark.parametrize("plays", SEQUENCES)
@pytest.mark.parametrize("x0", [1.0, 0.3])
def test_epsilon_vanishes_exponentially(x0: float, plays: list[int]) -> None:
    found = rb.theory.separation(rb.theory.vanishing(x0), plays)
    assert found.epsilon == pytest.approx([x0 * 0.5 ** (len(plays) - 1)] * 2)


@pytest.mark.parametrize("plays", SEQUENCES)
def test_delta_vanishes_with_its_square(plays: list[int]) -> None:
    truth = rb.theory.vanishing()
    found = rb.theory.separation(truth, plays)
    for k in (0, 1):
        assert found.delta[k] <= shifted(truth, k, plays) * (1 + 1e-6)


def test_delta_is_of_the_order_that_is_claimed_when_plays_go_on() -> None:
    """Ω(4⁻ᵀ x0²): with plays at half of the decisions, at least 4⁻ᵀ/8 of it."""
    for T in (4, 8, 12):
        found = rb.theory.separation(rb.theory.vanishing(0.5), [0, 1] * (T // 2))
        assert min(found.delta) >= 0.25**T * 0.5**2 / 8


def test_the_claim_fails_for_an_arm_that_is_played_at_its_first_state_alone() -> None:
    """Then theta and x0 are not identifiable, and delta is 0."""
    assert rb.theory.separation(rb.theory.vanishing(0.5), [1, 0, 0, 0, 0]).delta[1] == 0.0


@pytest.mark.parametrize("plays", SEQUENCES)
@pytest.mark.parametrize(("x00", "x10"), [(0.0, 1.0), (0.2, 0.9), (0.5, 0.25), (0.4, 0.4)])
def test_the_arms_of_the_second_example_stay_apart(x00: float, x10: float, plays: list[int]) -> None:
    """ε₀ = ε₁ = min(1, |x00 − x10|), or 1 where they start alike."""
    truth = rb.theory.bounded(x00, x10)
    found = rb.theory.separation(truth, plays)
    expected = abs(x00 - x10) or 1.0
    assert found.epsilon == pytest.approx([expected] * 2)


@pytest.mark.parametrize(("x00", "x10"), [(0.0, 1.0), (0.2, 0.9), (0.4, 0.4)])
def test_the_claimed_delta_is_reached_by_an_arm_not_played_first_and_in_the_limit_by_the_other(
    x00: float, x10: float
) -> None:
    """⅛·min(1, (x00 − x10)²) for the arm that rests at decision 0.

    Of the other's first play x0 takes back as much as its bounds allow, at best all: (n − 1)/n of it remains.
    """
    claimed = ((abs(x00 - x10) or 1.0) ** 2) / 8
    for n in (3, 30, 300):
        found = rb.theory.separation(rb.theory.bounded(x00, x10), [0, 1] * n)
        assert found.delta[1] == pytest.approx(claimed, rel=1e-6)
        assert claimed * (n - 1) / n * (1 - 1e-6) <= found.delta[0] < claimed


def test_played_arms_go_to_0_as_the_text_says_and_with_the_printed_signs_to_1() -> None:
    said = rb.theory.bounded().arms[0].dynamics
    printed = said._replace(pull=2.0, drift=-1.0)
    for x in (0.0, 0.3, 1.0):
        assert (next_state(said, x, 1.0), next_state(said, x, 0.0)) == (0.0, 1.0)
        assert (next_state(printed, x, 1.0), next_state(printed, x, 0.0)) == (1.0, 0.0)


def test_between_the_arms_themselves_the_divergence_is_half_the_squared_difference() -> None:
    """The other way to read δ: the parameters of the other arm. It is ½ from decision 1 on, well above ⅛."""
    f = rb.theory.bounded().arms[0].rewards
    assert kl(f, 0.0, 0.0, 0.0, 1.0) == pytest.approx(0.5)
    assert mean(f, 0.0, 0.7) == 0.7


def test_with_theta_known_nothing_that_matters_is_left_to_learn() -> None:
    truth = rb.theory.bounded()
    known = [arm._replace(rewards=rb.Gaussian(0.0, 1.0, 1.0)) for arm in truth.arms]
    assert rb.theory.separation(truth._replace(arms=known), [0, 1, 1]).delta == [math.inf, math.inf]


def test_a_first_state_outside_its_bounds_is_refused() -> None:
    with pytest.raises(ValueError, match=r"truth of arm 1, x0 1\.5 must be from 0\.0 to 1\.0"):
        rb.theory.vanishing(1.5)
