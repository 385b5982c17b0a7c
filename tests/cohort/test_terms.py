"""Plain terms, against stepping through the laws by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rogue_bandits.cohort.fitted import ArmFit, Interval
from rogue_bandits.cohort.terms import level, states, surely_wears_out, terms_of
from rogue_bandits.model.dynamics import ClippedAffine
from rogue_bandits.model.laplace_agent import LaplaceAgent
from rogue_bandits.types import mean, next_state

unit = st.floats(0.0, 1.0)
dynamics = st.builds(ClippedAffine, unit, st.floats(-1.0, 0.0), unit, st.just(0.0), st.just(1.0))


def fit_with(d: ClippedAffine, x0: float = 0.5, theta: float = 0.1) -> ArmFit:
    return ArmFit(d, theta, x0, 0.0, 9, {}, None, True)


@given(dynamics, unit, st.sampled_from([0.0, 1.0]))
def test_a_level_is_where_a_step_changes_nothing(d: ClippedAffine, x0: float, played: float) -> None:
    x = level(d, played, x0)
    assert next_state(d, x, played) == pytest.approx(x, abs=1e-9)


@given(st.floats(0.0, 0.9), st.floats(-1.0, 0.0), unit, unit)
def test_a_level_is_where_steps_lead(decay: float, pull: float, drift: float, x0: float) -> None:
    d, x = ClippedAffine(decay, pull, drift), x0
    for _ in range(400):
        x = next_state(d, x, 1.0)
    assert level(d, 1.0, x0) == pytest.approx(x, abs=1e-9)


@given(dynamics, unit, st.floats(0.01, 1.0))
def test_fresh_is_above_worn_out_and_a_cost_is_no_gain(d: ClippedAffine, x0: float, theta: float) -> None:
    terms = terms_of(fit_with(d, x0, theta), scale=100.0)
    assert 100.0 + 1e-9 >= terms.fresh >= terms.worn - 1e-9
    assert terms.worn >= -1e-9
    assert terms.cost >= -1e-9
    assert terms.cost <= terms.fresh - terms.worn + 1e-6


def test_half_is_back_after_so_many_rests() -> None:
    d = ClippedAffine(decay=0.9, pull=-0.4, drift=0.08)  # rests at 0.8; what is missing shrinks by a tenth each time
    fit = fit_with(d, theta=0.001)
    terms = terms_of(fit)
    assert terms.recovery == math.ceil(math.log(0.5) / math.log(0.9))
    x = next_state(d, 0.8, 1.0)
    for _ in range(int(terms.recovery)):
        x = next_state(d, x, 0.0)
    assert mean(LaplaceAgent(), fit.theta, x) >= terms.fresh - terms.cost / 2


def test_what_costs_nothing_needs_no_recovery() -> None:
    assert math.isnan(terms_of(fit_with(ClippedAffine(0.5, 0.0, 0.2))).recovery)


def test_what_never_recovers() -> None:
    terms = terms_of(fit_with(ClippedAffine(1.0, -0.3, 0.0), x0=0.9))
    assert math.isinf(terms.recovery)


def test_states_are_those_of_the_law() -> None:
    d = ClippedAffine(0.5, -0.3, 0.4)
    assert states(fit_with(d, x0=1.0), [1.0, 0.0]) == [1.0, 0.5 - 0.3 + 0.4, next_state(d, 0.5 - 0.3 + 0.4, 0.0)]


def test_wearing_out_is_sure_where_the_interval_of_pull_ends_below_0() -> None:
    fit = fit_with(ClippedAffine(0.5, -0.3, 0.4))
    assert surely_wears_out(fit) is None
    assert surely_wears_out(fit._replace(intervals={"pull": Interval(-0.5, -0.1)})) is True
    assert surely_wears_out(fit._replace(intervals={"pull": Interval(-0.5, 0.0)})) is False
