"""The marginal likelihood of a population against dense normal distributions and brute-force integrals."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, stats

from rogue_bandits.estimate.ladder.laplace import TINY, Design, PopulationModel
from rogue_bandits.estimate.ladder.laws import Logit, Normal
from rogue_bandits.estimate.ladder.population import fit_population, start_at
from rogue_bandits.types import Floats


def people(n: int, rows: int, seed: int) -> Design:
    """Normal rewards with a level of each person's own, a column that varies, and unit noise."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(n), rows)
    x = rng.standard_normal(n * rows)
    r = 0.5 + 0.8 * rng.standard_normal(n)[person] - 0.4 * x + rng.standard_normal(n * rows)
    return Design(r, np.stack([np.ones(n * rows), x])[None], person, n)


def dense_loglik(design: Design, mean: Floats, between: Floats, noise: float) -> float:
    """The log density of each person's rewards under X m and X T X' + noise², summed."""
    total = 0.0
    for i in range(design.people):
        mine = design.person == i
        X = design.columns[0][:, mine].T
        covariance = X @ np.diag(between) @ X.T + noise**2 * np.eye(len(X))
        total += float(stats.multivariate_normal.logpdf(design.reward[mine], X @ mean, covariance))
    return total


def test_normal_marginal_likelihood_is_exact() -> None:
    design = people(6, 8, 1)
    fitted = fit_population(design, PopulationModel(Normal(), np.array([0.6, 0.1, 0.0])))
    mean, noise = fitted.mean[0, :2], float(np.exp(fitted.mean[0, 2]))
    exact = dense_loglik(design, mean, np.array([0.6, 0.1]), noise)
    assert fitted.loglik.sum() == pytest.approx(exact, abs=1e-8)


def test_the_means_are_those_of_generalised_least_squares() -> None:
    design = people(6, 8, 2)
    fitted = fit_population(design, PopulationModel(Normal(), np.array([0.6, 0.1, 0.0])))
    noise = float(np.exp(fitted.mean[0, 2]))

    def cost(m: Floats) -> float:
        return -dense_loglik(design, m, np.array([0.6, 0.1]), noise)

    best = optimize.minimize(cost, np.zeros(2), tol=1e-10)
    np.testing.assert_allclose(fitted.mean[0, :2], best.x, atol=1e-5)
    each = np.eye(2)  # the cost is a quadratic function: its differences are exact
    hessian = [[cost(best.x + u + v) - cost(best.x + u) - cost(best.x + v) + cost(best.x) for u in each] for v in each]
    np.testing.assert_allclose(fitted.mean_covariance[0, :2, :2], np.linalg.inv(hessian), rtol=1e-4)


def test_variances_maximise_the_restricted_likelihood_with_their_prior() -> None:
    design = people(30, 6, 3)
    fitted = fit_population(design, PopulationModel(Normal(), np.array([np.nan, 0.0, 0.0])))
    noise = float(np.exp(fitted.mean[0, 2]))

    def restricted(variance: float) -> float:
        one = fit_population(design, PopulationModel(Normal(), np.array([variance, 0.0, 0.0])))
        X = [design.columns[0][:, design.person == i].T for i in range(design.people)]
        inverse = [np.linalg.inv(variance * np.ones((len(x), len(x))) + noise**2 * np.eye(len(x))) for x in X]
        information = sum(x.T @ v @ x for x, v in zip(X, inverse, strict=True))
        means = dense_loglik(design, one.mean[0, :2], np.array([variance, 0.0]), noise)
        return means - 0.5 * float(np.linalg.slogdet(information)[1]) + 0.5 * float(np.log(variance))

    at = float(fitted.between[0, 0])
    assert 0.2 < at < 1.5
    assert restricted(at) >= max(restricted(0.9 * at), restricted(1.1 * at))


def test_without_differences_between_people_it_is_least_squares() -> None:
    design = people(5, 10, 4)
    fitted = fit_population(design, PopulationModel(Normal(), np.zeros(3)))
    X = design.columns[0].T
    expected, squares, *_ = np.linalg.lstsq(X, design.reward, rcond=None)
    np.testing.assert_allclose(fitted.mean[0, :2], expected, atol=1e-6)
    assert fitted.mean[0, 2] == pytest.approx(0.5 * np.log(squares[0] / len(X)), abs=1e-4)


