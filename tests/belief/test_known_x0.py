"""Arms whose first state is declared known, against densities from textbooks along a trajectory from that state."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import norm

import rogue_bandits as rb
from rogue_bandits.belief.contract import advance, observe, ticket
from rogue_bandits.belief.posterior import drawn_state, prior
from rogue_bandits.model.validation import checked_arm, checked_truth
from rogue_bandits.types import Floats, Problem
from tests.interpreted import compiled_if_common as compiled_if_common
from tests.interpreted import compiled_in_verify as compiled_in_verify
from tests.interpreted import interpreted as interpreted
from tests.matrix import FULL

X0 = 0.7
NEVER_FORGETS = rb.ClippedAffine(1.0, -0.02, 0.01)
QUICK = rb.ClippedAffine(0.5, -0.4, 0.45)
PIECES = rb.PiecewiseAffine(rested=(0.1, 0.35, 0.6, 0.8, 1.0), played=(0.0, 0.0, 0.2, 0.4, 0.6))
Density = Callable[[float, float, float], float]


def logistic(theta: float, x: float, r: float) -> float:
    return -math.log1p(math.exp(-(2.0 * theta + 3.0 * x) * (2.0 * r - 1.0)))


def probit(theta: float, x: float, r: float) -> float:
    return float(norm.logcdf((theta + 2.0 * x) * (2.0 * r - 1.0)))


def normal(theta: float, x: float, r: float) -> float:
    return -0.5 * ((r - theta - 2.0 * x) / 0.5) ** 2 - math.log(0.5 * math.sqrt(2.0 * math.pi))


def agent(theta: float, x: float, r: float) -> float:
    return -abs(r - x) / theta - math.log(2.0) - (math.log(theta) if 0.0 < r < 1.0 else 0.0)


CASES: dict[str, tuple[Any, Any, tuple[float, float], Density]] = {
    "logistic": (QUICK, rb.BernoulliLogit(2.0, 3.0), (-2.0, 1.0), logistic),
    "logistic, never forgets": (NEVER_FORGETS, rb.BernoulliLogit(2.0, 3.0), (-2.0, 1.0), logistic),
    "normal, never forgets": (NEVER_FORGETS, rb.Gaussian(1.0, 2.0, 0.5), (-3.0, 3.0), normal),
    "agent, never forgets": (NEVER_FORGETS, rb.LaplaceAgent(), (0.02, 1.0), agent),
    "probit": (NEVER_FORGETS, rb.BernoulliProbit(1.0, 2.0), (-2.0, 1.0), probit),
    "play log": (PIECES, rb.BernoulliLogit(2.0, 3.0), (-2.0, 1.0), logistic),
}
every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def next_by_hand(d: Any, x: float, played: float) -> float:
    if isinstance(d, rb.PiecewiseAffine):
        return float(np.interp(x, np.linspace(0.0, 1.0, 5), d.played if played else d.rested))
    return float(min(max(d.decay * x + d.pull * played + d.drift, 0.0), 1.0))


def history(d: Any, family: Any, decisions: int = 40) -> tuple[list[float], list[float], list[float]]:
    """Plays, rewards, and the states from X0, one more than decisions."""
    rng, x = np.random.default_rng(1), [X0]
    played = (rng.random(decisions) < 0.6).astype(float).tolist()
    for one in played:
        x.append(next_by_hand(d, x[-1], one))
    if isinstance(family, rb.LaplaceAgent):
        drawn = np.clip(np.array(x[:-1]) + rng.laplace(scale=0.2, size=decisions), 0.0, 1.0)
    elif isinstance(family, rb.Gaussian):
        drawn = 0.3 + 2.0 * np.array(x[:-1]) + 0.5 * rng.normal(size=decisions)
    else:
        drawn = (rng.random(decisions) < 0.6).astype(np.float64)
    return played, np.where(np.array(played) == 1.0, drawn, np.nan).tolist(), x


def loglik_by_hand(density: Density, theta: float, rewards: list[float], x: list[float]) -> float:
    return sum(density(theta, x_t, r) for r, x_t in zip(rewards, x[:-1], strict=True) if not math.isnan(r))


@every_case
def test_fit_is_the_best_theta_from_the_known_state(case: Any, compiled_if_common: None) -> None:
    d, family, theta, density = case
    played, rewards, x = history(d, family)
    fit = rb.fit(rb.Arm(d, family, theta[0], theta[1], x0=X0), played, rewards)
    best = minimize_scalar(
        lambda at: -loglik_by_hand(density, at, rewards, x), bounds=theta, method="bounded", options={"xatol": 1e-10}
    )
    assert fit.x0 == X0
    assert fit.theta == pytest.approx(best.x, abs=1e-5)
    assert fit.loglik == pytest.approx(-best.fun, abs=1e-8)


@every_case
def test_divergence_and_state_are_those_of_the_known_state(case: Any, compiled_if_common: None) -> None:
    """A point with another x0 is refused; equal ones have no divergence."""
    d, family, theta, _ = case
    played, rewards, _ = history(d, family)
    arm = rb.Arm(d, family, theta[0], theta[1], x0=X0)
    middle = 0.5 * sum(theta)
    assert rb.divergence(arm, played, rewards, (middle, X0), (middle, X0)) == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(ValueError, match=r"point2, x0 0.5 must be 0.7, which the arm declares to be known"):
        rb.divergence(arm, played, rewards, (middle, X0), (middle, 0.5))


def test_upper_bound_of_normal_rewards_is_a_formula(compiled_if_common: None) -> None:
    """With n·divergence ≤ 2·log t (corrected, eta not in the way): theta = fit + sd·√(4·log t / n)."""
    played, rewards, x = history(NEVER_FORGETS, rb.Gaussian(1.0, 2.0, 0.5), 80)
    arm = rb.Arm(NEVER_FORGETS, rb.Gaussian(1.0, 2.0, 0.5), -9.0, 9.0, x0=X0)
    seen = [(r, x_t) for r, x_t in zip(rewards, x[:-1], strict=True) if not math.isnan(r)]
    fitted = np.mean([r - 2.0 * x_t for r, x_t in seen])
    top = fitted + 0.5 * math.sqrt(4.0 * math.log(81.0) / len(seen)) + 2.0 * x[-1]
    found = rb.upper_bound(arm, played, rewards, rb.TunedRadius(eta=1e6, variant="corrected"))
    assert found == pytest.approx(top, abs=1e-6)


@pytest.mark.parametrize("name", [name for name in CASES if name not in ("probit", "play log")])
def test_draws_are_those_of_the_posterior_of_theta_alone(name: str) -> None:
    """Quantiles of theta by a fine grid of its posterior; the state is the known one."""
    d, family, theta, density = CASES[name]
    played, rewards, x = history(d, family)
    belief = prior("test", Problem((checked_arm(rb.Arm(d, family, theta[0], theta[1], x0=X0)),)), 1)
    for one, r in zip(played, rewards, strict=True):
        token = ticket(belief, 0, 0)
        advance(belief, 0, 0, one)
        if not math.isnan(r):
            observe(belief, 0, 0, token, r)
    is_agent = isinstance(family, rb.LaplaceAgent)
    ends = [math.log(end) if is_agent else end for end in theta]
    y: Floats = np.linspace(ends[0], ends[1], 4_001)
    thetas = np.exp(y) if is_agent else y
    log_density = np.array([loglik_by_hand(density, float(at), rewards, x) for at in thetas])
    cdf = np.cumsum(np.exp(log_density - log_density.max()))
    for u in (0.1, 0.5, 0.9):
        at, now = drawn_state(belief, 0, 0, u, 0.123)
        assert now == pytest.approx(x[-1], abs=1e-12)
        assert np.interp(at, thetas, cdf / cdf[-1]) == pytest.approx(u, abs=6e-3)


def test_a_vector_of_states_may_be_known(compiled_if_common: None) -> None:
    d = rb.MatrixAffine(((0.9, 0.0), (0.1, 0.9)), (-0.3, 0.0), (0.1, 0.0), (0.0, 0.0), (1.0, 1.0))
    family = rb.Weighted(rb.BernoulliLogit(1.0, 1.0), theta_weights=(1.0,), state_weights=(2.0, 1.0))
    arm = rb.Arm(d, family, (-2.0,), (2.0,), x0=(0.4, 0.8))
    played, rewards, x = [1.0, 0.0, 1.0, 1.0], [1.0, math.nan, 0.0, 1.0], np.array([0.4, 0.8])
    states = []
    for one in played:
        states.append(2.0 * x[0] + x[1])
        x = np.clip([0.9 * x[0] - 0.3 * one + 0.1, 0.1 * x[0] + 0.9 * x[1]], 0.0, 1.0)
    fit = rb.fit(arm, played, rewards)

    def negative(theta: float) -> float:
        seen = zip(states, rewards, strict=True)
        return sum(math.log1p(math.exp(-(theta + s) * (2.0 * r - 1.0))) for s, r in seen if not math.isnan(r))

    best = minimize_scalar(negative, bounds=(-2.0, 2.0), method="bounded")
    assert fit.x0 == (0.4, 0.8)
    assert fit.loglik == pytest.approx(-best.fun, abs=1e-6)


POLICIES = [rb.PlanTS(), rb.TunedRogueUCB(variant="corrected")]
if FULL:
    # IndexTS takes 15 s to compile: `make test` compiles its choice with a bank, in test_bank_check.py.
    POLICIES += [rb.IndexTS(), rb.PlanUCB(), rb.RogueTS()]


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: type(policy).__name__)
def test_policies_snapshots_and_text_keep_it(policy: Any, compiled_if_common: None) -> None:
    """A twin continues with the same decisions; a snapshot of an arm without x0 is of another arm."""
    arms = [
        rb.Arm(NEVER_FORGETS._replace(decay=0.98), rb.BernoulliLogit(2.0, 3.0), -2.0, 1.0, x0=x0) for x0 in (0.7, 1)
    ]
    bandit = rb.Bandit(arms, policy, seed=3)
    for reward in (1, 0, 1):
        bandit.update(bandit.choose(), reward)
    saved, text = bandit.to_bytes(), bandit.to_json()
    twins = [bandit, rb.Bandit.from_bytes(saved, arms, policy), rb.Bandit.from_json(text)]
    assert twins[2].arms == bandit.arms
    later = [[twin.choose() for _ in range(3)] for twin in twins]
    assert later[0] == later[1] == later[2]
    with pytest.raises(ValueError, match="other arms"):
        rb.Bandit.from_bytes(saved, [arm._replace(x0=None) for arm in arms], policy)


def test_it_is_worth_knowing(compiled_in_verify: None) -> None:
    """Before any reward, the arm that is known to be fresh is worth more than the one that is known to be worn."""
    fresh, worn = (rb.Arm(QUICK, rb.BernoulliLogit(0.1, 3.0), x0=x0) for x0 in (1.0, 0.0))
    assert rb.Bandit([worn, fresh], rb.RogueTS(), seed=1).choose().probabilities == pytest.approx((0.0, 1.0), abs=1e-9)


@pytest.mark.parametrize(
    ("arm", "says"),
    [
        (rb.Arm(QUICK, rb.LaplaceAgent(), 0.1, 1.0, "walk", x0=1.5), "arm 'walk', x0 1.5 must be from 0.0 to 1.0"),
        (rb.Arm(QUICK, rb.LaplaceAgent(), 0.1, 1.0, x0=math.nan), "x0 nan must be finite"),
        (rb.Arm(rb.Recovering(3), rb.Gaussian(1.0, 0.0, 1.0), x0=2), "under Recovering the first state is its field"),
        (rb.Arm(rb.Unknown(), rb.LaplaceAgent(), 0.1, 1.0, x0=1), "under Unknown it is learned with the dynamics"),
    ],
)
def test_refused_by_name(arm: rb.Arm, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        checked_arm(arm)


def test_a_truth_must_agree() -> None:
    arm = rb.Arm(QUICK, rb.LaplaceAgent(), 0.1, 1.0, x0=0.7)
    assert checked_truth(rb.Truth([arm], [0.5], [0.7])).x0 == [0.7]
    with pytest.raises(ValueError, match=r"truth of arm 0, x0 0.2 must be 0.7, which the arm declares to be known"):
        checked_truth(rb.Truth([arm], [0.5], [0.2]))
    with pytest.raises(TypeError, match="x0 'high' must be a number"):
        checked_arm(arm._replace(x0="high"))


def test_the_interval_of_a_known_x0_is_that_number(interpreted: None) -> None:
    """Of theta it is that of a normal law with known states, whose mixture is uniform, by quadrature."""
    arm = rb.Arm(rb.ClippedAffine(0.9, -0.3, 0.1), rb.Gaussian(1.0, 2.0, 0.3), -1.0, 1.0, x0=0.4)
    rewards, thetas, x = [0.5] * 10, np.linspace(-1.0, 1.0, 20_001), 0.4
    loglik = np.zeros(thetas.size)
    for r in rewards:
        loglik += norm.logpdf(r, thetas + 2.0 * x, 0.3)
        x = max(0.9 * x - 0.2, 0.0)
    inside = thetas[loglik >= math.log(np.mean(np.exp(loglik))) + math.log(0.05)]
    found = rb.fit_intervals(arm, [1.0] * 10, rewards, 0.05)
    assert found.x0 == (0.4, 0.4)
    assert found.theta == pytest.approx((inside[0], inside[-1]), abs=0.01)
