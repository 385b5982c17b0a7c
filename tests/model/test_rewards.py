"""Every law of a reward family against its density: integrals, differences, and what theory says of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given

from rogue_bandits.types import information, kl, kl_and_slopes, loglik, mean, support
from tests.matrix import pairs_of
from tests.model.families import POINTS, TWINS, Oracle, Twin, points, rewards_of, states, thetas, twins, weights_of
from tests.oracles import Agent, Logit, Normal, Tilted
from tests.oracles.dynamics import Floats
from tests.oracles.glm import natural
from tests.oracles.integration import derivative, expectation

Point = tuple[float, float]
every_twin = pytest.mark.parametrize("twin", TWINS, ids=str)
every_point = pytest.mark.parametrize("point", POINTS)
PAIRS = pairs_of(TWINS, [(point, other) for point in POINTS for other in POINTS], 6)
every_pair = pytest.mark.parametrize(("twin", "pair"), PAIRS, ids=str)


def oracle_law(f: Oracle, law: str, *arguments: Any) -> float:
    """`law` of the oracle, whose laws take arrays; the generalised linear models' take eta for (theta, x)."""
    arrays: list[Floats] = [np.array([argument]) for argument in arguments]
    if isinstance(f, Agent):
        return float(getattr(f, law)(*arrays)[0])
    etas = [natural(f, arrays[i], arrays[i + 1]) for i in range(0, len(arrays) - 1, 2)]
    return float(getattr(f, f"{law}_of")(*etas, *arrays[2 * len(etas) :])[0])


@every_twin
def test_the_support_is_that_of_the_density(twin: Twin) -> None:
    lo, hi, whole = support(twin.family)
    expected = {Logit: (0.0, 1.0), Agent: (0.0, 1.0), Normal: (-math.inf, math.inf)}.get(type(twin.oracle))
    if isinstance(twin.oracle, Tilted):
        r = twin.oracle.rewards()[0]
        expected = (0.0, math.inf) if twin.oracle.kind == "poisson" else (float(np.round(r[0])), float(np.round(r[-1])))
    assert (lo, hi) == pytest.approx(expected, abs=1e-15)
    assert whole is (isinstance(twin.oracle, Logit) or "nomial" in str(twin) or "oisson" in str(twin))


@every_twin
@every_point
def test_loglik_is_the_log_of_the_density(twin: Twin, point: Point) -> None:
    for r in rewards_of(twin):
        assert loglik(twin.family, *point, r) == pytest.approx(
            oracle_law(twin.oracle, "loglik", *point, r), rel=1e-12, abs=1e-11
        )


@every_twin
@every_point
def test_densities_integrate_to_one(twin: Twin, point: Point) -> None:
    f = twin.family
    # Sampling from the oracle's density and weighing by the ratio integrates ours.
    mass = expectation(
        twin.oracle, *point, lambda r: math.exp(loglik(f, *point, r) - oracle_law(twin.oracle, "loglik", *point, r))
    )
    assert mass == pytest.approx(1.0, abs=1e-11)


@every_twin
@every_point
def test_mean_is_the_expected_reward(twin: Twin, point: Point) -> None:
    assert mean(twin.family, *point) == pytest.approx(expectation(twin.oracle, *point, lambda r: r), abs=1e-11)
    assert mean(twin.family, *point) == pytest.approx(oracle_law(twin.oracle, "mean", *point), abs=1e-13, rel=1e-12)


@every_pair
def test_kl_is_the_expected_log_ratio(twin: Twin, pair: tuple[Point, Point]) -> None:
    f, (point, other) = twin.family, pair
    integral = expectation(twin.oracle, *point, lambda r: loglik(f, *point, r) - loglik(f, *other, r), (other[1],))
    assert kl(f, *point, *other) == pytest.approx(integral, abs=1e-9, rel=1e-9)
    assert kl(f, *point, *other) == pytest.approx(oracle_law(twin.oracle, "kl", *point, *other), abs=1e-12, rel=1e-11)


@every_pair
def test_the_slopes_of_kl(twin: Twin, pair: tuple[Point, Point]) -> None:
    f, (point, (theta2, x2)) = twin.family, pair
    _, by_theta, by_x = kl_and_slopes(f, *point, theta2, x2)
    assert by_theta == pytest.approx(derivative(lambda th: kl(f, *point, th, x2), theta2, 1e-4), abs=1e-7, rel=1e-6)
    # In x2 the agent's KL is once differentiable only: where x2 = x the error is of the order of the step.
    step, error = (1e-7, 1e-4) if point[1] == x2 else (1e-4, 1e-7)
    assert by_x == pytest.approx(derivative(lambda x: kl(f, *point, theta2, x), x2, step), abs=error, rel=1e-6)


@pytest.mark.parametrize(("twin", "point"), pairs_of(TWINS, POINTS, 3), ids=str)
def test_information_is_the_curvature_of_kl(twin: Twin, point: Point) -> None:
    f, (theta, x) = twin.family, point

    def by_theta(r: float) -> float:
        return derivative(lambda th: loglik(f, th, x, r), theta, 1e-5)

    def by_x(r: float) -> float:
        return derivative(lambda z: loglik(f, theta, z, r), x, 1e-9)

    tt, tx, xx = information(f, theta, x)
    assert tt == pytest.approx(expectation(twin.oracle, theta, x, lambda r: by_theta(r) ** 2), rel=1e-6)
    curvature = derivative(lambda th: kl_and_slopes(f, theta, x, th, x)[1], theta, 1e-4)
    assert tt == pytest.approx(curvature, rel=1e-4)
    if 0.0 < x < 1.0:  # the agent's density at r < 0 or r > 1 is another one, and differences would look at it
        assert xx == pytest.approx(expectation(twin.oracle, theta, x, lambda r: by_x(r) ** 2), rel=1e-3)
        across = expectation(twin.oracle, theta, x, lambda r: by_theta(r) * by_x(r))
        assert tx == pytest.approx(across, rel=1e-3, abs=1e-3)


@example(TWINS[-1], (0.5102995879734148, 0.0), (0.5102995879734148, 7.911847561207944e-17))
@given(twins, points, points)
def test_kl_is_positive_and_zero_only_at_equality(twin: Twin, point: Point, other: Point) -> None:
    f = twin.family
    assert kl(f, *point, *point) == 0.0
    assert kl(f, *point, *other) >= 0.0
    # The agent's law tells theta and x apart, the others' only their weighted sum, which shows in the mean.
    compared = [point, other] if isinstance(twin.oracle, Agent) else [(mean(f, *point),), (mean(f, *other),)]
    if max(abs(a - b) for a, b in zip(*compared, strict=True)) > 1e-6:
        assert kl(f, *point, *other) > 0.0


@given(twins, thetas, thetas, states, states)
def test_mean_is_monotone(twin: Twin, theta: float, theta2: float, x: float, x2: float) -> None:
    f, (in_theta, in_x) = twin.family, weights_of(twin)
    (theta, theta2), (x, x2) = sorted((theta, theta2)), sorted((x, x2))
    if math.isnan(in_theta):
        in_theta = 0.5 - x  # noise pushes the agent's effort away from the nearer edge
    slack = 1e-15 * (1.0 + abs(mean(f, theta, x)))
    assert math.copysign(1.0, in_theta) * (mean(f, theta2, x) - mean(f, theta, x)) >= -slack
    assert math.copysign(1.0, in_x) * (mean(f, theta, x2) - mean(f, theta, x)) >= -slack
