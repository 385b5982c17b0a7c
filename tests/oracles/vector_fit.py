"""The largest log-likelihood over the box of (s, x0): a dense grid, smooth searches in its best pieces, neighbours.

For a given x0 the log-likelihood is concave in s, whose best value is found by bisection. In a piece it is concave in
(s, x0) together, so that one search of a piece suffices.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tests.oracles.dynamics import Floats, History
from tests.oracles.glm import natural, score
from tests.oracles.history import observed
from tests.oracles.vector_pieces import Piece, Smooth, around, box_of, climb, pattern, piece_at
from tests.oracles.vectors import VectorModel, brute_vector_loglik, seen_rewards

GRID = {1: 2001, 2: 101, 3: 25}  # of each component of x0
PIECES = 100  # that are searched at first
SEARCHES = 500  # at most
IMPROVED = 1e-10
COARSE, FINE = 12, 60  # bisections
CHUNK = 4000
CLOSER = tuple(10.0 ** -np.arange(0.5, 7.0, 0.5))


class VectorFit(NamedTuple):
    """The best point found, and its log-likelihood."""

    loglik: float
    s: float
    x0: Floats


def brute_vector_fit(model: VectorModel, played: History, rewards: History) -> VectorFit:
    """The global maximum of the log-likelihood, as far as searching finds it: nothing tried improves it by 1e-9."""
    search = _Search(model, played, rewards)
    search.grid()
    while search.neighbours() or search.closer():
        pass
    s, x0 = box_of(model).points(search.best)
    return VectorFit(float(brute_vector_loglik(model, played, rewards, s, x0)[0]), float(s[0]), x0[0])


def best_s(model: VectorModel, played: History, rewards: History, x0: Floats, bisections: int) -> tuple[Floats, Floats]:
    """For each row x0 the likeliest s and its log-likelihood: Σ score falls with theta_weight·s."""
    f, r = model.family, seen_rewards(rewards)
    part: Floats = (model.walk(x0, played).states[:, observed(rewards)] * model.beta).sum(axis=2)
    below, above = (np.full(len(x0), end) for end in model.s_range)
    for _ in range(bisections):
        s = 0.5 * (below + above)
        rising = f.theta_weight * score(f, natural(f, s[:, None], part), r).sum(axis=1) > 0.0
        below, above = np.where(rising, s, below), np.where(rising, above, s)
    tried = np.array([below, 0.5 * (below + above), above])
    loglik = np.array([f.loglik_of(natural(f, s[:, None], part), r).sum(axis=1) for s in tried])
    k, rows = np.argmax(loglik, axis=0), np.arange(len(x0))
    return tried[k, rows], loglik[k, rows]


class _Search:
    """The best u so far, and the pieces that have been searched."""

    def __init__(self, model: VectorModel, played: History, rewards: History) -> None:
        self.model, self.played, self.rewards = model, played, rewards
        self.rng = np.random.default_rng(0)
        self.searched: set[bytes] = set()
        self.optima: list[tuple[float, Floats]] = []
        self.best, self.loglik = np.full(1 + model.dims, 0.5), -np.inf

    def grid(self) -> None:
        """The best points of a grid, each of another piece, and the very best ones whatever their piece."""
        axis = np.linspace(0.0, 1.0, GRID[self.model.dims])
        mesh = np.meshgrid(*[axis] * self.model.dims)
        u = np.column_stack([np.full(mesh[0].size, 0.5)] + [side.ravel() for side in mesh])
        u, loglik = self._profile(u, COARSE)
        order = np.argsort(-loglik, kind="stable")
        names = pattern(self.model, self.played, u[order])
        _, firsts = np.unique(names, return_index=True)
        for k in np.sort(firsts)[:PIECES]:
            self._search(u[order[k]], names[k])

    def neighbours(self) -> bool:
        """Search the pieces around the best optimum that has not been looked around yet; False when none is left."""
        self.optima.sort(key=lambda found: -found[0])
        near = [found for found in self.optima if found[0] > self.loglik - 1.0]
        if not near or len(self.searched) >= SEARCHES:
            return False
        self.optima.remove(near[0])
        u = around(self.rng, near[0][1])
        names = pattern(self.model, self.played, u)
        for row, name in zip(u, names, strict=True):
            if name not in self.searched:
                self._search(row, name)
        return True

    def closer(self) -> bool:
        """Points around the best, at many scales: does any improve on it?"""
        before = self.loglik
        u, loglik = self._profile(around(self.rng, self.best, CLOSER), FINE)
        k = int(np.argmax(loglik))
        self._take(u[k], float(loglik[k]))
        if self.loglik > before + IMPROVED:
            self._search(self.best, pattern(self.model, self.played, self.best)[0])
            return True
        return False

    def _profile(self, u: Floats, bisections: int) -> tuple[Floats, Floats]:
        """Each row with its best s, and the log-likelihood there."""
        box = box_of(self.model)
        _, x0 = box.points(u)
        parts = [
            best_s(self.model, self.played, self.rewards, x0[k : k + CHUNK], bisections)
            for k in range(0, len(x0), CHUNK)
        ]
        s, loglik = (np.concatenate(column) for column in zip(*parts, strict=True))
        return box.units(s, x0), loglik

    def _search(self, u: Floats, name: bytes) -> None:
        """The best point of the piece that holds u."""
        self.searched.add(name)
        piece = piece_at(self.model, self.played, u)
        found, loglik = self._profile(np.array([climb(piece, u, self._loss(piece)), u]), FINE)
        k = int(np.argmax(loglik))
        self._take(found[k], float(loglik[k]))
        self.optima.append((float(loglik[k]), found[k]))

    def _take(self, u: Floats, loglik: float) -> None:
        if loglik > self.loglik:
            self.best, self.loglik = u, loglik

    def _loss(self, piece: Piece) -> Smooth:
        """Minus the log-likelihood in the piece, and its gradient −Σ score·design."""
        f, seen, r = self.model.family, observed(self.rewards), seen_rewards(self.rewards)
        design, offset = piece.design[seen], piece.offset[seen]

        def loss(u: Floats) -> tuple[float, Floats]:
            eta = design @ u + offset
            return -float(f.loglik_of(eta, r).sum()), -np.asarray(score(f, eta, r) @ design)

        return loss
