"""Draws of a person alone against a posterior that is computed on a grid."""

from __future__ import annotations

import numpy as np
import pytest

from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.ladder.compare import CONSTANT, WEAR_OUT, Candidate, fit_candidate
from rogue_bandits.estimate.ladder.families import LOGIT
from rogue_bandits.estimate.ladder.first_values import FARTHEST_LEVEL, first_level
from rogue_bandits.estimate.ladder.importance import resampled
from rogue_bandits.estimate.ladder.panel import panel_of
from rogue_bandits.estimate.ladder.posterior import draw_posterior
from rogue_bandits.types import Floats


def log_odds(rewards: Floats, eta: Floats) -> Floats:
    """The log-likelihood of rewards of 0 and 1, by the textbook's formula."""
    p = 1.0 / (1.0 + np.exp(-eta))
    total: Floats = np.log(np.where(rewards == 1.0, p, 1.0 - p)).sum(-1)
    return total


def test_a_skewed_posterior_is_not_taken_for_a_normal_one() -> None:
    """Nine successes of ten: the level has a long tail upwards."""
    rewards = np.array([1, 1, 1, 0, 1, 1, 1, 1, 1, 1], dtype=np.float64)
    panel = panel_of({"ann": Record(np.ones(10), rewards)})
    parts = LOGIT.components(panel.reward, 0.0)
    draws = draw_posterior(fit_candidate(Candidate(CONSTANT), panel, parts), panel, draws=8_000).components[0].own_level
    level = np.linspace(-6.0, 14.0, 8_001)
    prior = -0.5 * ((level - first_level(parts[0].law, rewards)[0]) / FARTHEST_LEVEL) ** 2
    log = log_odds(rewards, level[:, None]) + prior
    cumulative = np.cumsum(np.exp(log - log.max()))
    for share in (0.025, 0.5, 0.975):
        exact = level[np.searchsorted(cumulative / cumulative[-1], share)]
        assert np.mean(draws <= exact) == pytest.approx(share, abs=0.012)


def test_two_numbers_at_once() -> None:
    """Level and slope of wear-out: the probability of a loss, by a sum over a grid of both."""
    rng = np.random.default_rng(3)
    rewards = (rng.random(30) < 1.0 / (1.0 + np.exp(-1.0 + 0.08 * np.arange(30)))).astype(np.float64)
    panel = panel_of({"ann": Record(np.ones(30), rewards)})
    parts = LOGIT.components(panel.reward, 0.0)
    found = draw_posterior(fit_candidate(Candidate(WEAR_OUT), panel, parts), panel, draws=8_000).components[0]
    level, slope = np.meshgrid(np.linspace(-6.0, 8.0, 281), np.linspace(-0.8, 0.6, 281), indexing="ij")
    eta = level[..., None] + slope[..., None] * np.arange(30)
    prior = -0.5 * ((level - first_level(parts[0].law, rewards)[0]) / FARTHEST_LEVEL) ** 2
    log = log_odds(rewards, eta) + prior
    weight = np.exp(log - log.max())
    exact = float(weight[slope < -0.05].sum() / weight.sum())
    assert np.mean(found.own_slope < -0.05) == pytest.approx(exact, abs=0.02)


def test_resampling_keeps_proportions() -> None:
    log = np.log(np.repeat([1.0, 3.0], 200))
    kept = resampled(log, 4_000, np.random.default_rng(1))
    assert np.mean(kept >= 200) == pytest.approx(0.75, abs=0.01)
