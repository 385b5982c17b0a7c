"""Fits of rotting arms, whose rewards each add a kink, against a certified optimum; ceilings against a grid."""

from __future__ import annotations

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief.evidence import ArmEvidence
from rogue_bandits.belief.fit import FEW_STRIPS
from rogue_bandits.belief.pool import PoolShape
from rogue_bandits.belief.strip_groups import ceiling_between, may_exceed
from rogue_bandits.types import Arm, draw
from tests.belief.cases import Floats, oracle_model
from tests.interpreted import compiled_if_common as compiled_if_common
from tests.matrix import some_of
from tests.oracles import brute_fit, brute_loglik

LOGIT, GAUSSIAN = rb.BernoulliLogit(1.0, 3.0), rb.Gaussian(-1.0, 2.0, 0.5)
PLAYS, PULL = 60, 0.011


def history(arm: Arm, seed: int, rest: float) -> tuple[Floats, Floats]:
    """Plays with a share of rests, and the rewards of the plays."""
    rng = np.random.default_rng(seed)
    played = (rng.random(PLAYS) >= rest).astype(float)
    theta, x0 = rng.uniform(arm.theta_lo, arm.theta_hi), rng.random()
    states = oracle_model(arm).walk(x0, played).states[0, :-1]
    drawn = [draw(arm.rewards, theta, float(x), float(u)) for x, u in zip(states, rng.random(PLAYS), strict=True)]
    return played, np.where(played == 1.0, drawn, np.nan)


@pytest.mark.usefixtures("compiled_if_common")
@pytest.mark.parametrize("family", [LOGIT, GAUSSIAN])
@pytest.mark.parametrize(("decay", "drift"), [(1.0, 0.0), (1.0, 0.008), (0.995, 0.0), (-1.0, 1.0)])
@pytest.mark.parametrize("seed", some_of(range(3), 1))
def test_the_fit_of_many_strips_is_the_global_maximum(
    family: rb.BernoulliLogit | rb.Gaussian, decay: float, drift: float, seed: int
) -> None:
    """Clipped at the lower bound, at both, at ever flatter lines, and at lines that change their sign."""
    arm = rb.Arm(rb.ClippedAffine(decay, -PULL, drift), family, -1.0, 1.0)
    played, rewards = history(arm, seed, 0.3)
    assert np.sum(played) > FEW_STRIPS
    best, fit = brute_fit(oracle_model(arm), played, rewards), rb.fit(arm, played.tolist(), rewards.tolist())
    assert best.ceiling - best.loglik <= 1e-7
    assert fit.loglik >= best.loglik - 1e-9
    exact = float(brute_loglik(oracle_model(arm), played, rewards, fit.theta, fit.x0)[0])
    assert fit.loglik == pytest.approx(exact, abs=1e-9)


def evidence(rewards: Floats) -> ArmEvidence:
    """An arm that is played at each decision: its state is x0 − PULL·t, at least 0."""
    early = np.array([(1.0, -PULL * t, 0.0, 1.0 - PULL * t, r, 0.0, 0.0) for t, r in enumerate(rewards)])
    kinks = np.array([*(PULL * np.arange(len(rewards))), 1.0])
    return ArmEvidence(
        np.zeros(4), np.zeros(1), early, kinks, np.zeros((0, 1)), 0.0, 1.0,
        np.zeros((0, 0, 0)), np.zeros((0, 0, 0)), 0.5, 0.5, 0.0, PoolShape(0, 1, 0),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(10))
def test_a_ceiling_is_above_every_point_of_its_interval(seed: int) -> None:
    """And it is low enough to exclude a level that is little above them, where the interval is short."""
    rng = np.random.default_rng(seed)
    arm = rb.Arm(rb.ClippedAffine(1.0, -PULL, 0.0), LOGIT, -1.0, 1.0)
    played, rewards = history(arm, seed, 0.0)
    s, model, start = evidence(rewards), oracle_model(arm), float(rng.uniform(-1.0, 1.0))
    lo, hi = sorted(float(x0) for x0 in rng.random(2))
    thetas, x0s = np.linspace(-1.0, 1.0, 21), np.linspace(lo, hi, 21)
    values = np.array([brute_loglik(model, played, rewards, theta, x0s) for theta in thetas])
    at = ceiling_between(arm.rewards, s, start, lo, hi)
    assert np.all(values <= at.value + at.by_theta * (thetas[:, None] - start) + at.rise + 1e-9)
    assert may_exceed(arm.rewards, arm, s, lo, hi, start, float(values.max()) - 1e-9)
    assert ceiling_between(arm.rewards, s, start, lo, lo).value == pytest.approx(
        float(brute_loglik(model, played, rewards, start, lo)[0]), abs=1e-9
    )
    assert not may_exceed(arm.rewards, arm, s, lo, min(lo + 1e-4, 1.0), start, float(values[:, 0].max()) + 0.1)
