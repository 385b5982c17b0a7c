"""Pieces: sets of first states from which the clip bites at the same steps, so that every state is linear in x0.

Within a piece eta_t = design_t·u + offset_t, where u = (s, x0) measured in parts of its box, and the piece is the
polytope rows·u ≤ limits. Functions with kinks are smooth in a piece, and a smooth search there stops at its edge; the
search then goes on in the pieces around the point where it stopped.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import LinearConstraint, NonlinearConstraint, minimize

from tests.oracles.dynamics import Floats, History
from tests.oracles.vectors import VectorModel

# A value and its gradient by u.
Smooth = Callable[[Floats], tuple[float, Floats]]
# Several values, and their gradients as rows.
Several = Callable[[Floats], tuple[Floats, Floats]]
# How far around a point its neighbouring pieces are looked for, in parts of the box.
ASIDE = (1e-8, 1e-6, 1e-4, 1e-2)
DIRECTIONS = 24


class Box(NamedTuple):
    """The box of (s, x0): (s, x0) = low + width·u."""

    low: Floats
    width: Floats

    def points(self, u: Floats) -> tuple[Floats, Floats]:
        """Rows of s and of x0."""
        z = self.low + self.width * np.clip(np.atleast_2d(u), 0.0, 1.0)
        # low + width may round past the bound.
        z = np.minimum(z, self.low + self.width)
        return z[:, 0], z[:, 1:]

    def units(self, s: Floats, x0: Floats) -> Floats:
        """Rows of u."""
        z = np.column_stack([s, x0]) - self.low
        return np.clip(z / np.where(self.width > 0.0, self.width, 1.0), 0.0, 1.0)


class Piece(NamedTuple):
    """eta = design u + offset at all decisions and the one to come, for u in [0, 1]^(1 + d) with rows u ≤ limits."""

    design: Floats
    offset: Floats
    rows: Floats
    limits: Floats


def box_of(model: VectorModel) -> Box:
    """The box of (s, x0)."""
    s_lo, s_hi = model.s_range
    return Box(np.append(s_lo, model.lo), np.append(s_hi - s_lo, model.hi - model.lo))


def piece_at(model: VectorModel, played: History, u: Floats) -> Piece:
    """The piece that holds u: x_t = M x0 + c, where M loses a row and c takes the bound wherever the clip bites."""
    box, f = box_of(model), model.family
    bites = model.walk(box.points(u)[1], played).bites[0]
    M, c = np.diag(box.width[1:]), box.low[1:].copy()  # x_0 by u
    states, rows, limits = [(M, c)], [], []
    for t, played_t in enumerate(played):
        M, c = model.decay @ M, model.decay @ c + model.pull * float(played_t) + model.drift
        for k, bite in enumerate(bites[t]):
            if bite <= 0:  # at most hi, or below lo
                rows.append(M[k])
                limits.append((model.hi[k] if bite == 0 else model.lo[k]) - c[k])
            if bite >= 0:
                rows.append(-M[k])
                limits.append(c[k] - (model.lo[k] if bite == 0 else model.hi[k]))
        M = np.where((bites[t] == 0)[:, None], M, 0.0)
        c = np.where(bites[t] == 0, c, np.where(bites[t] > 0, model.hi, model.lo))
        states.append((M, c))
    by_x0 = np.array([f.state_weight * model.beta @ M for M, _ in states])
    offset = np.array([f.theta_weight * box.low[0] + f.state_weight * float(model.beta @ c) for _, c in states])
    design = np.column_stack([np.full(len(states), f.theta_weight * box.width[0]), by_x0])
    around, most = np.array(rows).reshape(-1, model.dims), np.array(limits)
    binding = np.maximum(around, 0.0).sum(axis=1) > most  # the others hold in the whole box
    return Piece(design, offset, np.column_stack([np.zeros(binding.sum()), around[binding]]), most[binding])


def climb(piece: Piece, u: Floats, loss: Smooth, inside: Several | None = None) -> Floats:
    """Where a search from u for the least loss stops, in the piece and, if given, where all of `inside` are ≤ 0."""
    constraints: list[LinearConstraint | NonlinearConstraint] = []
    if len(piece.limits):
        constraints.append(LinearConstraint(piece.rows, -np.inf, piece.limits))
    if inside is not None:
        constraints.append(NonlinearConstraint(lambda v: inside(v)[0], -np.inf, 0.0, jac=lambda v: inside(v)[1]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of steps that leave the bounds
        found = minimize(
            loss,
            u,
            jac=True,
            method="SLSQP",
            bounds=[(0.0, 1.0)] * len(u),
            constraints=constraints,
            options={"ftol": 1e-15, "maxiter": 200},
        )
    return np.clip(found.x, 0.0, 1.0) if np.isfinite(found.x).all() else u


def pattern(model: VectorModel, played: History, u: Floats) -> list[bytes]:
    """The name of the piece of each row u."""
    return [bites.tobytes() for bites in model.walk(box_of(model).points(u)[1], played).bites]


def around(rng: np.random.Generator, u: Floats, scales: tuple[float, ...] = ASIDE) -> Floats:
    """Rows in all directions from u, at each of the scales."""
    steps = rng.standard_normal((DIRECTIONS, len(u)))
    steps[:, 0] = 0.0  # pieces do not depend on s
    steps /= np.abs(steps).max(axis=1, keepdims=True)
    return np.clip(u + np.concatenate([scale * steps for scale in scales]), 0.0, 1.0)
