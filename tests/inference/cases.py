"""Random arms and histories, with everything that has ever made an exact method slip."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rogue_bandits.model.bernoulli_logit import BernoulliLogit
from rogue_bandits.model.dynamics import ClippedAffine
from rogue_bandits.model.gaussian import Gaussian
from rogue_bandits.model.laplace_agent import LaplaceAgent
from rogue_bandits.types import Arm
from tests.oracles import Agent, Logit, Model, Normal

Floats = NDArray[np.float64]
Family = BernoulliLogit | Gaussian | LaplaceAgent

DECAYS = (0.0, 0.3, 0.6, 0.9, 0.99, 0.999, 1.0, -0.3, -0.9, -1.0)
WEIGHTS = (0.1, 0.4, 1.0, 3.0, 10.0)
BOUNDS = ((0.0, 1.0), (-1.0, 1.0), (0.2, 0.7), (2.0, 5.0))
AGENT_BOUNDS = ((0.0, 1.0), (0.0, 1.0), (0.2, 0.9))
AGENT_THETA_LO = (0.02, 0.05, 0.1, 0.3)
LONGEST = 60


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


def oracle_model(arm: Arm) -> Model:
    """The arm in the oracles' own words."""
    f, d = arm.rewards, arm.dynamics
    family: Logit | Normal | Agent
    match f:
        case BernoulliLogit():
            family = Logit(f.theta_weight, f.state_weight)
        case Gaussian():
            family = Normal(f.theta_weight, f.state_weight, f.sd)
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
