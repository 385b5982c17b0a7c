"""A proof of the fit: a number that the log-likelihood exceeds nowhere in the box of (s, x0).

The box of x0 is split into cells. Over a cell x_t = M_t x0 + c_t + e_t, where e_t lies in a known range: it is 0 as
long as every clip has made up its mind for the whole cell, and takes in all that an undecided clip may give. The
log-likelihood is concave in the etas and so lies below its tangent plane at the middle of the cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.oracles.dynamics import Floats, History
from tests.oracles.glm import information_about_eta, natural, score
from tests.oracles.history import observed
from tests.oracles.vectors import VectorModel, seen_rewards

CHUNK = 5000
BISECTIONS, NEWTON_STEPS = 6, 5


class Ranges(NamedTuple):
    """x = M x0 + c + e with |e| ≤ spread, for each cell: the middle of what e may be is part of c."""

    M: Floats
    c: Floats
    spread: Floats

    def at(self, middle: Floats, half: Floats) -> tuple[Floats, Floats]:
        """The middle of the range of x over the cell, and its half width."""
        x: Floats = (self.M * middle[:, None, :]).sum(axis=2) + self.c
        width: Floats = (np.abs(self.M) * half[:, None, :]).sum(axis=2) + self.spread
        return x, width


def vector_fit_ceiling(
    model: VectorModel,
    played: History,
    rewards: History,
    loglik: float,
    tolerance: float = 1e-6,
    cells_at_most: int = 200_000,
) -> float:
    """A ceiling of the log-likelihood: `tolerance` above `loglik`, or higher where that is beaten or cells run out."""
    half = 0.5 * (model.hi - model.lo)
    middle = (model.lo + half)[None, :]
    while True:
        chunks = [middle[k : k + CHUNK] for k in range(0, len(middle), CHUNK)]
        bound = np.concatenate([_bounds(model, played, rewards, chunk, half) for chunk in chunks])
        open_cells = bound > loglik + tolerance
        if not open_cells.any():
            return loglik + tolerance
        if open_cells.sum() * 2**model.dims > cells_at_most:
            return float(bound.max())
        half = 0.5 * half
        corners = np.array(np.meshgrid(*[[-1.0, 1.0]] * model.dims)).reshape(model.dims, -1).T
        middle = (middle[open_cells][:, None, :] + half * corners).reshape(-1, model.dims)


def _bounds(model: VectorModel, played: History, rewards: History, middle: Floats, half: Floats) -> Floats:
    """L(eta) ≤ L(eta^) + Σ score_t·(eta_t − eta^_t) with eta^ at the middle and the best s there."""
    f, seen, r = model.family, observed(rewards), seen_rewards(rewards)
    by_x0, part, spread = _beta_x(model, played, middle, np.broadcast_to(half, middle.shape))
    by_x0, part, spread = by_x0[:, seen], part[:, seen], spread[:, seen]
    s = _best_s(model, part, r)
    eta = natural(f, s[:, None], part)
    slope = score(f, eta, r)
    by_s = f.theta_weight * slope.sum(axis=1)
    s_lo, s_hi = model.s_range
    along_s = np.maximum(by_s * (s_lo - s), by_s * (s_hi - s))
    along_x0 = (np.abs(f.state_weight * (slope[:, :, None] * by_x0).sum(axis=1)) * half).sum(axis=1)
    undecided = (np.abs(f.state_weight * slope) * spread).sum(axis=1)
    return np.asarray(f.loglik_of(eta, r).sum(axis=1) + along_s + along_x0 + undecided)


def _beta_x(model: VectorModel, played: History, middle: Floats, half: Floats) -> tuple[Floats, Floats, Floats]:
    """beta·x at each decision: its slope by x0, its value at the middle of the cell, the half range of beta·e."""
    cells, d = middle.shape
    now = Ranges(np.broadcast_to(np.eye(d), (cells, d, d)), np.zeros((cells, d)), np.zeros((cells, d)))
    columns = []
    for played_t in [*played, 0]:
        value, _ = now.at(middle, half)
        columns.append(((model.beta[:, None] * now.M).sum(axis=1), value @ model.beta, now.spread @ np.abs(model.beta)))
        free = Ranges(
            model.decay @ now.M,
            now.c @ model.decay.T + model.pull * float(played_t) + model.drift,
            now.spread @ np.abs(model.decay).T,
        )
        now = _clipped(model, free, *free.at(middle, half))
    slope, part, spread = (np.stack(column, axis=1) for column in zip(*columns, strict=True))
    return slope, part, spread


def _clipped(model: VectorModel, free: Ranges, value: Floats, width: Floats) -> Ranges:
    """Inside for the whole cell: as it is. Otherwise a range of numbers: what the clip makes of the range."""
    inside: NDArray[np.bool_] = (value - width >= model.lo) & (value + width <= model.hi)
    low, high = (np.clip(end, model.lo, model.hi) for end in (value - width, value + width))
    return Ranges(
        np.where(inside[:, :, None], free.M, 0.0),
        np.where(inside, free.c, 0.5 * (low + high)),
        np.where(inside, free.spread, 0.5 * (high - low)),
    )


def _best_s(model: VectorModel, part: Floats, r: Floats) -> Floats:
    """Nearly the best s: halve its range, then Newton's steps within what is left; the bound holds for any s."""
    f = model.family
    below, above = (np.full(len(part), end) for end in model.s_range)
    for _ in range(BISECTIONS):
        s = 0.5 * (below + above)
        rising = f.theta_weight * score(f, natural(f, s[:, None], part), r).sum(axis=1) > 0.0
        below, above = np.where(rising, s, below), np.where(rising, above, s)
    s = 0.5 * (below + above)
    for _ in range(NEWTON_STEPS):
        eta = natural(f, s[:, None], part)
        curvature = f.theta_weight**2 * information_about_eta(f, eta).sum(axis=1)
        step = f.theta_weight * score(f, eta, r).sum(axis=1) / np.maximum(curvature, 1e-300)
        s = np.clip(s + step, below, above)
    return s
