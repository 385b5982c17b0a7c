"""A density with several kinks: integrals are cut at those that are named, the others are reported."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from scipy.integrate import quad

import rogue_bandits as rb
from rogue_bandits.compile.laws import kernel
from rogue_bandits.model.rewards.expectations import kinks
from rogue_bandits.types import draw, kl, loglik, mean
from tests.conformance.models import LONE_KINK, MOVES, Mesa, MesaUnnamed
from tests.matrix import some_of

SCALES = pytest.mark.parametrize("scale", [0.02, 0.1, 0.5])
FEWER_SCALES = pytest.mark.parametrize("scale", some_of([0.02, 0.1, 0.5], 1))
PAIRS = [((0.1, 0.2), (0.9, 0.8)), ((0.9, 0.1), (0.2, 0.3)), ((0.4, 0.4), (0.4, 0.4)), ((0.2, 0.6), (0.6, 0.2))]


@kernel
def compiled(f: Any, theta: float, x: float, theta2: float, x2: float) -> tuple[float, float]:
    return mean(f, theta, x), kl(f, theta, x, theta2, x2)


def integral(what: Callable[[float], float], *at: float) -> float:
    """From 0 to 1, by an adaptive rule that is given where what is summed is not smooth."""
    return float(quad(what, 0.0, 1.0, points=sorted(at), epsabs=1e-13, epsrel=1e-12, limit=400)[0])


@FEWER_SCALES
def test_kinks_that_are_named_are_no_fault(scale: float) -> None:
    report = rb.check_model(rb.Arm(MOVES, Mesa(scale)))
    assert report.ok, report


@FEWER_SCALES
def test_kinks_that_are_not_named_are_suspected(scale: float) -> None:
    report = rb.check_model(rb.Arm(MOVES, MesaUnnamed(scale)))
    assert [fault.law for fault in report.faults] == ["loglik"]
    assert report.faults[0].found.endswith("where the density has a kink that the law `kinks` does not name")


def test_a_kink_alone_must_be_a_tuple_too() -> None:
    report = rb.check_model(LONE_KINK)
    assert report.faults[0].law == "kinks"
    assert report.faults[0].found == "kinks(0.02, 0.02) is 0.5, and must be a tuple of rewards"


@SCALES
@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_what_is_worked_out_is_exact_between_kinks(
    scale: float, p: tuple[float, float], q: tuple[float, float]
) -> None:
    f = Mesa(scale)
    at = [*kinks(f, *p), *kinks(f, *q)]
    exact_mean = integral(lambda r: r * math.exp(loglik(f, *p, r)), *at)
    exact_kl = integral(lambda r: math.exp(loglik(f, *p, r)) * (loglik(f, *p, r) - loglik(f, *q, r)), *at)
    for computed in ((mean(f, *p), kl(f, *p, *q)), compiled(f, *p, *q)):
        assert computed == pytest.approx((exact_mean, exact_kl), rel=1e-10, abs=1e-12)


@SCALES
@pytest.mark.parametrize("u", [0.01, 0.2, 0.5, 0.8, 0.99])
def test_draws_are_quantiles_on_every_side_of_the_kinks(scale: float, u: float) -> None:
    f = Mesa(scale)
    r = draw(f, 0.3, 0.6, u)
    up_to = integral(lambda s: math.exp(loglik(f, 0.3, 0.6, s)) if s <= r else 0.0, *kinks(f, 0.3, 0.6), r)
    assert up_to == pytest.approx(u, abs=1e-10)
