"""Levels of all arms together, against dense normal distributions of scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from rogue_bandits.estimate.ladder import crossed_effects
from rogue_bandits.estimate.ladder.crossed_effects import draw_levels
from rogue_bandits.estimate.ladder.crossed_levels import Levels
from rogue_bandits.estimate.ladder.crossed_spreads import Spreads, posterior_of_spreads
from rogue_bandits.types import Floats

FLAT = 1e4  # variance of the common mean, in place of a flat prior


def levels_without_slopes(value: Floats, precision: Floats, noise: float, silence: bool = False) -> Levels:
    """Levels of arms that do not change."""
    arms = np.arange(value.shape[2])
    each = np.ones((value.shape[0], arms.size))
    return Levels(value, precision, np.zeros_like(value), each, 0.0 * each, noise, silence, arms, np.ones(arms.size))


def some_levels(people: int = 4, arms: int = 3) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(5)
    value = 2.0 + rng.standard_normal((people, 1)) + 0.3 * rng.standard_normal((people, arms))
    precision = rng.uniform(4.0, 40.0, (people, arms))
    precision[0, 1] = precision[-1, 0] = 0.0  # nobody's rewards
    return value, precision


def covariance(people: int, between: float, own: Floats, means: Floats) -> Floats:
    """Covariance of the levels of all arms of all people, people slowest."""
    each = np.diag(means) + FLAT
    return np.asarray(np.kron(np.ones((people, people)), each) + np.kron(np.eye(people), between + np.diag(own)))


@pytest.mark.parametrize("own", [0.0, 0.09])
@pytest.mark.parametrize("means", [0.0, 0.04])
def test_draws_have_mean_and_covariance_of_the_dense_posterior(
    own: float, means: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    value, precision = some_levels()
    people, arms = value.shape
    apart = np.array([[means, means, 0.5]])
    spreads = Spreads(np.array([0.8]), np.array([[own, own, 0.2]]), apart, np.zeros((1, 3)), np.ones(1))
    monkeypatch.setattr(crossed_effects, "posterior_of_spreads", lambda levels: spreads)
    draws = 40_000
    every = draws, people, arms
    levels = levels_without_slopes(np.broadcast_to(value, every), np.broadcast_to(precision, every), 1.0, True)
    found = draw_levels(levels, np.random.default_rng(2)).level.reshape(draws, -1)

    prior = covariance(people, 0.8, spreads.own[0], spreads.means[0])
    seen = precision.ravel() > 0.0
    gain = prior[:, seen] @ np.linalg.inv(prior[np.ix_(seen, seen)] + np.diag(1.0 / precision.ravel()[seen]))
    mean, posterior = gain @ value.ravel()[seen], prior - gain @ prior[seen]
    error = np.sqrt(np.diag(posterior) / draws)
    assert (np.abs(found.mean(0) - mean) < 4.5 * error + 1e-3).all()  # 12 numbers: 1 in 10,000 by chance
    np.testing.assert_allclose(np.cov(found.T), posterior, atol=0.04 * np.diag(posterior).max())


@pytest.mark.parametrize("silence", [False, True])
def test_probabilities_of_variances_are_those_of_dense_likelihoods(silence: bool) -> None:
    value, precision = some_levels()
    people = value.shape[0]
    found = posterior_of_spreads(levels_without_slopes(value[None] - 2.0, precision[None], 1.0, silence))
    seen = precision.ravel() > 0.0
    some = np.argsort(-found.weight)[:40]
    dense = []
    for k in some:
        prior = covariance(people, found.people[k], found.own[k], found.means[k])[np.ix_(seen, seen)]
        law = multivariate_normal(np.zeros(seen.sum()), prior + np.diag(1.0 / precision.ravel()[seen]))
        dense.append(float(law.logpdf(value.ravel()[seen] - 2.0)))
    log_prior = np.log(found.weight[some]) - np.array(dense)
    # What is left must be the prior alone: it depends on the place of each variance in its grid, and on nothing else.
    places = [np.concatenate([[found.people[k]], found.own[k], found.means[k]]) for k in some]
    columns = []
    for j in range(len(places[0])):
        values = np.unique([place[j] for place in places])
        columns += [[float(place[j] == value) for place in places] for value in values]
    design = np.array(columns).T
    fitted = design @ np.linalg.lstsq(design, log_prior, rcond=None)[0]
    np.testing.assert_allclose(log_prior, fitted, atol=5e-3)


def test_arms_that_are_alike_get_one_level_and_others_keep_theirs() -> None:
    rng = np.random.default_rng(8)
    person = rng.standard_normal((40, 1))
    for apart in (np.zeros(3), np.array([0.0, 0.0, 1.0])):
        value = person + apart + 0.3 * rng.standard_normal((40, 3))
        levels = levels_without_slopes(np.broadcast_to(value, (400, 40, 3)), np.full((400, 40, 3), 1.0 / 0.09), 1.0)
        found = draw_levels(levels, rng).level.mean((0, 1))
        seen = value.mean(0)
        if apart.any():
            np.testing.assert_allclose(found - found[0], seen - seen[0], atol=0.05)
        else:
            assert np.ptp(found) < 0.5 * np.ptp(seen)


def test_arms_differ_for_each_person_where_the_data_say_so() -> None:
    rng = np.random.default_rng(9)
    truth = rng.standard_normal((40, 1)) + 0.8 * rng.standard_normal((40, 2))
    value = truth + 0.3 * rng.standard_normal((40, 2))
    levels = levels_without_slopes(np.broadcast_to(value, (800, 40, 2)), np.full((800, 40, 2), 1.0 / 0.09), 1.0)
    found = draw_levels(levels, rng).level
    low, high = np.quantile(found, [0.025, 0.975], axis=0)
    assert ((low < truth) & (truth < high)).mean() > 0.85  # 80 levels: 1 in 1,000 by chance
    assert np.corrcoef(np.diff(found.mean(0)).ravel(), np.diff(truth).ravel())[0, 1] > 0.8


@pytest.mark.parametrize("alike", [True, False])
def test_levels_and_slopes_are_those_of_the_dense_posterior(alike: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rewards level + slope · x of two arms, all numbers unknown: x differs between the people and the arms."""
    rng = np.random.default_rng(14)
    people, arms, n, draws = 5, 2, 6, 40_000
    x = rng.random((people, arms, n)) + np.array([0.0, 0.7])[None, :, None]
    truth = rng.standard_normal((people, arms))
    reward = truth[..., None] + np.array([0.5, -0.5])[None, :, None] * x + rng.standard_normal((people, arms, n))
    tilt = x.mean(2)
    spread = ((x - tilt[..., None]) ** 2).sum((0, 2))
    score = ((x - tilt[..., None]) * reward).sum((0, 2))
    apart = np.array([[0.3, 0.3]])
    differ = np.array([[0.2, 0.2]]) if alike else np.zeros((1, 2))
    spreads = Spreads(np.array([0.8]), np.array([[0.1, 0.1]]), apart, differ, np.ones(1))
    monkeypatch.setattr(crossed_effects, "posterior_of_spreads", lambda levels: spreads)
    every = draws, people, arms
    levels = Levels(
        np.broadcast_to(reward.mean(2), every), np.full(every, float(n)), np.broadcast_to(tilt, every),
        np.broadcast_to(spread, (draws, arms)), np.broadcast_to(score, (draws, arms)), 1.0, False,
        np.array([0, 0 if alike else 1]), np.ones(arms),
    )  # fmt: skip
    drawn = draw_levels(levels, np.random.default_rng(3))
    found = np.concatenate([drawn.level.reshape(draws, -1), drawn.slope], axis=1)

    prior = np.zeros((people * arms + arms,) * 2)
    prior[: people * arms, : people * arms] = covariance(people, 0.8, spreads.own[0], spreads.means[0])
    prior[people * arms :, people * arms :] = FLAT + 0.2 * np.eye(arms) if alike else FLAT * np.eye(arms)
    design = np.zeros((people, arms, n, people * arms + arms))
    for i in range(people):
        for k in range(arms):
            design[i, k, :, i * arms + k] = 1.0
            design[i, k, :, people * arms + k] = x[i, k]
    X = design.reshape(-1, design.shape[-1])
    posterior = np.linalg.inv(np.linalg.inv(prior) + X.T @ X)
    mean = posterior @ X.T @ reward.ravel()
    assert (np.abs(found.mean(0) - mean) < 4.5 * np.sqrt(np.diag(posterior) / draws) + 2e-3).all()
    np.testing.assert_allclose(np.cov(found.T), posterior, atol=0.04 * np.diag(posterior).max())
