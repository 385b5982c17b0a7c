"""The tuned radius sqrt(min(eta/4, S)·log(t)/n), S = ∇Dᵀ I⁺ ∇D / n², with the unknowns s, x0_1, …, x0_d."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tests.oracles.dynamics import STEP, Floats, History
from tests.oracles.glm import information_about_eta, kl_slope
from tests.oracles.history import observed
from tests.oracles.radius import Tuned, radius_of
from tests.oracles.vectors import VectorModel, etas

# What is left of a direction, as a part of its own squared length, for it to count as independent of those before it.
INDEPENDENT = 1e-12

VectorPoint = tuple[float, ArrayLike]


class VectorDirections(NamedTuple):
    """S·n² = Σ_k weight_k·(Σ_t rest_kt·dKL_t/deta2)²; rest [k, observed] is what unknown k says beyond those before."""

    rest: Floats
    weight: Floats


def vector_slopes(model: VectorModel, x0: ArrayLike, played: History) -> Floats:
    """J_t = d x_t / d x0 at the decisions 0, …, len(played), [decision, d, d]: differences in exact arithmetic.

    A component of x0 moves inside its bounds. Where it can move both ways, the one with more active clips counts.
    """
    first = [Fraction(float(number)) for number in model.starts(x0)[0]]
    here, _ = exact_walk(model, first, played)
    slopes = np.zeros((len(here), model.dims, model.dims))
    for k in range(model.dims):
        lo, hi = Fraction(float(model.lo[k])), Fraction(float(model.hi[k]))
        walks = []
        for move in (-Fraction(STEP) * (hi - lo), Fraction(STEP) * (hi - lo)):
            if move != 0 and lo <= first[k] + move <= hi:
                there, clips = exact_walk(model, [*first[:k], first[k] + move, *first[k + 1 :]], played)
                walks.append((clips, move, there))
        for t, x in enumerate(here):
            if walks:
                _, move, there = max(walks, key=lambda walk: walk[0][t])
                slopes[t, :, k] = [float((there[t][j] - x[j]) / move) for j in range(model.dims)]
    return slopes


def exact_walk(model: VectorModel, x0: list[Fraction], played: History) -> tuple[list[list[Fraction]], list[int]]:
    """The states at decisions 0, …, len(played) without rounding, and how many clips were active until then."""
    lo, hi, pull, drift = ([Fraction(float(v)) for v in row] for row in (model.lo, model.hi, model.pull, model.drift))
    decay = [[Fraction(float(v)) for v in row] for row in model.decay]
    states, clips = [x0], [0]
    for played_t in played:
        play = Fraction(float(played_t))
        moved = [sum(a * x for a, x in zip(row, states[-1], strict=True)) for row in decay]
        free = [m + p * play + d for m, p, d in zip(moved, pull, drift, strict=True)]
        states.append([min(max(f, least), most) for f, least, most in zip(free, lo, hi, strict=True)])
        clips.append(clips[-1] + sum(f != x for f, x in zip(free, states[-1], strict=True)))
    return states, clips


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
