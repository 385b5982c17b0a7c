"""Random arms with vectors for states and theta, in the oracles' words, and what happened to them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import rogue_bandits as rb
from tests.oracles.dynamics import Floats
from tests.oracles.glm import Glm
from tests.oracles.logit import Logit
from tests.oracles.normal import Normal
from tests.oracles.tilted import Tilted
from tests.oracles.vectors import VectorModel, etas

DECAYS = (0.0, 0.3, 0.6, 0.9, 0.99, 1.0, -0.3, -0.9)
BOUNDS = ((0.0, 1.0), (-1.0, 1.0), (0.2, 0.7), (2.0, 3.5))
WEIGHTS = (0.3, 1.0, 3.0)
LENGTHS = (3, 5, 8, 12, 20, 30)
LONGEST_TILTED = 12  # their oracle is slow
LONGEST_COUNT = 40.0
# Eta goes no further than this: beyond, every reward is the same, or (Poisson) counts are too long to sum over.
FURTHEST = {"poisson": 1.5, "normal": 4.0, "binomial": 6.0, "exponential": 10.0}


class VectorCase(NamedTuple):
    """A model, and what happened to it; a reward is nan where there was no play or it was never seen."""

    model: VectorModel
    played: list[float]
    rewards: list[float]


def random_vector_case(seed: int, dims: int) -> VectorCase:
    """The case of this number with a state of `dims` components: Logit, Normal and a Tilted family take turns."""
    rng = np.random.default_rng([seed, dims])
    family = _family(rng, seed)
    model = _model(rng, family, dims, mixing=seed % 2 == 1)
    length = int(rng.choice(LENGTHS))
    played, seen = _plays(rng, min(length, LONGEST_TILTED) if isinstance(family, Tilted) else length)
    theta, x0 = _inside(rng, model.theta_lo, model.theta_hi), _inside(rng, model.lo, model.hi)
    eta = etas(model, played.tolist(), float(model.alpha @ theta), x0)[0, :-1]
    rewards = np.where(seen, _draws(rng, family, eta), np.nan)
    return VectorCase(model, played.tolist(), rewards.tolist())


def arm_of(model: VectorModel) -> rb.Arm:
    """The arm in the package's words."""
    f: Glm = model.family
    kinds = {"binomial": rb.BinomialLogit, "poisson": rb.PoissonLog, "exponential": rb.ContinuousBernoulli,
             "normal": rb.TruncatedGaussian}  # fmt: skip
    if isinstance(f, Logit):
        family: object = rb.BernoulliLogit(f.theta_weight, f.state_weight)
    elif isinstance(f, Normal):
        family = rb.Gaussian(f.theta_weight, f.state_weight, f.sd)
    else:
        known = (f.known,) if f.kind in ("binomial", "normal") else ()
        family = kinds[f.kind](f.theta_weight, f.state_weight, *known)
    dynamics = rb.MatrixAffine(*(part.tolist() for part in model[:5]))
    rewards = rb.Weighted(family, model.alpha.tolist(), model.beta.tolist())
    return rb.Arm(dynamics, rewards, model.theta_lo.tolist(), model.theta_hi.tolist())