def test_a_person_is_shrunk_as_the_formula_says() -> None:
    """With known variances the level is a weighted mean of the person's rewards and the population's."""
    rng = np.random.default_rng(5)
    person = np.array([0, 0, 0, 0, 0, 0, 1, 2, 2])
    design = Design(rng.standard_normal(9) + person, np.ones((1, 1, 9)), person, 3)
    fitted = fit_population(design, PopulationModel(Normal(), np.array([0.5, 0.0])))
    noise, mean = float(np.exp(2.0 * fitted.mean[0, 1])), fitted.mean[0, 0]
    for i in range(3):
        mine = design.reward[person == i]
        weight = 0.5 / (0.5 + noise / mine.size)
        assert fitted.mode[0, i, 0] == pytest.approx(mean + weight * (mine.mean() - mean), abs=1e-5)
        assert fitted.personal[0, i, 0, 0] == pytest.approx(0.5 * (1.0 - weight), abs=1e-5)


def test_logit_marginal_likelihood_is_near_the_integral() -> None:
    """Laplace's method with 15 rewards a person: within 0.05 of the integral for each."""
    rng = np.random.default_rng(6)
    person = np.repeat(np.arange(8), 15)
    level = rng.standard_normal(8)
    r = (rng.random(120) < 1.0 / (1.0 + np.exp(-level[person]))).astype(np.float64)
    fitted = fit_population(Design(r, np.ones((1, 1, 120)), person, 8), PopulationModel(Logit(), np.array([1.0])))
    u = np.linspace(-8.0, 8.0, 4001)
    for i in range(8):
        k = r[person == i].sum()
        log = k * u - 15 * np.logaddexp(0.0, u) + stats.norm.logpdf(u, fitted.mean[0, 0], 1.0)
        exact = float(np.log(np.exp(log).sum() * (u[1] - u[0])))
        assert fitted.loglik[0, i] == pytest.approx(exact, abs=0.05)


def test_people_without_rewards_have_the_populations_numbers() -> None:
    design = people(4, 6, 7)
    more = fit_population(replace(design, people=6), PopulationModel(Normal(), np.array([0.5, 0.0, 0.0])))
    np.testing.assert_allclose(more.mode[0, 5], more.mean[0])
    assert more.covariance[0, 5, 0, 0] == pytest.approx(0.5 + more.mean_covariance[0, 0, 0])


def test_people_who_are_renumbered_are_renumbered_in_the_result() -> None:
    design = people(4, 6, 8)
    order = np.array([2, 0, 3, 1])
    rows = np.concatenate([np.flatnonzero(design.person == i) for i in order])
    other = Design(design.reward[rows], design.columns[..., rows], np.repeat(np.arange(4), 6), 4)
    model = PopulationModel(Normal(), np.array([np.nan, 0.0, np.nan]))
    np.testing.assert_allclose(
        fit_population(other, model).mode[0], fit_population(design, model).mode[0][order], atol=1e-4
    )


def test_a_fit_does_not_depend_on_where_its_search_starts() -> None:
    design, model = people(12, 8, 9), PopulationModel(Normal(), np.array([np.nan, np.nan, np.nan]))
    once = fit_population(design, model)
    moved = once._replace(mean=once.mean + 0.3, between=2.0 * once.between + 0.1)
    again = fit_population(design, model, start_at(moved, np.array([0])))
    np.testing.assert_allclose(again.mean, once.mean, atol=1e-3)
    np.testing.assert_allclose(again.between, once.between, atol=2e-3)


def stopping(seed: int, people: int = 120, decisions: int = 20) -> Design:
    """Rare rewards of 1, and people of whom half stop; level and a standardised time."""
    rng = np.random.default_rng(seed)
    ends = np.where(rng.random(people) < 0.5, rng.integers(decisions, size=people), decisions)
    odds = np.exp(-2.4 + 0.9 * rng.standard_normal((people, 1)))
    rewards = (rng.random((people, decisions)) < odds / (1.0 + odds)) & (np.arange(decisions) < ends[:, None])
    time = np.tile(np.arange(decisions) / np.arange(decisions).std(), people)
    columns = np.stack([np.ones_like(time), time])[None]
    return Design(rewards.astype(np.float64).ravel(), columns, np.repeat(np.arange(people), decisions), people)


@pytest.mark.parametrize("seed", [0, 2, 7])
def test_variances_that_go_to_and_fro_settle_where_they_are_likely(seed: int) -> None:
    """Undamped, the variance of slopes went between two values for ever, with a log-likelihood 50 below that of 0.

    Scores of the restricted likelihood are about those of Laplace's method: the largest is missed by less than 1.
    """
    design = stopping(seed)

    def log_likelihood(between: list[float]) -> tuple[float, list[float]]:
        model = PopulationModel(Logit(), np.array(between), precision=np.array([TINY, 0.25]))
        found = fit_population(design, model)
        return float(found.restricted[0]), found.between[0].tolist()

    best, (level, slope) = log_likelihood([math.nan, math.nan])
    others = [log_likelihood([level, factor * slope])[0] for factor in (0.0, 0.5, 2.0)]
    assert slope > 0.0
    assert best > others[0]
    assert best > max(others) - 1.0
