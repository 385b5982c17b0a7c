"""Arms whose rewards are kept in a play log: against equal arms of lines, and against brute force over a grid of x0."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pytest

import rogue_bandits as rb
from rogue_bandits.model.dynamics.projected import lipschitz_state
from rogue_bandits.model.rewards.weighted import projected_arm
from rogue_bandits.model.validation import checked_arm
from rogue_bandits.types import Floats, next_state, signal
from tests.interpreted import compiled_in_verify as compiled_in_verify
from tests.matrix import FULL, some_of

pytestmark = pytest.mark.usefixtures("compiled_in_verify")
LOGIT, PROBIT, AGENT = rb.BernoulliLogit(0.7, 1.5), rb.BernoulliProbit(0.7, 1.5), rb.LaplaceAgent()
FAMILIES: dict[str, tuple[Any, float, float]] = {
    "logit": (LOGIT, 0.0, 1.0),
    "probit": (PROBIT, 0.0, 1.0),
    "agent": (AGENT, 0.1, 0.6),
}
AGENTS_LONGEST = 40 if FULL else 12  # every reward is a kink of their log-likelihood
# The same two steps, as lines in x0 and as pieces of which the slopes alone are known.
LINES, PIECES = rb.SwitchedAffine(0.5, 0.0, 0.6, 0.3), rb.PiecewiseAffine(rested=(0.3, 0.9), played=(0.0, 0.5))


def history(seed: int, agent: bool, longest: int = 40 if FULL else 20) -> tuple[list[float], list[float]]:
    rng = np.random.default_rng(seed)
    played = (rng.random(int(rng.integers(3, longest))) < 0.6).astype(np.float64)
    played[0] = 1.0
    drawn = rng.random(played.size) if agent else (rng.random(played.size) < 0.6).astype(np.float64)
    return played.tolist(), np.where(played > 0.0, drawn, np.nan).tolist()


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("seed", some_of(range(8), 2))
def test_answers_are_those_of_lines(name: str, seed: int) -> None:
    family, lo, hi = FAMILIES[name]
    lines, play_log = rb.Arm(LINES, family, lo, hi), rb.Arm(PIECES, family, lo, hi)
    observed = history(seed, True, AGENTS_LONGEST) if name == "agent" else history(seed, False)
    fits = [rb.fit(arm, *observed) for arm in (lines, play_log)]
    assert fits[1].loglik == pytest.approx(fits[0].loglik, abs=1e-7)
    assert fits[1].gap <= 1e-6 if name == "logit" else fits[1].gap == math.inf
    if np.allclose(fits[0][:2], fits[1][:2], atol=1e-6):
        radius = rb.TunedRadius(1.0, ("paper", "corrected")[seed % 2])
        bounds = [rb.upper_bound(arm, *observed, radius) for arm in (lines, play_log)]
        assert bounds[1] == pytest.approx(bounds[0], abs=1e-6)


@pytest.mark.parametrize("dynamics", [
    rb.Saturating(pace=0.2, half=0.4, drop=0.3),
    rb.PiecewiseAffine(rested=(0.1, 0.3, 0.6, 0.9), played=(0.0, 0.0, 0.2, 0.5)),
], ids=lambda d: type(d).__name__)  # fmt: skip
@pytest.mark.parametrize("seed", some_of(range(6), 3))
def test_the_fit_beats_every_point_of_a_grid(dynamics: Any, seed: int) -> None:
    played, rewards = history(seed, False)
    arm = rb.Arm(dynamics, rb.BernoulliLogit(1.5, 2.5))
    fit, best = rb.fit(arm, played, rewards), -math.inf
    thetas = np.linspace(0.0, 1.0, 201)
    for x0 in np.linspace(0.0, 1.0, 401):
        best = max(best, float(logliks(dynamics, played, rewards, thetas, float(x0)).max()))
    assert fit.loglik >= best - 1e-6
    assert fit.loglik <= best + 1e-3, "the grid is fine enough to come near"
    assert fit.loglik == pytest.approx(logliks(dynamics, played, rewards, np.array([fit.theta]), fit.x0)[0], abs=1e-10)
    assert fit.gap <= 1e-6


def logliks(dynamics: Any, played: list[float], rewards: list[float], theta: Floats, x0: float) -> Floats:
    """Σ log p(r_t) at each theta, state by state."""
    total, x = np.zeros(theta.size), x0
    for played_t, r in zip(played, rewards, strict=True):
        eta = 1.5 * theta + 2.5 * x
        if not math.isnan(r):
            total += r * eta - np.log1p(np.exp(eta))
        x = next_state(dynamics, x, played_t)
    return total


def test_late_rewards_are_as_good_as_timely_ones() -> None:
    arm = rb.Arm(rb.Saturating(0.2, 0.4, 0.3), LOGIT)
    rewards = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0]
    timely, late = (rb.Bandit([arm, arm], rb.TunedRogueUCB(), seed=3) for _ in range(2))
    decisions = []
    for r in rewards:
        decision = timely.choose()
        timely.update(decision, r)
        decisions.append(late.choose(available=[decision.arm]))
    for decision, r in sorted(zip(decisions, rewards, strict=True), key=lambda pair: -pair[0].number):
        late.update(decision, r)
    one, other = timely._online.state.personal, late._online.state.personal
    np.testing.assert_allclose(one.early, other.early, atol=1e-6)
    np.testing.assert_allclose(one.local_fit, other.local_fit, atol=1e-6)


def test_sums_take_over_once_the_first_state_is_forgotten() -> None:
    """After 400 decisions nothing more is kept, and what is summed says what a whole history says."""
    arm = rb.Arm(rb.Saturating(pace=0.3, half=0.4, drop=0.5), LOGIT)
    played, rewards = history(1, False, longest=5)
    played, rewards = played * 200, rewards * 200
    fit = rb.fit(arm, played, rewards)
    theta = np.array([fit.theta])
    by_hand, x = 0.0, fit.x0
    for played_t, r in zip(played, rewards, strict=True):
        eta = 0.7 * theta[0] + 1.5 * x
        by_hand += 0.0 if math.isnan(r) else r * eta - math.log1p(math.exp(eta))
        x = next_state(arm.dynamics, x, played_t)
    assert fit.loglik == pytest.approx(by_hand, rel=1e-12)
    bandit = rb.Bandit([arm], rb.EpsilonRogue(), seed=1)
    for _ in range(400):
        bandit.update(bandit.choose(), 1.0)
    logs = bandit._online.state.personal
    assert logs.signals_n[0, 0] < 100
    assert logs.sums[0, 0, 0] > 300


def test_a_known_state_stays_known() -> None:
    """The intervals of this clipped rotation become points at decision 93, and would widen again at 94."""
    rng = np.random.default_rng(506)
    rng.uniform(0, 3.14), rng.choice(3), rng.uniform(0, 1, 2), rng.uniform(0, 0.6, 2)
    plays = (rng.random(300) < rng.choice([0.1, 0.3, 0.6])).astype(np.float64)
    plays[0] = 1.0
    rewards = np.where(plays > 0.0, (rng.random(300) < 0.5).astype(np.float64), np.nan)
    c, s = 0.58484151, 0.80981901
    d = rb.MatrixAffine(((c, -s), (s, c)), (-0.459, -0.324), (0.331, 0.315), (0, 0), (1, 1))
    arm = rb.Arm(d, rb.Weighted(rb.BernoulliLogit(1.0, 1.0), (1.0,), (3.0, -2.0)), (0.0,), (1.0,))
    fit = rb.fit(arm, plays.tolist(), rewards.tolist())
    x, total = np.array(fit.x0), 0.0
    for played, r in zip(plays, rewards, strict=True):
        eta = fit.theta[0] + 3.0 * x[0] - 2.0 * x[1]
        total += 0.0 if math.isnan(r) else r * eta - math.log1p(math.exp(eta))
        x = np.asarray(next_state(d, x, played))  # type: ignore[arg-type]  # a vector
    assert fit.loglik == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("rewards", [[0.14, 0.6], [0.9, 0.3], [0.5, 0.05]])
def test_a_family_that_is_not_defined_everywhere(rewards: list[float]) -> None:
    """Linear states lead eta below 0, where there is no Beta law."""
    f = rb.BetaFraction(1.0, 30.0, 3.0)
    lines = rb.Arm(rb.ClippedAffine(1.0, -0.4, 0.1), f, 1.0, 2.0)
    play_log = rb.Arm(
        rb.MatrixAffine(((1.0,),), (-0.4,), (0.1,), (0.0,), (1.0,)), rb.Weighted(f, (1.0,), (1.0,)), (1.0,), (2.0,)
    )
    fits = [rb.fit(arm, [1, 1], rewards) for arm in (lines, play_log)]
    assert fits[1].loglik == pytest.approx(fits[0].loglik, abs=1e-6)
    assert 0.0 <= fits[1].gap <= 1e-6


class Crowd(NamedTuple):
    """Falls by who was played."""

    pull: float
    lo: float = 0.0
    hi: float = 1.0


@signal.register(Crowd)
def crowd_signal(d: Crowd, k: int, arm: int) -> float:
    return float(arm)


@next_state.register(Crowd)
def crowd_next_state(d: Crowd, x_t: float, played_t: float) -> float:
    return max(0.9 * x_t - d.pull * (played_t + 1.0), 0.0) if played_t >= 0.0 else 0.9 * x_t + 0.1


def test_the_signal_of_a_users_dynamics_is_passed_on() -> None:
    arm = projected_arm(checked_arm(rb.Arm(Crowd(0.2), LOGIT)))
    assert [signal(arm.dynamics, 0, played) for played in (-1, 0, 1)] == [-1.0, 0.0, 1.0]


def test_the_lipschitz_constant_of_a_rotation_is_1() -> None:
    turns = [(math.cos(a), math.sin(a)) for a in np.linspace(0.0, 3.0, 100)]
    assert {lipschitz_state(rb.MatrixAffine(((c, -s), (s, c)), (0, 0), (0, 0), (0, 0), (1, 1))) for c, s in turns} == {
        1.0
    }
