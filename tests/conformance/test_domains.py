"""Families that are steep, leave their domain, or have no bounds are told apart, in words, without a warning."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import pytest

import rogue_bandits as rb
from rogue_bandits.model import (
    Exponential,
    Numeric,
    draw,
    effective_support,
    information,
    inlined,
    log_partition,
    loglik,
    mean,
    steepest,
    support,
)
from tests.interpreted import interpreted as interpreted

pytestmark = pytest.mark.usefixtures("interpreted")
MOVES = rb.ClippedAffine(0.6, -1.0, 0.5)


class Steep(NamedTuple):
    """Normal with mean theta·tanh(30(x − 1/2))."""


class Unbounded(NamedTuple):
    """The same, and nobody says where its probability lies."""


class UnboundedCount(NamedTuple):
    """Poisson, by `loglik` alone."""


class Wrong(NamedTuple):
    """The same as `Steep`, with an information that is too large by a tenth."""


class Waiting(NamedTuple):
    """Exponential waiting times: eta < 0."""

    theta_weight: float
    state_weight: float


@inlined
def steep_mean(theta: float, x: float) -> float:
    return theta * math.tanh(30.0 * (x - 0.5))


for kind in (Steep, Unbounded, Wrong):
    Numeric.register(kind)
    support.register(kind)(lambda f: (-math.inf, math.inf, False))
    loglik.register(kind)(lambda f, theta, x, r: -0.5 * (r - steep_mean(theta, x)) ** 2 - 0.5 * math.log(2.0 * math.pi))
for bounded in (Steep, Wrong):

    @effective_support.register(bounded)
    def steep_support(f: Any, theta: float, x: float) -> tuple[float, float, float]:
        m = steep_mean(theta, x)
        return m - 9.0, m, m + 9.0


@information.register(Wrong)
def wrong_information(f: Any, theta: float, x: float) -> tuple[float, float, float]:
    wave = math.tanh(30.0 * (x - 0.5))
    by_x = 30.0 * theta * (1.0 - wave * wave)
    return 1.1 * wave * wave, 1.1 * wave * by_x, 1.1 * by_x * by_x


Numeric.register(UnboundedCount)
support.register(UnboundedCount)(lambda f: (0.0, math.inf, True))
loglik.register(UnboundedCount)(lambda f, theta, x, r: r * (theta + x) - math.exp(theta + x) - math.lgamma(r + 1.0))
Exponential.register(Waiting)
support.register(Waiting)(lambda f: (0.0, math.inf, False))
steepest.register(Waiting)(lambda f: math.inf)
log_partition.register(Waiting)(lambda f, eta: (-math.log(-eta), -1.0 / eta, 1.0 / eta**2))
draw.register(Waiting)(lambda f, theta, x, u: -math.log1p(-u) * mean(f, theta, x))


def arm_of(family: Any) -> rb.Arm:
    return rb.Arm(MOVES._replace(lo=-0.5), family, 0.1, 1.0, name="walk")


def test_a_steep_family_is_sound() -> None:
    report = rb.check_model(arm_of(Steep()))
    assert report.ok, report


def test_wrong_information_of_a_steep_family_is_found() -> None:
    assert [fault.law for fault in rb.check_model(arm_of(Wrong())).faults] == ["information"]


@pytest.mark.parametrize(("family", "words"), [
    (Unbounded(), "from -inf to inf is unbounded: give the law `effective_support`, a bounded range of rewards"),
    (UnboundedCount(), "from 0 to inf is unbounded: give the law `effective_support`, a bounded range of rewards"),
])  # fmt: skip
def test_an_unbounded_support_needs_an_effective_one(family: Any, words: str) -> None:
    report = rb.check_model(arm_of(family))
    assert [fault.law for fault in report.faults] == ["support"]
    assert report.faults[0].found.startswith(words)
    with pytest.raises(ValueError, match=f"^arm 'walk', support {words}"):
        rb.fit(arm_of(family), [1], [0.5])


def test_an_exponential_family_that_leaves_its_domain_is_told_where() -> None:
    arm = rb.Arm(MOVES, Waiting(-1.0, 0.5), 0.1, 1.0, name="walk")
    words = (
        "log_partition(0.4) raises ValueError: math domain error; eta = theta_weight·theta + state_weight·x runs from "
        "-1 to 0.4 within the bounds of theta and x, and A(eta) must be finite there"
    )
    report = rb.check_model(arm)
    assert [(fault.law, fault.found) for fault in report.faults] == [("log_partition", words)]
    with pytest.raises(ValueError, match=r"^arm 'walk', log_partition\(0\.4\) raises"):
        rb.fit(arm, [1], [0.5])


def test_inside_its_domain_it_is_sound() -> None:
    report = rb.check_model(rb.Arm(MOVES, Waiting(-1.0, -0.5), 0.1, 1.0))
    assert report.ok, report


def test_a_law_that_fails_at_a_corner_alone_is_a_fault() -> None:
    """The grid of the checks does not meet the corners."""
    arm = rb.Arm(MOVES, Waiting(-1.0, 0.0), 0.0, 1.0)
    assert [fault.law for fault in rb.check_model(arm).faults] == ["log_partition"]
