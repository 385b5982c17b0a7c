"""The posterior against a plain one on a fine grid: densities from textbooks, states by a loop."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.belief.basis import add_series, fill_basis
from rogue_bandits.belief.contract import advance, log_likelihood, observe, posterior_draw, ticket
from rogue_bandits.belief.marginal import THETA_NODES
from rogue_bandits.belief.posterior import PosteriorBelief, drawn_state, likely_points, prior
from rogue_bandits.types import Floats, Problem
from tests.matrix import FULL, pairs_of


class Case(NamedTuple):
    arm: rb.Arm
    density: Callable[[Floats, float, float], Floats]  # of thetas, at a state, of a reward
    reward: Callable[[np.random.Generator, float], float]  # at a state
    log_theta: bool


def bernoulli(theta: Floats, x: float, r: float) -> Floats:
    p = 1.0 / (1.0 + np.exp(-(2.0 * theta + 3.0 * x)))
    return p if r == 1.0 else 1.0 - p


def gaussian(theta: Floats, x: float, r: float) -> Floats:
    return np.exp(-0.5 * ((r - theta - 2.0 * x) / 0.5) ** 2) / (0.5 * math.sqrt(2.0 * math.pi))


def poisson(theta: Floats, x: float, r: float) -> Floats:
    rate = np.exp(theta + x)
    return np.exp(-rate) * rate**r / math.factorial(int(r))


def laplace(theta: Floats, x: float, r: float) -> Floats:
    at = 0.5 * np.exp(-abs(r - x) / theta)
    return at / theta if 0.0 < r < 1.0 else at


QUICK, SLOW = rb.ClippedAffine(0.5, -0.4, 0.45), rb.ClippedAffine(0.93, -0.08, 0.06)
CASES = {
    "bernoulli": Case(rb.Arm(QUICK, rb.BernoulliLogit(2.0, 3.0), -2.0, 1.0), bernoulli,
                      lambda rng, x: float(rng.random() < 1.0 / (1.0 + math.exp(1.0 - 3.0 * x))), False),
    "bernoulli, slow": Case(rb.Arm(SLOW, rb.BernoulliLogit(2.0, 3.0), -2.0, 1.0), bernoulli,
                            lambda rng, x: float(rng.random() < 1.0 / (1.0 + math.exp(1.0 - 3.0 * x))), False),
    "gaussian, slow": Case(rb.Arm(SLOW, rb.Gaussian(1.0, 2.0, 0.5), -2.0, 2.0), gaussian,
                           lambda rng, x: 0.3 + 2.0 * x + 0.5 * rng.normal(), False),
    "poisson": Case(rb.Arm(QUICK, rb.PoissonLog(1.0, 1.0), -1.0, 1.0), poisson,
                    lambda rng, x: float(rng.poisson(math.exp(0.2 + x))), False),
    "agent, slow": Case(rb.Arm(SLOW, rb.LaplaceAgent(), 0.02, 1.0), laplace,
                        lambda rng, x: min(max(x + rng.laplace(scale=0.15), 0.0), 1.0), True),
}  # fmt: skip
everywhere = pytest.mark.parametrize("name", CASES)
LIVED = 60 if FULL else 40  # decisions


@cache
def lived(case: Case, decisions: int, seed: int) -> tuple[PosteriorBelief, list[tuple[bool, float]]]:
    """A belief after some decisions, and what happened: whether the arm was played, and its reward."""
    rng, d = np.random.default_rng(seed), case.arm.dynamics
    belief, x, happened = prior("test", Problem((case.arm,)), 1), 0.7, []
    for _ in range(decisions):
        played = bool(rng.random() < 0.6)
        r = case.reward(rng, x) if played else math.nan
        token = ticket(belief, 0, 0)
        advance(belief, 0, 0, float(played))
        if played:
            observe(belief, 0, 0, token, r)
        happened.append((played, r))
        x = min(max(d.decay * x + d.pull * played + d.drift, d.lo), d.hi)
    return belief, happened


def on_a_grid(case: Case, happened: list[tuple[bool, float]], y: Floats, x0: Floats) -> Floats:
    """The log-likelihood at every coordinate of theta (first axis) and x0 (second)."""
    theta, d, x = np.exp(y) if case.log_theta else y, case.arm.dynamics, x0.copy()
    total = np.zeros((y.size, x0.size))
    for played, r in happened:
        if played:
            total += np.log(np.stack([case.density(theta, float(now), r) for now in x], axis=1))
        x = np.clip(d.decay * x + d.pull * played + d.drift, d.lo, d.hi)
    return total


def coordinates(case: Case, n: int) -> Floats:
    lo, hi = case.arm.theta_lo, case.arm.theta_hi
    return np.linspace(math.log(lo), math.log(hi), n) if case.log_theta else np.linspace(lo, hi, n)


def cumulated(density: Floats) -> Floats:
    below = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]))])
    share: Floats = below / below[-1]
    return share


@pytest.mark.verify
@pytest.mark.parametrize(
    ("name", "decisions"),
    [(name, n) for name, n in pairs_of([*CASES], [120, 3, 25, 0], 2) if FULL or (name, n) != ("bernoulli, slow", 120)],
)
def test_draws_have_the_distribution_of_the_posterior(name: str, decisions: int) -> None:
    case = CASES[name]
    belief, happened = lived(case, decisions, seed=decisions + 1)
    y, x0 = coordinates(case, 801), np.linspace(case.arm.dynamics.lo, case.arm.dynamics.hi, 161)
    loglik = on_a_grid(case, happened, y, x0)
    posterior = np.exp(loglik - loglik.max())
    weights = np.ones(x0.size)
    weights[[0, -1]] = 0.5
    below = cumulated(posterior @ weights)
    u = np.linspace(0.005, 0.995, 67)
    draws = np.array([posterior_draw(belief, 0, 0, float(q), 0.5)[0] for q in u])
    drawn = np.log(draws) if case.log_theta else draws
    assert np.abs(np.interp(drawn, y, below) - u).max() < 4e-3
    # x0 given theta, at three thetas; where the state no longer depends on x0 none is drawn.
    row = belief.personal.line[0, 0]
    if abs(row[0]) * (row[3] > row[2]) > 1e-3:
        for q in (0.1, 0.5, 0.9):
            theta = posterior_draw(belief, 0, 0, q, 0.5)[0]
            at = np.array([math.log(theta) if case.log_theta else theta])
            given = on_a_grid(case, happened, at, x0)[0]
            below_x0 = cumulated(np.exp(given - given.max()))
            x0_drawn = [posterior_draw(belief, 0, 0, q, float(v))[1] for v in u]
            assert np.abs(np.interp(x0_drawn, x0, below_x0) - u).max() < 0.02


@everywhere
def test_the_log_likelihood_is_that_of_the_rewards(name: str) -> None:
    case = CASES[name]
    belief, happened = lived(case, LIVED, seed=5)
    d = case.arm.dynamics
    nodes = d.lo + (d.hi - d.lo) * np.array([0.0, 0.25, 0.5, 1.0])  # nodes of the belief
    y = coordinates(case, 7)
    expected = on_a_grid(case, happened, y, nodes)
    for i, at in enumerate(y):
        for j, x0 in enumerate(nodes):
            theta = math.exp(at) if case.log_theta else float(at)
            found = log_likelihood(belief, 0, 0, theta, np.array([x0]))
            assert found == pytest.approx(expected[i, j], rel=1e-9, abs=2e-4)


@pytest.mark.parametrize("name", [name for name in CASES if FULL or name != "bernoulli, slow"])  # by far the slowest
def test_the_window_follows_the_mass(name: str) -> None:
    belief, _ = lived(CASES[name], 120 if name == "bernoulli" and not FULL else 400, seed=3)
    density = np.exp(belief.personal.log_density[0, 0] - belief.personal.log_density[0, 0].max())
    assert np.count_nonzero(density > 1e-7) >= 20
    cdf = belief.personal.cdf[0, 0]
    assert cdf[0] == 0.0
    assert cdf[-1] == pytest.approx(1.0)
    assert (np.diff(cdf) >= 0.0).all()


@everywhere
def test_likely_points_are_on_the_edge_of_the_likely_ones(name: str) -> None:
    case = CASES[name]
    belief, happened = lived(case, LIVED, seed=5)
    y, x0 = coordinates(case, 801), np.linspace(case.arm.dynamics.lo, case.arm.dynamics.hi, 33)
    loglik = on_a_grid(case, happened, y, x0)
    inside = y[(loglik >= loglik.max() - 2.0).any(axis=1)]
    points = likely_points(belief, 0, 0, 2.0)
    width = inside[-1] - inside[0]
    assert points[:, 0].min() == pytest.approx(inside[0], abs=0.02 * width + 2.0 * (y[1] - y[0]))
    assert points[:, 0].max() == pytest.approx(inside[-1], abs=0.02 * width + 2.0 * (y[1] - y[0]))


def test_draws_of_the_state_concentrate_on_arms_that_never_forget_x0() -> None:
    """Rewards that all say the same of theta + x: the spread of the drawn mean is that of their average."""
    arm, n = rb.Arm(rb.ClippedAffine(1.0, 0.0, 0.0), rb.Gaussian(1.0, 1.0, 0.05), 0.0, 1.0), 150
    belief, rng = prior("test", Problem((arm,)), 1), np.random.default_rng(2)
    for _ in range(n):
        token = ticket(belief, 0, 0)
        advance(belief, 0, 0, 1.0)
        observe(belief, 0, 0, token, 0.9 + 0.05 * rng.normal())
    draws = [sum(drawn_state(belief, 0, 0, *rng.random(2))) for _ in range(2000)]
    assert np.std(draws) < 2.0 * 0.05 / math.sqrt(n)


def refused(arm: Any) -> str:
    with pytest.raises(ValueError, match="arm 0") as error:
        prior("plan-ts", Problem((arm,)), 1)
    return str(error.value)


def test_families_and_dynamics_without_a_posterior_are_named() -> None:
    assert "BernoulliProbit" in refused(rb.Arm(QUICK, rb.BernoulliProbit(1.0, 1.0)))
    assert "Saturating" in refused(rb.Arm(rb.Saturating(0.2, 0.4, 0.3), rb.BernoulliLogit(1.0, 1.0)))


@pytest.mark.parametrize("name", ["bernoulli", "gaussian, slow", "agent, slow"])
def test_a_series_at_all_nodes_at_once_is_that_at_each_bit_for_bit(name: str) -> None:
    arm, random = CASES[name].arm, np.random.default_rng(4)
    belief = prior("test", Problem((arm, arm)), 1)
    nodes, size = belief.shared.nodes, int(belief.personal.settled.shape[2])
    coefficients = random.normal(size=size)
    window: Floats = np.array([0.7, 0.9]) * np.asarray(belief.personal.window[0, 1], dtype=np.float64)
    start, basis = random.normal(size=THETA_NODES), np.empty(size)
    found, expected = start.copy(), start.copy()
    add_series(arm.rewards, nodes, 1, window, coefficients, found)
    for j in range(THETA_NODES):
        fill_basis(arm.rewards, nodes, 1, window[0] + j * (window[1] - window[0]) / (THETA_NODES - 1), basis)
        for c in range(size):
            expected[j] += basis[c] * coefficients[c]
    assert np.array_equal(found, expected)
