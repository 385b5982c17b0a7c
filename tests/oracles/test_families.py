"""The closed forms of the oracles against integration over the reward's support."""

from __future__ import annotations

import numpy as np
import pytest

from tests.oracles import Agent, Logit, Normal
from tests.oracles.dynamics import Floats
from tests.oracles.glm import information_about_eta, kl_slope, natural
from tests.oracles.integration import derivative, expectation

Family = Logit | Normal | Agent
FAMILIES = (Logit(0.4, 0.6), Logit(10.0, -3.0), Normal(1.0, 2.0, 0.5), Normal(0.3, -1.0, 2.0), Agent())
PAIRS = [((0.2, 0.3), (0.35, 0.7)), ((0.05, 0.9), (0.1, 0.85)), ((0.6, 0.0), (0.3, 1.0)), ((0.3, 0.5), (0.3, 0.5))]

pytestmark = [pytest.mark.parametrize("f", FAMILIES, ids=str), pytest.mark.parametrize(("p", "q"), PAIRS)]
Pair = tuple[float, float]


def arrays(*numbers: float) -> list[Floats]:
    return [np.array([number]) for number in numbers]


def loglik(f: Family, theta: float, x: float, r: float) -> float:
    th, state, reward = arrays(theta, x, r)
    each = f.loglik(th, state, reward) if isinstance(f, Agent) else f.loglik_of(natural(f, th, state), reward)
    return float(each[0])


def test_densities_integrate_to_one(f: Family, p: Pair, q: Pair) -> None:
    assert expectation(f, *p, lambda r: 1.0) == pytest.approx(1.0, abs=1e-12)
    # An expectation under p of the ratio q/p is a total mass under q.
    if not isinstance(f, Normal):
        ratio = expectation(f, *p, lambda r: np.exp(loglik(f, *q, r) - loglik(f, *p, r)), (q[1],))
        assert ratio == pytest.approx(1.0, abs=1e-9)


def test_mean(f: Family, p: Pair, q: Pair) -> None:
    th, x = arrays(*p)
    mean = f.mean(th, x) if isinstance(f, Agent) else f.mean_of(natural(f, th, x))
    assert mean[0] == pytest.approx(expectation(f, *p, lambda r: r), abs=1e-11)


def test_kl(f: Family, p: Pair, q: Pair) -> None:
    (th, x), (th2, x2) = arrays(*p), arrays(*q)
    kl = f.kl(th, x, th2, x2) if isinstance(f, Agent) else f.kl_of(natural(f, th, x), natural(f, th2, x2))
    assert kl[0] == pytest.approx(expectation(f, *p, lambda r: loglik(f, *p, r) - loglik(f, *q, r), (q[1],)), abs=1e-10)


def test_slopes_of_the_kl(f: Family, p: Pair, q: Pair) -> None:
    (th, x), (th2, x2) = arrays(*p), arrays(*q)
    if isinstance(f, Agent):
        by_theta, by_x = (float(slope[0]) for slope in f.kl_slopes(th, x, th2, x2))
    else:
        by_eta = float(kl_slope(f, natural(f, th, x), natural(f, th2, x2))[0])
        by_theta, by_x = f.theta_weight * by_eta, f.state_weight * by_eta
    step = 1e-5 if isinstance(f, Agent) else 1e-4
    # E of minus the score, from the density alone. At its kink r = x2 the agent's score is a jump, which has no mass.
    scored = expectation(f, *p, lambda r: -derivative(lambda th2: loglik(f, th2, q[1], r), q[0], step), (q[1],))
    assert by_theta == pytest.approx(scored, abs=1e-7, rel=1e-7)
    scored = expectation(f, *p, lambda r: -derivative(lambda x2: loglik(f, q[0], x2, r), q[1], 1e-9), (q[1],))
    assert by_x == pytest.approx(scored, abs=1e-4, rel=1e-4)


def test_information_is_the_variance_of_the_score(f: Family, p: Pair, q: Pair) -> None:
    th, x = arrays(*p)
    if isinstance(f, Agent):
        about_theta, about_x = (float(i[0]) for i in f.information(th, x))
        across = 0.0
    else:
        about_eta = float(information_about_eta(f, natural(f, th, x))[0])
        about_theta, about_x = f.theta_weight**2 * about_eta, f.state_weight**2 * about_eta
        across = f.theta_weight * f.state_weight * about_eta

    def by_theta(r: float) -> float:
        return derivative(lambda theta: loglik(f, theta, p[1], r), p[0], 1e-5)

    def by_x(r: float) -> float:
        return derivative(lambda x: loglik(f, p[0], x, r), p[1], 1e-9)

    assert about_theta == pytest.approx(expectation(f, *p, lambda r: by_theta(r) ** 2), rel=1e-6)
    assert about_x == pytest.approx(expectation(f, *p, lambda r: by_x(r) ** 2), rel=1e-4)
    assert across == pytest.approx(expectation(f, *p, lambda r: by_theta(r) * by_x(r)), rel=1e-4, abs=1e-4)
