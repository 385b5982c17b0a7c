"""What the evidence keeps, and how many nodes hold its sums."""

from __future__ import annotations

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief.history import belief_from
from tests.belief.cases import oracle_model
from tests.interpreted import compiled_if_common as compiled_if_common
from tests.matrix import FULL
from tests.oracles import brute_divergence

pytestmark = pytest.mark.usefixtures("compiled_if_common")
STEEP = 0.001 if FULL else 0.005  # the time to make the table of nodes is inversely proportional


def history(arm: rb.Arm, decisions: int) -> tuple[list[float], list[float]]:
    rng = np.random.default_rng(0)
    played = (rng.random(decisions) < 0.5).astype(float)
    return played.tolist(), np.where(played == 1.0, (rng.random(decisions) < 0.5).astype(float), np.nan).tolist()


def test_rounding_makes_no_kinks() -> None:
    arm = rb.Arm(rb.ClippedAffine(0.99, -0.008, 0.009), rb.BernoulliLogit(0.8, 0.6))  # its state is never clipped
    evidence = belief_from(arm, *history(arm, 2_500)).personal
    assert evidence.kinks_n[0, 0] == 2


@pytest.mark.parametrize(
    "arm",
    [
        rb.Arm(rb.ClippedAffine(0.0, 0.0, -0.005, -1.0, 0.9), rb.BernoulliLogit(10.0, 1000.0)),
        rb.Arm(rb.ClippedAffine(0.0, 0.0, -0.02, -1.0, 0.85), rb.BernoulliLogit(8.0, 200.0)),
        rb.Arm(rb.ClippedAffine(0.0, 0.0, 1.5 * STEEP), rb.LaplaceAgent(), theta_lo=STEEP, theta_hi=2.0 * STEEP),
    ],
)
def test_the_nodes_hold_the_sums_at_states_where_the_link_is_steep(arm: rb.Arm) -> None:
    played, rewards = history(arm, 60)
    lo, hi = arm.theta_lo, arm.theta_hi
    theta, theta2 = lo + 0.3 * (hi - lo), lo + 0.8 * (hi - lo)
    x0 = arm.dynamics.lo
    exact = float(brute_divergence(oracle_model(arm), played, rewards, theta, x0, theta2, x0)[0])
    assert rb.divergence(arm, played, rewards, (theta, x0), (theta2, x0)) == pytest.approx(exact, rel=1e-9)


def test_a_fit_is_a_point() -> None:
    arm = rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6))
    fit = rb.fit(arm, [1, 1], [1.0, 0.0])
    assert rb.divergence(arm, [1, 1], [1.0, 0.0], fit, (fit.theta, fit.x0)) == 0.0
    with pytest.raises(TypeError, match=r"point 0.5 must be \(theta, x0\), or a Fit"):
        rb.divergence(arm, [1, 1], [1.0, 0.0], 0.5, fit)  # type: ignore[arg-type]  # what the test is about
