"""The probability to have the largest value: closed forms, ties, and the law of the draws, by brute force."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief.posterior import drawn_state
from rogue_bandits.policies.rogue import belief_in
from rogue_bandits.policies.value_cdf import fill_value_cdf
from rogue_bandits.policies.value_law import Kinks, arm_value, value_kinks, value_law
from rogue_bandits.policies.value_sweep import fill_by_sweeps, fill_winning_by_sweeps
from rogue_bandits.policies.winning import fill_winning
from rogue_bandits.types import Floats, Problem, Request, choose, learn, play, probabilities, start, uniforms
from tests.matrix import FULL, pairs_of, some_of

LEVELS = 61 if FULL else 11
STILL = rb.ClippedAffine(0.0, 0.0, 0.5)  # at 0.5 after one decision, whatever x0


def begun(policy: Any, arms: list[rb.Arm], rests: int = 1) -> Any:
    """The state after some decisions at which nothing was played."""
    state = start(policy, Problem(tuple(arms)), 1)
    for t in range(rests):
        play(state, 0, t, -1)
    return state


def found(state: Any, arms: int, without: int = -1) -> Floats:
    out, available = np.empty(arms), np.arange(arms) != without
    fill_winning(state, 0, available, out)
    return out


def test_known_states_and_uniform_thetas_are_a_polynomial() -> None:
    """Values are uniform on (0, 1), (0.3, 1.3) and (0, 2): integrals of products of straight lines."""
    arms = [
        rb.Arm(STILL, rb.Gaussian(1.0, 0.0, 1.0), 0.0, 1.0),
        rb.Arm(STILL, rb.Gaussian(1.0, 0.0, 1.0), 0.3, 1.3),
        rb.Arm(STILL, rb.Gaussian(1.0, 0.0, 1.0), 0.0, 2.0),
    ]
    v = np.linspace(0.0, 2.0, 20_001)  # whose points are where the lines bend
    cdf = np.stack([np.clip(v, 0.0, 1.0), np.clip(v - 0.3, 0.0, 1.0), v / 2.0])
    expected = [np.trapezoid(np.delete(cdf, k, axis=0).prod(axis=0), cdf[k]) for k in range(3)]
    assert found(begun(rb.RogueTS(), arms), 3) == pytest.approx(expected, abs=1e-6)
    two = [0.0, 0.0]
    two[0] = 0.7**2 / 2.0
    two[1] = 1.0 - two[0]
    assert found(begun(rb.RogueTS(), arms), 3, without=2) == pytest.approx([*two, 0.0], abs=1e-6)


def test_ties_of_values_that_do_not_depend_on_theta_are_broken_evenly() -> None:
    constant = rb.Arm(STILL, rb.Gaussian(0.0, 1.0, 1.0))
    varied = rb.Arm(STILL, rb.Gaussian(1.0, 0.0, 1.0))
    assert found(begun(rb.RogueTS(), [constant] * 3), 3) == pytest.approx([1 / 3] * 3, abs=1e-9)
    # A value of 0.5 twice, and one that is uniform on (0, 1): it is larger half of the time.
    assert found(begun(rb.RogueTS(), [constant, varied, constant]), 3) == pytest.approx([0.25, 0.5, 0.25], abs=1e-6)


def test_states_at_their_bounds_make_point_masses() -> None:
    """x is 0 for x0 below 0.5, else 2·x0 − 1, and the mean is x: two such arms tie with probability 1/4."""
    doubling = rb.Arm(rb.ClippedAffine(2.0, 0.0, -1.0), rb.Gaussian(0.0, 1.0, 1.0))
    other = doubling._replace(dynamics=rb.ClippedAffine(2.0, 0.0, -0.5))  # at 1 for x0 above 0.75, at 0 below 0.25
    state = begun(rb.RogueTS(), [doubling, doubling])
    assert found(state, 2) == pytest.approx([0.5, 0.5], abs=1e-6)
    x0 = (np.arange(2_000) + 0.5) / 2_000
    a, b = np.clip(2.0 * x0 - 1.0, 0.0, 1.0), np.clip(2.0 * x0 - 0.5, 0.0, 1.0)
    wins = (a[:, None] > b).mean() + 0.5 * (a[:, None] == b).mean()
    assert found(begun(rb.RogueTS(), [doubling, other]), 2) == pytest.approx([wins, 1.0 - wins], abs=2e-4)


ARMS = [
    rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6)),
    rb.Arm(rb.ClippedAffine(0.9, -0.2, 0.1), rb.BernoulliLogit(1.5, 1.0), -1.0, 1.0),
]


def lived(policy: Any, arms: list[rb.Arm], decisions: int) -> Any:
    rng, problem = np.random.default_rng(4), Problem(tuple(arms))
    state, m = start(policy, problem, 1), uniforms(policy, problem)
    for t in range(decisions):
        arm, _ = choose(state, 0, Request(t, np.ones(len(arms), dtype=np.bool_), rng.random(m)))
        learn(state, 0, t, arm, 1.0, play(state, 0, t, arm), float(rng.random() < 0.6))
    return state


def value_cdf(state: Any, k: int, law: Any, v: float) -> float:
    out = np.empty(1)
    fill_value_cdf(state, 0, k, law, np.array([v]), out)
    return float(out[0])


def half_below(drawn: Floats, v: float) -> float:
    return float(0.5 * np.mean(drawn < v - 1e-9) + 0.5 * np.mean(drawn <= v + 1e-9))


@pytest.mark.verify
@pytest.mark.parametrize(
    ("decisions", "policy"), pairs_of([7, 0], [rb.IndexTS(), rb.RogueTS()], 1), ids=lambda value: str(value)
)
def test_the_distribution_function_is_that_of_draws_at_even_quantiles(policy: Any, decisions: int) -> None:
    """A lattice of 3,600 quantiles, of which those where the value is v count half."""
    state, i = lived(policy, ARMS, decisions), np.arange(3_600)
    u = np.stack([(i + 0.5) / i.size, i * (np.sqrt(5.0) - 1.0) / 2.0 % 1.0], axis=1)
    for k in range(2):
        belief, law = belief_in(state), value_law(state, 0, k)
        drawn = np.array([arm_value(state, 0, k, *drawn_state(belief, 0, k, *one)) for one in u.tolist()])
        for v in np.quantile(drawn, [0.02, 0.3, 0.5, 0.9]):
            assert value_cdf(state, k, law, float(v)) == pytest.approx(half_below(drawn, v), abs=2e-3)
        assert value_cdf(state, k, law, drawn.max() + 1.0) == pytest.approx(1.0, abs=1e-9)
        assert value_cdf(state, k, law, drawn.min() - 1.0) == 0.0


@pytest.mark.parametrize("decisions", some_of([0, 7], 1))
def test_sweeps_agree_with_one_level_at_a_time(decisions: int) -> None:
    """They do not split intervals of theta: single levels differ by the error of the quadrature, of either sign."""
    state = lived(rb.IndexTS(), ARMS, decisions)
    for k in range(2) if FULL else [decisions % 2]:
        law = value_law(state, 0, k)
        levels = np.linspace(law.least.min(), law.most.max(), LEVELS)
        swept, single = np.empty(LEVELS), np.empty(LEVELS)
        fill_by_sweeps(law, levels, swept)
        fill_value_cdf(state, 0, k, law, levels, single)
        assert np.abs(swept - single).max() < 5e-3
        assert abs((swept - single).mean()) < 2e-4


class SumState(NamedTuple):
    """A policy whose value is theta + x: linear, with the ends of the ranges as kinks."""

    shared: Any
    personal: Any


@arm_value.register(SumState)
def sum_value(state: Any, person: int, k: int, theta: float, x: float) -> float:
    return theta + x


@value_kinks.register(SumState)
def sum_kinks(state: Any, k: int) -> Kinks:
    return Kinks(-5.0, 10.0, 2, 0.0, 1.0, 2)


def sum_cdf(v: Floats, theta_lo: float, slope: float, offset: float) -> Floats:
    """Of theta + clip(slope·x0 + offset, 0, 1) with uniform theta on (theta_lo, theta_lo + 1) and x0 on (0, 1)."""
    x = np.clip(slope * (np.arange(1_000) + 0.5) / 1_000 + offset, 0.0, 1.0)
    cdf: Floats = np.clip(v[:, None] - x - theta_lo, 0.0, 1.0).mean(axis=1)
    return cdf


def test_sums_of_uniform_numbers_and_states_at_bounds() -> None:
    """Triangular laws, and ones with half of the mass at a bound of the state, by a fine grid of x0."""
    free, clipped = rb.ClippedAffine(1.0, 0.0, 0.0), rb.ClippedAffine(2.0, 0.0, -1.0)
    arms = [rb.Arm(free, rb.Gaussian(1.0, 1.0, 1.0)), rb.Arm(clipped, rb.Gaussian(1.0, 1.0, 1.0), 0.4, 1.4)]
    fresh = begun(rb.RogueTS(), arms)
    out = np.empty(2)
    fill_winning_by_sweeps(SumState(fresh.shared, fresh.personal), 0, np.ones(2, dtype=np.bool_), out)
    v = np.linspace(0.0, 2.4, 1_201)
    one, other = sum_cdf(v, 0.0, 1.0, 0.0), sum_cdf(v, 0.4, 2.0, -1.0)
    wins = float((0.5 * (other[1:] + other[:-1]) * np.diff(one)).sum())
    assert out == pytest.approx([wins, 1.0 - wins], abs=2e-6)


@pytest.mark.parametrize("policy", [rb.RogueTS(), rb.IndexTS()], ids=["rogue-ts", "index-ts"])
def test_probabilities_do_not_depend_on_the_uniforms_once_states_are_known(policy: Any) -> None:
    arms = [arm._replace(dynamics=STILL) for arm in ARMS]
    state, m = begun(policy, arms, 2), uniforms(policy, Problem(tuple(arms)))
    written = np.empty((2, 2))
    for row, u in enumerate((np.zeros(m), np.full(m, 0.7))):
        probabilities(state, 0, Request(2, np.ones(2, dtype=np.bool_), u), written[row])
    assert written[0].tolist() == written[1].tolist()
    assert written[0].sum() == pytest.approx(1.0, abs=1e-12)
