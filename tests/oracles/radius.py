"""The tuned radius sqrt(min(eta/4, S)·log(t)/n), S = ∇Dᵀ I⁺ ∇D / n² at the fit.  [Algorithm 3]"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tests.oracles.agent import Agent
from tests.oracles.dynamics import Floats, History, slopes
from tests.oracles.glm import information_about_eta, kl_slope, natural
from tests.oracles.history import Model, observed, seen_states


class Tuned(NamedTuple):
    """Eta caps S; the variant "paper" uses S as printed, "corrected" n·S in its place."""

    eta: float = 1.0
    variant: str = "paper"


class Directions(NamedTuple):
    """S·n² = weight_theta·(Σ by_theta)² + weight_rest·(Σ rest)², where rest is what x0 says beyond theta.

    Of each observed decision: `slope` is d x_t/d x0 at the fit. rest = slope·by_x − shared·by_theta.
    """

    slope: Floats
    shared: float
    weight_theta: float
    weight_rest: float


def directions(model: Model, played: History, rewards: History, fit: tuple[float, float]) -> Directions:
    """The information at the fit, its two directions made independent by projecting x0's on theta's."""
    numbers = (np.asarray(column, dtype=np.float64).tobytes() for column in (played, rewards))
    return directions_at(type(model.family).__name__, model, *numbers, fit)


@lru_cache(maxsize=8)  # asked again for every set of points
def directions_at(kind: str, model: Model, plays: bytes, seen: bytes, fit: tuple[float, float]) -> Directions:
    """The same, of numbers as bytes. Families with the same numbers are equal, but for their `kind`."""
    f, played, rewards = model.family, np.frombuffer(plays), np.frombuffer(seen)
    theta, x = np.array(fit[0]), seen_states(model, played, rewards, fit[1])[0]
    moved = (model.decay, model.pull, model.drift, model.lo, model.hi, fit[1], played)
    slope = slopes(*moved)[observed(rewards)]
    if isinstance(f, Agent):
        about_theta, about_x = f.information(theta, x)
        total, left = float(about_theta.sum()), float((about_x * slope**2).sum())
        return Directions(slope, 0.0, 1.0 / total if total > 0.0 else 0.0, 1.0 / left if left > 0.0 else 0.0)
    root = np.sqrt(information_about_eta(f, natural(f, theta, x)))
    by_theta, by_x = f.theta_weight * root, f.state_weight * slope * root
    total, own = float(by_theta @ by_theta), float(by_x @ by_x)
    shared = float(by_theta @ by_x) / total if total > 0.0 else 0.0
    left = float(((by_x - shared * by_theta) ** 2).sum())
    independent = left > 1e-12 * own
    return Directions(slope, shared, 1.0 / total if total > 0.0 else 0.0, 1.0 / left if independent else 0.0)


def radius_of(tuned: Tuned, s_n2: Floats, t: int, n: int) -> Floats:
    """The radius from S·n²."""
    s = s_n2 / n if tuned.variant == "corrected" else s_n2 / n**2
    return np.sqrt(np.minimum(tuned.eta / 4.0, s) * math.log(t) / n)


def tuned_radius(
    model: Model,
    played: History,
    rewards: History,
    theta: ArrayLike,
    x0: ArrayLike,
    fit: tuple[float, float],
    tuned: Tuned,
) -> Floats:
    """The tuned radius at each of the pairs (theta, x0)."""
    f = model.family
    d = directions(model, played, rewards, fit)
    x, x2 = seen_states(model, played, rewards, x0), seen_states(model, played, rewards, fit[1])
    th, th2 = np.atleast_1d(np.asarray(theta, dtype=np.float64))[:, None], np.full((1, 1), fit[0])
    if isinstance(f, Agent):
        by_theta, by_x = f.kl_slopes(th, x, th2, x2)
    else:
        by_eta = kl_slope(f, natural(f, th, x), natural(f, th2, x2))
        by_theta, by_x = f.theta_weight * by_eta, f.state_weight * by_eta
    first, rest = by_theta.sum(axis=1), (by_x * d.slope - d.shared * by_theta).sum(axis=1)
    s_n2 = d.weight_theta * first**2 + d.weight_rest * rest**2
    return radius_of(tuned, s_n2, len(played) + 1, len(observed(rewards)))
