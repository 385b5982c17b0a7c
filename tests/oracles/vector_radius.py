"""The tuned radius sqrt(min(eta/4, S)·log(t)/n), S = ∇Dᵀ I⁺ ∇D / n², with the unknowns s, x0_1, …, x0_d."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tests.oracles.dynamics import Floats, History
from tests.oracles.glm import information_about_eta, kl_slope
from tests.oracles.history import observed
from tests.oracles.radius import Tuned, radius_of
from tests.oracles.vectors import VectorModel, etas

# Nearer to a bound than this part of its range, a state counts as lying on it.
AT_THE_BOUND = 1e-9
# What is left of a direction, as a part of its own squared length, for it to count as independent of those before it.
INDEPENDENT = 1e-12

VectorPoint = tuple[float, ArrayLike]


class VectorDirections(NamedTuple):
    """S·n² = Σ_k weight_k·(Σ_t rest_kt·dKL_t/deta2)²; rest [k, observed] is what unknown k says beyond those before."""

    rest: Floats
    weight: Floats


def vector_slopes(model: VectorModel, x0: ArrayLike, played: History) -> Floats:
    """J_t = d x_t / d x0 at the decisions 0, …, len(played), [decision, d, d].

    J_{t+1} = decay J_t with a row of 0 where the clip bites, also at the kink itself; in J_0 = 1 the row is 0 for a
    component of x0 that lies on its bound.
    """
    x = model.starts(x0)
    margin = AT_THE_BOUND * (model.hi - model.lo)
    slopes = np.zeros((len(played) + 1, model.dims, model.dims))
    moves = (x[0] > model.lo + margin) & (x[0] < model.hi - margin)
    slopes[0] = np.where(moves[:, None], np.eye(model.dims), 0.0)
    for t, played_t in enumerate(played):
        free = model.free(x, float(played_t))
        moves = (free[0] > model.lo + margin) & (free[0] < model.hi - margin)
        slopes[t + 1] = np.where(moves[:, None], model.decay @ slopes[t], 0.0)
        x = np.minimum(np.maximum(free, model.lo), model.hi)
    return slopes


def eta_slopes(model: VectorModel, played: History, rewards: History, x0: ArrayLike) -> Floats:
    """d eta_t / d (s, x0_1, …, x0_d) at the observed decisions, [unknown, observed]."""
    f = model.family
    by_x0 = f.state_weight * (vector_slopes(model, x0, played)[observed(rewards)] * model.beta[:, None]).sum(axis=1)
    return np.vstack([np.full(len(by_x0), f.theta_weight), by_x0.T])


def vector_information(model: VectorModel, played: History, rewards: History, fit: VectorPoint) -> Floats:
    """I = Σ_t (information about eta_t)·(d eta_t)(d eta_t)ᵀ at the fit, over the observed decisions."""
    slopes = eta_slopes(model, played, rewards, fit[1])
    about = information_about_eta(model.family, etas(model, played, *fit)[0, observed(rewards)])
    return np.asarray((slopes * about) @ slopes.T)


def vector_directions(model: VectorModel, played: History, rewards: History, fit: VectorPoint) -> VectorDirections:
    """The unknowns made independent by Gram–Schmidt in the order s, x0_1, …, x0_d; what depends on them is dropped."""
    about = information_about_eta(model.family, etas(model, played, *fit)[0, observed(rewards)])
    rest: list[Floats] = []
    weight: list[float] = []
    for slope in eta_slopes(model, played, rewards, fit[1]):
        own, left = float((about * slope**2).sum()), slope
        for before, weight_before in zip(rest, weight, strict=True):
            left = left - float((about * before * slope).sum()) * weight_before * before
        length = float((about * left**2).sum())
        if length > INDEPENDENT * own:
            rest.append(left)
            weight.append(1.0 / length)
    shape = (len(rest), len(observed(rewards)))
    return VectorDirections(np.array(rest).reshape(shape), np.array(weight))


class Believed:
    """The set around a fit: divergence/n ≤ radius, the radius a number or tuned."""

    def __init__(
        self, model: VectorModel, played: History, rewards: History, fit: VectorPoint, radius: float | Tuned
    ) -> None:
        """Work out what the fit alone decides."""
        self.family, self.radius = model.family, radius
        self.t, self.n = len(played) + 1, len(observed(rewards))
        self.eta_fit: Floats = etas(model, played, *fit)[0, observed(rewards)]
        self.directions = vector_directions(model, played, rewards, fit)

    def radius_at(self, eta: Floats) -> Floats:
        """The radius at etas [point, observed]."""
        if not isinstance(self.radius, Tuned):
            return np.full(len(eta), self.radius)
        along = kl_slope(self.family, eta, self.eta_fit) @ self.directions.rest.T
        s_n2: Floats = (self.directions.weight * along**2).sum(axis=1)
        return radius_of(self.radius, s_n2, self.t, self.n)

    def smooth_excess(self, eta: Floats) -> tuple[Floats, Floats]:
        """At one point: divergence/n less each of the radii whose least is the radius, and the slopes by eta, as rows.

        d KL/d eta = information·(eta − eta_fit), and d (d KL/d eta2)/d eta = −information.
        """
        about = information_about_eta(self.family, eta)
        divergence = float(self.family.kl_of(eta, self.eta_fit).sum()) / self.n
        slope = about * (eta - self.eta_fit) / self.n
        if not isinstance(self.radius, Tuned):
            return np.array([divergence - self.radius]), slope[None, :]
        along = self.directions.rest @ kl_slope(self.family, eta, self.eta_fit)
        s_n2 = float((self.directions.weight * along**2).sum())
        most = float(radius_of(self.radius, np.array(np.inf), self.t, self.n))
        unit = float(radius_of(self.radius._replace(eta=np.inf), np.array(1.0), self.t, self.n))
        root = math.sqrt(max(s_n2, 1e-300))
        by_eta = -about * ((self.directions.weight * along) @ self.directions.rest) / root
        return np.array([divergence - most, divergence - unit * root]), np.array([slope, slope - unit * by_eta])

    def excess(self, eta: Floats) -> Floats:
        """divergence/n − radius at etas [point, observed]."""
        divergence = self.family.kl_of(eta, self.eta_fit[None, :]).sum(axis=1)
        return np.asarray(divergence / self.n - self.radius_at(eta))


def vector_tuned_radius(
    model: VectorModel,
    played: History,
    rewards: History,
    s: ArrayLike,
    x0: ArrayLike,
    fit: VectorPoint,
    tuned: Tuned,
) -> Floats:
    """The tuned radius at each of the points (s, x0)."""
    eta = etas(model, played, s, x0)[:, observed(rewards)]
    return Believed(model, played, rewards, fit, tuned).radius_at(eta)


def vector_excess(
    model: VectorModel,
    played: History,
    rewards: History,
    s: ArrayLike,
    x0: ArrayLike,
    fit: VectorPoint,
    radius: float | Tuned,
) -> Floats:
    """divergence/n − radius at each of the points (s, x0): believed where it is ≤ 0."""
    eta = etas(model, played, s, x0)[:, observed(rewards)]
    return Believed(model, played, rewards, fit, radius).excess(eta)
