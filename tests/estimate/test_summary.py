"""Summaries of fits, against stepping through the laws by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rogue_bandits.estimate.fitted import ArmFit, Interval
from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.summary import observed_range, summarise
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.types import mean, next_state

unit = st.floats(0.0, 1.0)
dynamics = st.builds(ClippedAffine, unit, st.floats(-1.0, 0.0), unit, st.just(0.0), st.just(1.0))


def fit_with(d: ClippedAffine, x0: float = 0.5, theta: float = 0.1) -> ArmFit:
    return ArmFit(d, theta, x0, 0.0, 9, {}, None, True)


def record_of(played: str) -> Record:
    """Decisions as text: 1 a sending, 0 a rest, u a sending whose reward was not seen."""
    sent = np.array([float(c in "1u") for c in played])
    return Record(sent, np.where([c == "1" for c in played], 0.5, np.nan))


def reward(fit: ArmFit, x: float) -> float:
    return mean(LaplaceAgent(), fit.theta, x)


@given(dynamics, unit, st.floats(0.01, 1.0), st.lists(st.booleans(), min_size=3, max_size=40))
def test_nothing_is_said_of_states_in_which_no_reward_was_seen(
    d: ClippedAffine, x0: float, theta: float, plays: list[bool]
) -> None:
    record, fit = record_of("1" + "".join("01"[play] for play in plays)), fit_with(d, x0, theta)
    x, at_rewards = x0, []
    for play in record.played:
        if play:
            at_rewards.append(100.0 * reward(fit, x))
        x = next_state(d, x, play)
    summary = summarise(fit, record, scale=100.0)
    assert (summary.fresh, summary.worn) == pytest.approx((max(at_rewards), min(at_rewards)), abs=1e-9)
    assert summary.cost >= -1e-9
    assert math.isnan(summary.recovery) or math.isinf(summary.recovery) or summary.recovery <= summary.observed.rests


@pytest.mark.parametrize(
    ("decisions", "sendings", "rests"),
    [
        ("111", 2, 0),  # the third reward follows two sendings
        ("11u", 1, 0),  # and was not seen
        ("0001", 0, 0),  # rests that follow no sending
        ("1001", 0, 2),
        ("100u", 0, 0),
        ("1u1001000", 2, 2),  # rests after the last reward say nothing
        ("100u1", 1, 0),  # the longest rest was before a reward that was not seen
    ],
)
def test_the_observed_range_covers_runs_before_rewards(decisions: str, sendings: int, rests: int) -> None:
    observed = observed_range(fit_with(ClippedAffine(0.5, -0.3, 0.4)), record_of(decisions))
    assert (observed.sendings, observed.rests) == (sendings, rests)


def test_a_sending_costs_what_a_rest_would_have_left() -> None:
    """Also where the state falls anyway, from a first state above the one that it rests at."""
    d = ClippedAffine(decay=0.9, pull=-0.2, drift=0.03)
    fit = fit_with(d, x0=0.9)
    assert summarise(fit, record_of("111")).cost == pytest.approx(reward(fit, 0.84) - reward(fit, 0.64))


def test_half_is_back_after_so_many_rests() -> None:
    d = ClippedAffine(decay=0.9, pull=-0.4, drift=0.08)  # rests at 0.8; what is missing shrinks by a tenth each time
    fit, wait = fit_with(d, x0=0.8, theta=0.001), math.ceil(math.log(0.5) / math.log(0.9))
    assert summarise(fit, record_of("1" + "0" * wait + "1")).recovery == wait


def test_a_recovery_that_takes_longer_than_any_rest_seen_is_none() -> None:
    fit = fit_with(ClippedAffine(decay=0.9, pull=-0.4, drift=0.08), x0=0.8, theta=0.001)
    assert math.isinf(summarise(fit, record_of("1000010")).recovery)
    assert math.isinf(
        summarise(fit_with(ClippedAffine(1.0, -0.3, 0.0), x0=0.9), record_of("1" + "0" * 99 + "1")).recovery
    )


def test_what_costs_nothing_needs_no_recovery() -> None:
    assert math.isnan(summarise(fit_with(ClippedAffine(0.5, 0.0, 0.2)), record_of("1011")).recovery)


def test_wearing_out_is_sure_where_the_interval_of_pull_ends_below_0() -> None:
    fit = fit_with(ClippedAffine(0.5, -0.3, 0.4))
    assert fit.surely_wears_out() is None
    assert fit._replace(intervals={"pull": Interval(-0.5, -0.1)}).surely_wears_out() is True
    assert fit._replace(intervals={"pull": Interval(-0.5, 0.0)}).surely_wears_out() is False
