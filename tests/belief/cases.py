"""Random arms and histories, with everything that has ever made an exact method slip."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.model.rewards.beta_fraction import BetaFraction
from rogue_bandits.model.rewards.binomial_logit import BinomialLogit
from rogue_bandits.model.rewards.continuous_bernoulli import ContinuousBernoulli
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.model.rewards.poisson_log import PoissonLog
from rogue_bandits.model.rewards.truncated_gaussian import TruncatedGaussian
from rogue_bandits.types import Arm, draw
from tests.oracles import Agent, Logit, Model, Normal, Tilted

Floats = NDArray[np.float64]
Family = BernoulliLogit | Gaussian | LaplaceAgent

DECAYS = (0.0, 0.3, 0.6, 0.9, 0.99, 0.999, 1.0, -0.3, -0.9, -1.0)
WEIGHTS = (0.1, 0.4, 1.0, 3.0, 10.0)
BOUNDS = ((0.0, 1.0), (-1.0, 1.0), (0.2, 0.7), (2.0, 5.0))
AGENT_BOUNDS = ((0.0, 1.0), (0.0, 1.0), (0.2, 0.9))
AGENT_THETA_LO = (0.02, 0.05, 0.1, 0.3)
LONGEST = 60
LONGEST_COUNT = 150.0


class Case(NamedTuple):
    """An arm, and what happened to it."""

    arm: Arm
    played: list[float]
    rewards: list[float]


def random_case(seed: int) -> Case:
    """The case of this number: the three families take turns."""
    rng = np.random.default_rng(seed)
    family, bounds, theta_lo, theta_hi = _family(rng, seed % 3)
    arm = Arm(_dynamics(rng, *bounds), family, theta_lo, theta_hi)
    played, seen = _plays(rng)
    theta, x0 = _inside(rng, theta_lo, theta_hi), _inside(rng, *bounds)
    x = oracle_model(arm).walk(x0, played).states[0, :-1]
    rewards = np.where(seen, _draws(rng, family, theta, x), np.nan)
    return Case(arm, played.tolist(), rewards.tolist())


def tilted_case(seed: int) -> Case:
    """The same for the other exponential families, which take turns; histories are short, as their oracle is slow."""
    rng = np.random.default_rng(seed)
    theta_weight, state_weight = (float(w) for w in rng.choice([0.3, 1.0, 1.5], 2) * rng.choice([1.0, 1.0, -1.0], 2))
    family = [
        PoissonLog(theta_weight, state_weight),
        BinomialLogit(2.0 * theta_weight, state_weight, 6.0),
        ContinuousBernoulli(5.0 * theta_weight, 3.0 * state_weight),
        TruncatedGaussian(theta_weight, state_weight, float(rng.choice([0.1, 0.5]))),
        BetaFraction(4.0 * abs(theta_weight), 3.0 * abs(state_weight), float(rng.choice([1.0, 2.5]))),
    ][seed % 5]
    theta_lo, lo = (1.0, 0.0) if isinstance(family, BetaFraction) else (-0.5, -0.2)
    arm = Arm(_dynamics(rng, lo, lo + 1.0), family, theta_lo, theta_lo + 1.5)
    played, seen = (column[:20] for column in _plays(rng))
    played[0], seen[0] = 1.0, True
    theta, x0 = _inside(rng, theta_lo, theta_lo + 1.5), _inside(rng, lo, lo + 1.0)
    x = oracle_model(arm).walk(x0, played).states[0, :-1]
    drawn = np.array([draw(family, theta, float(x_t), float(u)) for x_t, u in zip(x, rng.random(len(x)), strict=True)])
    return Case(arm, played.tolist(), np.where(seen, drawn, np.nan).tolist())


def oracle_model(arm: Arm) -> Model:
    """The arm in the oracles' own words."""
    f, d = arm.rewards, arm.dynamics
    family: Logit | Normal | Agent | Tilted
    match f:
        case BernoulliLogit():
            family = Logit(f.theta_weight, f.state_weight)
        case Gaussian():
            family = Normal(f.theta_weight, f.state_weight, f.sd)
        case PoissonLog():
            family = Tilted(*f, "poisson", LONGEST_COUNT)
        case BinomialLogit():
            family = Tilted(f.theta_weight, f.state_weight, "binomial", f.trials)
        case ContinuousBernoulli():
            family = Tilted(*f, "exponential")
        case TruncatedGaussian():
            family = Tilted(f.theta_weight, f.state_weight, "normal", f.sd)
        case BetaFraction():
            family = Tilted(f.theta_weight, f.state_weight, "beta", f.b)
        case _:
            family = Agent()
    return Model(d.decay, d.pull, d.drift, d.lo, d.hi, family, arm.theta_lo, arm.theta_hi)


