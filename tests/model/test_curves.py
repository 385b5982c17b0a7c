"""Dynamics of arms with an unknown curve, priors of a curve, and truths that have one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gamma, kv

import rogue_bandits as rb
from rogue_bandits.model.dynamics.curves import place_on_curve
from rogue_bandits.model.priors import LEFT_OUT, curve_covariance, curve_features
from rogue_bandits.model.rewards.weighted import arms_and_states
from rogue_bandits.model.validation import checked_arm, checked_truth, curve_length
from rogue_bandits.types import draw, mean, next_state
from tests.interpreted import interpreted as interpreted

NORMAL = rb.Gaussian(1.0, 0.0, 0.5)
PRIORS = [rb.SquaredExponential(4.0, 0.7), rb.Matern(4.0, 0.7), rb.RandomWalk(0.3, 0.7)]


@given(plays=st.lists(st.booleans(), max_size=40), longest=st.integers(1, 9), first=st.integers(0, 9))
def test_states_count_rests_and_plays(plays: list[bool], longest: int, first: int) -> None:
    """Against the definition: look back for the last play; count the plays."""
    first = min(first, longest)
    recovering, rotting = rb.Recovering(longest, first=first), rb.Rotting(longest, first=first)
    delay, count = float(first), float(first)
    for played in plays:
        delay, count = next_state(recovering, delay, float(played)), next_state(rotting, count, float(played))
    rests = list(reversed(plays)).index(True) if any(plays) else len(plays) + first
    assert delay == min(rests, longest)
    assert count == min(first + sum(plays), longest)


def test_places_of_cells() -> None:
    d = rb.Rotting(longest=10, width=4)
    assert [place_on_curve(d, float(x)) for x in range(11)] == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2]
    assert curve_length(d) == 3


def test_matern_is_that_of_the_bessel_function() -> None:
    """The general Matérn covariance of smoothness 3/2."""
    nu, prior = 1.5, rb.Matern(length=3.0, sd=0.5)
    s = np.sqrt(2.0 * nu) * np.arange(1.0, 8.0) / prior.length
    expected = prior.sd**2 * 2.0 ** (1.0 - nu) / gamma(nu) * s**nu * kv(nu, s)
    np.testing.assert_allclose(curve_covariance(prior, 8)[0, 1:], expected, rtol=1e-12)


def test_random_walk_is_a_sum_of_changes() -> None:
    prior, size = rb.RandomWalk(step=0.3, sd=0.7), 6
    sums = np.tril(np.ones((size, size)))
    np.testing.assert_allclose(
        curve_covariance(prior, size), sums @ np.diag([prior.sd**2, *[prior.step**2] * (size - 1)]) @ sums.T
    )


@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)
def test_features_have_the_covariance(prior: Any) -> None:
    features, covariance = curve_features(prior, 31), curve_covariance(prior, 31)
    left_out = np.trace(covariance - features @ features.T) / np.trace(covariance)
    assert -1e-14 <= left_out <= LEFT_OUT
    assert np.abs(covariance - features @ features.T).max() <= LEFT_OUT * np.trace(covariance)


def test_a_truth_has_the_mean_of_its_curve() -> None:
    curves = [(0.1, 0.4, 0.2), (0.9, 0.3)]
    arms = [rb.Arm(rb.Recovering(2), NORMAL), rb.Arm(rb.Recovering(1), NORMAL)]
    inside, theta, x0 = arms_and_states(checked_truth(rb.Truth(arms, curves, [0, 0])))
    assert x0.tolist() == [0.0, 0.0]
    for arm, curve in zip(inside, curves, strict=True):
        assert [mean(arm.rewards, theta[0], float(x)) for x in range(len(curve))] == list(curve)
        assert draw(arm.rewards, theta[0], 1.0, 0.5) == pytest.approx(curve[1])


def test_simulated_rewards_follow_the_curve(interpreted: None) -> None:
    """Means along the arms played, by hand; rewards differ from them by the noise."""
    curves = np.array([[0.1, 0.4, 0.2], [0.9, 0.3, 0.5]])
    truth = rb.Truth([rb.Arm(rb.Recovering(2), NORMAL)] * 2, curves.tolist(), [0, 0])
    trace = rb.simulate(truth, rb.Random(), horizon=200, people=2, seed=3)
    means = trace.mean
    for person in range(2):
        last = [-1, -1]
        for t, arm in enumerate(trace.arm[person]):
            assert means[person, t] == curves[arm, min(t - last[arm] - 1, 2)]
            last[arm] = t
    noise = trace.reward - means
    assert abs(noise.mean()) < 4.0 * NORMAL.sd / np.sqrt(noise.size)  # fails once in 16,000 seeds


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"dynamics": rb.Recovering(2.5)}, "longest 2.5 must be a whole number, 1 or more, at most 999"),
        ({"dynamics": rb.Recovering(0)}, "longest 0 must be a whole number"),
        ({"dynamics": rb.Recovering(3, first=4)}, "first 4 must be a whole number, 0 or more, at most 3"),
        ({"dynamics": rb.Rotting(10, width=11)}, "width 11 must be a whole number, 1 or more, at most 10"),
        ({"dynamics": rb.Rotting(5000, width=2)}, "width 2 gives the curve 2,501 values: at most 1,000 are allowed"),
        ({"dynamics": rb.Recovering(3, rb.Matern(0.0))}, "prior, length 0.0 must be above 0"),
        (
            {"dynamics": rb.Recovering(3, rb.RandomWalk(0.1, mean=2.0))},
            "mean 2.0 must be from theta_lo 0.0 to theta_hi",
        ),
        ({"dynamics": rb.Recovering(3, rb.Gaussian(1.0, 0.0, 1.0))}, "must be one of SquaredExponential, Matern"),
        ({"rewards": rb.Gaussian(1.0, 0.5, 0.5)}, "a state_weight of 0"),
        ({"rewards": rb.Gaussian(0.0, 0.0, 0.5)}, "a theta_weight other than 0"),
    ],
)
def test_refused_by_name(change: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=f"arm 'walk', .*{says}"):
        checked_arm(rb.Arm(rb.Recovering(3), NORMAL, name="walk")._replace(**change))


def test_a_prior_that_is_none() -> None:
    with pytest.raises(TypeError, match="prior 5 must be a prior, such as SquaredExponential"):
        checked_arm(rb.Arm(rb.Recovering(3, prior=5), NORMAL))


def test_truths_refused_by_name() -> None:
    arm = rb.Arm(rb.Recovering(2), NORMAL)
    with pytest.raises(ValueError, match="theta has 2 numbers, and must have 3"):
        checked_truth(rb.Truth([arm], [(0.1, 0.2)], [0]))
    with pytest.raises(ValueError, match=r"theta\[2\] 1.5 must be from 0.0 to 1.0"):
        checked_truth(rb.Truth([arm], [(0.1, 0.2, 1.5)], [0]))
    with pytest.raises(ValueError, match=r"x0 1.0 must be from 0.0 to 0.0"):
        checked_truth(rb.Truth([arm], [(0.1, 0.2, 0.3)], [1]))
