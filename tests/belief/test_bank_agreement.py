"""The posterior of a bank against a sum over a grid of the whole prior, on short histories."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import stats

import rogue_bandits as rb
from rogue_bandits.belief.bank.evidence import BankBelief
from rogue_bandits.belief.bank.summary import levels, states_and_means, weights
from rogue_bandits.types import Floats
from tests.interpreted import interpreted as interpreted

POINTS, THETAS = 15, 15  # of each coordinate of dynamics and x0, and of theta
HYPOTHESES = 96
DECISIONS = 24


class Family(NamedTuple):
    """A reward family: arm, log-density of a reward, a draw, and thetas of equal prior probability."""

    arm: rb.Arm
    log_density: Any
    draw: Any
    thetas: Floats


MIDPOINTS = (np.arange(THETAS) + 0.5) / THETAS
UNKNOWN = rb.Unknown(hypotheses=HYPOTHESES)
FAMILIES = {
    "logit": Family(
        rb.Arm(UNKNOWN, rb.BernoulliLogit(2.0, 3.0), -1.0, 1.0),
        lambda r, theta, x: -np.logaddexp(0.0, (1.0 - 2.0 * r) * (2.0 * theta + 3.0 * x)),
        lambda rng, x: float(rng.random() < 1.0 / (1.0 + np.exp(-2.0 * -0.6 - 3.0 * x))),
        2.0 * MIDPOINTS - 1.0,
    ),
    "gaussian": Family(
        rb.Arm(UNKNOWN, rb.Gaussian(1.0, 1.5, 0.4), 0.0, 1.0),
        lambda r, theta, x: stats.norm.logpdf(r, theta + 1.5 * x, 0.4),
        lambda rng, x: float(rng.normal(0.3 + 1.5 * x, 0.4)),
        MIDPOINTS,
    ),
    "agent": Family(
        rb.Arm(UNKNOWN, rb.LaplaceAgent(), 0.05, 1.0),
        lambda r, theta, x: -abs(r - x) / theta - (np.log(theta) if 0.0 < r < 1.0 else 0.0),
        lambda rng, x: float(np.clip(x + rng.laplace(0.0, 0.2), 0.0, 1.0)),
        0.05 * 20.0**MIDPOINTS,
    ),
}


def history(family: Family, seed: int) -> list[float]:
    """Rewards of an arm that wears out and recovers, played at random; nan: it rests."""
    rng, x, rewards = np.random.default_rng(seed), 0.7, []
    for _ in range(DECISIONS):
        played = rng.random() < 0.5
        rewards.append(family.draw(rng, x) if played else np.nan)
        x = float(np.clip(0.8 * x - 0.2 * played + 0.2, 0.0, 1.0))
    return rewards


def on_a_grid(family: Family, rewards: list[float]) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the fresh and the worn level, the log half-life, and the state now."""
    u = (np.arange(POINTS) + 0.5) / POINTS
    fresh, loss, half, first = (a.ravel() for a in np.meshgrid(u, u, u, u, indexing="ij"))
    level, lost, half_life = 2.0 * fresh, 4.5 * loss**2, 0.5 * 60.0**half
    keeps, x = 0.5 ** (1.0 / half_life), np.clip(level - first * lost, 0.0, 1.0)
    total = np.zeros((level.size, THETAS))
    for r in rewards:
        if not np.isnan(r):
            total += family.log_density(r, family.thetas, x[:, None])
        x = np.clip(keeps * x + (1.0 - keeps) * (level - (0.0 if np.isnan(r) else lost)), 0.0, 1.0)
    weight = np.exp(total - total.max()).sum(axis=1)
    weight /= weight.sum()
    numbers = np.array([np.clip(level, 0.0, 1.0), np.clip(level - lost, 0.0, 1.0), np.log(half_life), x])
    mean = numbers @ weight
    return mean, np.sqrt((numbers - mean[:, None]) ** 2 @ weight)


def of_the_bank(family: Family, rewards: list[float]) -> Floats:
    """The same means, of the weighted hypotheses."""
    bandit = rb.Bandit([family.arm], rb.RogueTS(), seed=1)
    for r in rewards:
        if np.isnan(r):
            bandit.rest()
        else:
            bandit.record(0, r)
    state = bandit._online.state
    belief = BankBelief(state.shared.belief, state.personal)
    found, weight = levels(belief, 0, 0), weights(belief, 0, 0)
    numbers = [found["level when fresh"], found["level when worn out"], np.log(found["half-life"])]
    return np.array([*numbers, states_and_means(belief, 0, 0)[0]]) @ weight


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", FAMILIES)
def test_the_posterior_is_that_of_a_grid(name: str, seed: int) -> None:
    """Within four standard errors of a sample of a third of the hypotheses: resampled ones are not independent."""
    rewards = history(FAMILIES[name], seed)
    mean, sd = on_a_grid(FAMILIES[name], rewards)
    away = (of_the_bank(FAMILIES[name], rewards) - mean) / sd
    assert np.abs(away).max() < 4.0 / np.sqrt(HYPOTHESES / 3)