def _family(rng: np.random.Generator, turn: int) -> tuple[Family, tuple[float, float], float, float]:
    theta_weight, state_weight = (float(w) for w in rng.choice(WEIGHTS, 2))
    if turn == 2:
        theta_lo, theta_hi = float(rng.choice(AGENT_THETA_LO)), float(rng.choice([0.4, 1.0]))
        return LaplaceAgent(), _pick(rng, AGENT_BOUNDS), theta_lo, theta_hi
    lo, hi = _pick(rng, BOUNDS)
    theta_lo = float(rng.choice([0.0, -1.0, 0.3]))
    theta_hi = theta_lo + float(rng.choice([0.2, 1.0, 1.0, 3.0]))
    if turn == 1:
        return Gaussian(theta_weight, state_weight, float(rng.choice([0.1, 0.5, 2.0]))), (lo, hi), theta_lo, theta_hi
    return BernoulliLogit(theta_weight, state_weight), (lo, hi), theta_lo, theta_hi


def _dynamics(rng: np.random.Generator, lo: float, hi: float) -> ClippedAffine:
    """Resting pulls the state to `level`, playing by `pull` of the range: too little to clip, or more than enough."""
    decay = float(rng.choice(DECAYS))
    width = hi - lo
    level = lo + width * float(rng.choice([-0.3, 0.1, 0.5, 0.9, 1.0, 1.4]))
    drift = level * (1.0 - decay) if rng.random() < 0.7 else width * float(rng.choice([0.0, 0.01, 0.1, 0.5]))
    pull = -width * float(rng.choice([0.0, 0.02, 0.1, 0.3, 1.0])) * (-1.0 if rng.random() < 0.15 else 1.0)
    return ClippedAffine(decay, pull, drift, lo, hi)


def _plays(rng: np.random.Generator) -> tuple[Floats, NDArray[np.bool_]]:
    """A history with at least one reward: dense, sparse or with one long rest; some rewards were never seen."""
    length = int(rng.choice([1, 2, 3, 5, 10, 20, 40, LONGEST]))
    played = (rng.random(length) < float(rng.choice([0.1, 0.3, 0.6, 0.9, 1.0]))).astype(np.float64)
    if length >= 10 and rng.random() < 0.5:
        begin = int(rng.integers(0, length // 2)) * int(rng.random() < 0.5)
        played[begin : begin + length // 2] = 0.0
    played[int(rng.integers(length // 2, length))] = 1.0
    seen = (played > 0.0) & (rng.random(length) < float(rng.choice([1.0, 0.7])))
    seen[np.flatnonzero(played)[-1]] = True
    return played, seen


def _inside(rng: np.random.Generator, lo: float, hi: float) -> float:
    """A truth: at a bound now and then."""
    return lo + (hi - lo) * float(rng.choice([0.0, 1.0, rng.random(), rng.random(), rng.random()]))


def _draws(rng: np.random.Generator, f: Family, theta: float, x: Floats) -> Floats:
    if isinstance(f, LaplaceAgent):
        r = np.clip(x + rng.laplace(0.0, theta, len(x)), 0.0, 1.0)
        edge = rng.random(len(x)) < float(rng.choice([0.0, 0.0, 0.3, 1.0]))
        return np.where(edge, np.round(r), r)
    eta = f.theta_weight * theta + f.state_weight * x
    if isinstance(f, Gaussian):
        return eta + f.sd * rng.standard_normal(len(x))
    return (rng.random(len(x)) < 1.0 / (1.0 + np.exp(-eta))).astype(np.float64)


def _pick(rng: np.random.Generator, table: tuple[tuple[float, float], ...]) -> tuple[float, float]:
    return table[int(rng.integers(len(table)))]
