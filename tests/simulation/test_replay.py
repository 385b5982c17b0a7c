"""Replays of a log are the same compiled and interpreted, and for a person alone as in a crowd."""

from __future__ import annotations

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.simulation.log import Log, checked_log, log_of
from rogue_bandits.simulation.replay import fitted_means_along, probabilities_along
from tests.interpreted import interpreted as interpreted
from tests.policies.histories import TWO_ARMS

TRUTH = rb.Truth(TWO_ARMS, [0.5, 0.7], [0.1, 0.3])


def test_compiled_is_interpreted_and_alone_is_in_a_crowd(request: pytest.FixtureRequest) -> None:
    trial = rb.simulate(TRUTH, rb.Random(), 25, people=40, seed=1, delay=2, missing=0.2, available=[0.8, 0.6])
    log = checked_log(log_of(trial), TWO_ARMS)
    chosen, means = probabilities_along(rb.UCB1Tuned(), TWO_ARMS, log, 3), fitted_means_along(TWO_ARMS, log)
    request.getfixturevalue("interpreted")
    few = Log(*(None if column is None else column[:3] for column in log))
    assert np.array_equal(probabilities_along(rb.UCB1Tuned(), TWO_ARMS, few, 3), chosen[:3], equal_nan=True)
    assert fitted_means_along(TWO_ARMS, few) == pytest.approx(means[:3], rel=1e-9, nan_ok=True)
    assert np.isnan(chosen[log.arm < 0]).all()