def _family(rng: np.random.Generator, seed: int) -> Glm:
    theta_weight, state_weight = (float(w) for w in rng.choice(WEIGHTS, 2) * rng.choice([1.0, 1.0, 1.0, -1.0], 2))
    if seed % 3 == 0:
        return Logit(theta_weight, state_weight)
    if seed % 3 == 1:
        return Normal(theta_weight, state_weight, float(rng.choice([0.1, 0.5, 2.0])))
    kind, known = (("binomial", 6.0), ("poisson", LONGEST_COUNT), ("exponential", 1.0), ("normal", 0.5))[seed // 3 % 4]
    return Tilted(theta_weight, state_weight, kind, known)


def _model(rng: np.random.Generator, family: Glm, dims: int, mixing: bool) -> VectorModel:
    """Alpha and beta have mixed signs; the clip bites often, seldom or never."""
    ends = np.array([BOUNDS[int(k)] for k in rng.integers(0, len(BOUNDS), dims)])
    lo, hi = ends[:, 0], ends[:, 1]
    decay = _mixed(rng, dims) if mixing else np.diag(rng.choice(DECAYS, dims))
    width = hi - lo
    # Resting pulls towards `level`, playing by `pull` of the range: too little to clip, or more than enough.
    level = lo + width * rng.choice([-0.3, 0.1, 0.5, 0.9, 1.0, 1.4], dims)
    drift = level - decay @ level if rng.random() < 0.7 else width * rng.choice([0.0, 0.01, 0.1, 0.5], dims)
    pull = -width * rng.choice([0.0, 0.02, 0.1, 0.3, 1.0], dims) * rng.choice([1.0, 1.0, 1.0, -1.0], dims)
    p = int(rng.integers(1, 4))
    alpha = rng.uniform(0.3, 1.0, p) * rng.choice([1.0, -1.0], p)
    beta = rng.uniform(0.3, 1.0, dims) * rng.choice([1.0, 1.0, -1.0], dims)
    theta_lo = rng.choice(np.array([0.0, -1.0, 0.3]), p)
    theta_hi = theta_lo + rng.choice(np.array([0.2, 1.0, 1.0, 2.0]), p)
    model = VectorModel(decay, pull, drift, lo, hi, family, alpha, beta, theta_lo, theta_hi)
    return model._replace(family=_within(model))


def _within(model: VectorModel) -> Glm:
    """The family with weights so small that eta stays where its rewards tell something."""
    f = model.family
    if isinstance(f, Normal):
        return f
    s_most = max(abs(end) for end in model.s_range)
    x_most = float(np.abs(model.beta * np.array([model.lo, model.hi])).max(axis=0).sum())
    furthest = FURTHEST[f.kind] if isinstance(f, Tilted) else 6.0
    part = min(1.0, furthest / (abs(f.theta_weight) * s_most + abs(f.state_weight) * x_most))
    return f._replace(theta_weight=part * f.theta_weight, state_weight=part * f.state_weight)


def _mixed(rng: np.random.Generator, dims: int) -> Floats:
    """A full matrix, its spectral norm between 0.3 and 1; in one dimension a number of either sign."""
    decay = rng.standard_normal((dims, dims)) + float(rng.choice([0.0, 2.0])) * np.eye(dims)
    norm = float(rng.choice([0.3, 0.6, 0.9, 0.99, 1.0]))
    return np.asarray(decay * (norm / np.linalg.norm(decay, 2)), dtype=np.float64)


def _plays(rng: np.random.Generator, length: int) -> tuple[Floats, Floats]:
    """Dense or sparse plays, one at least with a reward that was seen; others were not."""
    played = (rng.random(length) < float(rng.choice([0.3, 0.6, 0.9, 1.0]))).astype(np.float64)
    played[int(rng.integers(0, length))] = 1.0
    seen = played * (rng.random(length) < float(rng.choice([1.0, 0.7])))
    seen[int(rng.choice(np.flatnonzero(played)))] = 1.0
    return played, seen


def _inside(rng: np.random.Generator, lo: Floats, hi: Floats) -> Floats:
    """A truth: components at a bound now and then."""
    part = np.where(rng.random(len(lo)) < 0.2, rng.choice([0.0, 1.0], len(lo)), rng.random(len(lo)))
    return np.asarray(lo + (hi - lo) * part, dtype=np.float64)


def _draws(rng: np.random.Generator, f: Glm, eta: Floats) -> Floats:
    if isinstance(f, Normal):
        return eta + f.sd * rng.standard_normal(len(eta))
    if isinstance(f, Logit):
        return (rng.random(len(eta)) < f.mean_of(eta)).astype(np.float64)
    chances, rewards = f.chances(eta)[0], f.rewards()[0]
    return np.array([rng.choice(rewards, p=row) for row in chances])
