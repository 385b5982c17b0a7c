"""The recommended policy: one that can be started for the arms, whatever they are."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import rogue_bandits as rb
from rogue_bandits.types import Problem, start
from tests.policies.golden import FAMILIES, LINES, PLAY_LOGS, truth_of


@pytest.mark.parametrize("randomised", [False, True])
@pytest.mark.parametrize("dynamics", [*LINES, *PLAY_LOGS])
@pytest.mark.parametrize("family", ["BernoulliLogit", "BernoulliProbit", "LaplaceAgent"])
def test_it_can_be_started_for_every_kind_of_arm(family: str, dynamics: str, randomised: bool) -> None:
    assert family in FAMILIES
    arms = truth_of({**LINES, **PLAY_LOGS}[dynamics], family, 3).arms
    policy = rb.recommended(arms, randomised=randomised)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of costs that grow
        start(policy, Problem(tuple(arms)), 1)
    planned = family != "BernoulliProbit" and dynamics not in ("Coupled", *PLAY_LOGS)
    assert isinstance(policy, rb.PlanTS | rb.PlanUCB) == planned


def test_short_horizons_and_trials_are_randomised() -> None:
    arms = truth_of(LINES["ClippedAffine"], "Gaussian", 2).arms
    assert rb.recommended(arms) == rb.recommended(arms, horizon=500) == rb.PlanUCB()
    probit = [arm._replace(rewards=rb.BernoulliProbit(0.4, 0.6)) for arm in arms]
    assert isinstance(rb.recommended(probit, randomised=True), rb.Bounded)
    assert rb.recommended([probit[0]] * 20, randomised=True).least == 0.025
    assert rb.recommended(arms, horizon=499) == rb.recommended(arms, 5_000, randomised=True) == rb.PlanTS()


@pytest.mark.parametrize("horizon", [0, -3, 2.5, True])
def test_a_horizon_that_is_none_is_refused(horizon: Any) -> None:
    arms = truth_of(LINES["ClippedAffine"], "Gaussian", 2).arms
    with pytest.raises((TypeError, ValueError), match="horizon"):
        rb.recommended(arms, horizon)
