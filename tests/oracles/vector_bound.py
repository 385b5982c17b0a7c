"""The largest mean of the next reward among the believed (s, x0): grids, then smooth searches in the best pieces.

For a given x0 the mean rises with theta_weight·s, so that the largest believed s is found by trying many and halving
the gap above the largest that is believed. What is returned is always attained by a believed point.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tests.oracles.dynamics import Floats, History
from tests.oracles.glm import information_about_eta, natural
from tests.oracles.history import observed
from tests.oracles.radius import Tuned
from tests.oracles.vector_pieces import around, box_of, climb, pattern, piece_at
from tests.oracles.vector_radius import Believed, VectorPoint
from tests.oracles.vectors import VectorModel, brute_vector_mean, etas

GRID = {1: 401, 2: 31, 3: 11}  # of each component of x0
AROUND = 40  # points at each scale around the fit
STARTS = 30  # searches at first: as many again in pieces that are not among the best points'
SEARCHES = 150  # at most
TIMES = 3  # that a piece is searched at most
IMPROVED = 1e-9
COARSE, FINE = 12, 50  # halvings
CLOSER = tuple(10.0 ** -np.arange(0.5, 6.5, 0.5))
CHUNK = 300_000


class VectorBound(NamedTuple):
    """A mean, and the believed point that reaches it."""

    reached: float
    s: float
    x0: Floats


def brute_vector_upper_bound(
    model: VectorModel, played: History, rewards: History, fit: VectorPoint, radius: float | Tuned
) -> VectorBound:
    """The largest mean after the history with divergence((s, x0) ‖ fit)/n ≤ radius; the fit itself is always inside."""
    search = _Search(model, played, rewards, fit, radius)
    search.grid()
    while search.neighbours() or search.closer():
        pass
    s, x0 = box_of(model).points(search.best)
    return VectorBound(float(brute_vector_mean(model, played, s, x0)[0]), float(s[0]), x0[0])


class _Profile:
    """For rows of x0: the largest believed theta_weight·s, as u_0, and eta at the decision to come."""

    def __init__(self, model: VectorModel, played: History, rewards: History, believed: Believed) -> None:
        self.model, self.played, self.seen, self.believed = model, played, observed(rewards), believed
        self.box = box_of(model)
        self.rising = model.family.theta_weight >= 0.0

    def __call__(self, u: Floats, halvings: int, to_beat: float = -np.inf) -> tuple[Floats, Floats]:
        """Rows u with their u_0 replaced; −inf where nothing is believed, or where no s at all beats `to_beat`."""
        part: Floats = (self.model.walk(self.box.points(u)[1], self.played).states * self.model.beta).sum(axis=2)
        highest = np.full(len(u), -np.inf)
        rows = np.flatnonzero(natural(self.model.family, self._s(np.ones(len(u))), part[:, -1]) > to_beat)
        highest[rows] = self._scan(part[rows], (u[:, 0] if self.rising else 1.0 - u[:, 0])[rows])
        rows = np.flatnonzero(highest > -np.inf)
        highest[rows] = self._raise(part[rows], highest[rows], halvings)
        level = np.where(highest > -np.inf, highest, 0.0)
        top = natural(self.model.family, self._s(level), part[:, -1])
        changed = np.column_stack([level if self.rising else 1.0 - level, u[:, 1:]])
        return changed, np.where(highest > -np.inf, top, -np.inf)

    def _s(self, level: Floats) -> Floats:
        part = level if self.rising else 1.0 - level
        return np.minimum(self.box.low[0] + self.box.width[0] * part, self.box.low[0] + self.box.width[0])

    def _excess(self, part: Floats, level: Floats) -> Floats:
        """At each row of x0 and each of its levels."""
        if not len(level):
            return np.empty_like(level)
        eta = natural(self.model.family, self._s(level)[:, :, None], part[:, None, self.seen])
        flat = eta.reshape(-1, len(self.seen))
        step = max(1, CHUNK // len(self.seen) // 8)
        each = [self.believed.excess(flat[k : k + step]) for k in range(0, len(flat), step)]
        return np.concatenate(each).reshape(level.shape)

    def _scan(self, part: Floats, guess: Floats) -> Floats:
        """The highest believed level of a grid; where none is, of ever finer ones around where the excess is least."""
        level = np.column_stack([guess, np.broadcast_to(np.linspace(0.0, 1.0, 25), (len(part), 25))])
        highest, width, rows = np.full(len(part), -np.inf), 1.0 / 24.0, np.arange(len(part))
        for _ in range(6):
            excess = self._excess(part[rows], level)
            highest[rows] = np.where(excess <= 0.0, level, -np.inf).max(axis=1)
            centre = level[np.arange(len(rows)), np.argmin(excess, axis=1)]
            level = np.clip(centre[:, None] + width * np.linspace(-1.0, 1.0, 9)[None, :], 0.0, 1.0)
            none = highest[rows] == -np.inf
            rows, level, width = rows[none], level[none], width / 4.0
        return highest

    def _raise(self, part: Floats, believed: Floats, halvings: int) -> Floats:
        """Try above what is believed, nearby more finely, then halve the gap to the next level that is not."""
        rows = np.arange(len(part))
        level = believed[:, None] + (1.0 - believed)[:, None] * np.linspace(0.0, 1.0, 33)[None, :] ** 3
        inside = self._excess(part, level) <= 0.0
        inside[:, 0] = True
        last = 32 - np.argmax(inside[:, ::-1], axis=1)
        below, above = level[rows, last], level[rows, np.minimum(last + 1, 32)]
        for _ in range(halvings):
            middle = 0.5 * (below + above)
            inside_middle = self._excess(part, middle[:, None])[:, 0] <= 0.0
            below, above = np.where(inside_middle, middle, below), np.where(inside_middle, above, middle)
        return below


class _Search:
    """The best believed u so far, and how often each piece has been searched."""

    def __init__(
        self, model: VectorModel, played: History, rewards: History, fit: VectorPoint, radius: float | Tuned
    ) -> None:
        self.model, self.played, self.seen = model, played, observed(rewards)
        self.believed = Believed(model, played, rewards, fit, radius)
        self.profile = _Profile(model, played, rewards, self.believed)
        self.rng = np.random.default_rng(0)
        self.searched: dict[bytes, int] = {}
        self.optima: list[tuple[float, Floats]] = []
        self.fit = box_of(model).units(np.array([fit[0]]), model.starts(fit[1]))[0]
        self.best, self.top = self.fit, float(etas(model, played, *fit)[0, -1])

    def grid(self) -> None:
        """Search from the best points of all, and from the best of each of the best other pieces."""
        axis = np.linspace(0.0, 1.0, GRID[self.model.dims])
        mesh = np.meshgrid(*[axis] * self.model.dims)
        whole = np.column_stack([np.full(mesh[0].size, self.fit[0])] + [side.ravel() for side in mesh])
        u, top = self.profile(np.concatenate([self.fit[None, :], whole, self._near_fit()]), COARSE, self.top)
        order = np.argsort(-top, kind="stable")
        order = order[top[order] > -np.inf]
        if not len(order):
            return
        names = pattern(self.model, self.played, u[order])
        _, firsts = np.unique(names, return_index=True)
        for k in sorted({*range(min(STARTS, len(order))), *np.sort(firsts)[:STARTS].tolist()}):
            self._search(u[order[k]], names[k])

    def neighbours(self) -> bool:
        """Search the pieces around the best optimum that has not been looked around yet; False when none is left."""
        self.optima.sort(key=lambda found: -found[0])
        if not self.optima or sum(self.searched.values()) >= SEARCHES:
            return False
        u, top = self.profile(around(self.rng, self.optima.pop(0)[1]), COARSE)
        names = pattern(self.model, self.played, u)
        for k in np.argsort(-top, kind="stable"):
            if top[k] > -np.inf and names[k] not in self.searched:
                self._search(u[k], names[k])
        return True

    def closer(self) -> bool:
        """Points around the best, at many scales: does any improve on it?"""
        before = self.top
        u, top = self.profile(around(self.rng, self.best, CLOSER), COARSE, before)
        u, top = self.profile(u[np.argsort(-top)[:STARTS]], FINE, before)
        k = int(np.argmax(top))
        if top[k] <= before + IMPROVED:
            return False
        self.searched.clear()
        self._search(u[k], pattern(self.model, self.played, u[k])[0])
        return True

    def _near_fit(self) -> Floats:
        """Around the fit at many scales, evenly and in the shape of its information."""
        piece = piece_at(self.model, self.played, self.fit)
        root = np.sqrt(information_about_eta(self.model.family, self.believed.eta_fit))[:, None]
        _, size, axes = np.linalg.svd(root * piece.design[self.seen], full_matrices=True)
        size = np.append(size, np.zeros(len(self.fit) - len(size)))
        rows = [around(self.rng, self.fit, CLOSER)]
        for divergence in 10.0 ** np.arange(-6.0, 2.0):
            length = np.minimum(np.sqrt(2.0 * divergence) / np.maximum(size, 1e-9), 1.0)
            rows.append(self.fit + (self.rng.standard_normal((AROUND, len(self.fit))) * length) @ axes)
        return np.clip(np.concatenate(rows), 0.0, 1.0)

    def _search(self, u: Floats, name: bytes) -> None:
        """Climb in the piece that holds u, a believed point."""
        self.searched[name] = self.searched.get(name, 0) + 1
        if self.searched[name] > TIMES:
            return
        piece = piece_at(self.model, self.played, u)
        design, offset = piece.design[self.seen], piece.offset[self.seen]
        scale = max(float(self.believed.radius_at((design @ u + offset)[None, :])[0]), 1e-12)

        def inside(v: Floats) -> tuple[Floats, Floats]:
            excess, slopes = self.believed.smooth_excess(design @ v + offset)
            return excess / scale, slopes @ design / scale

        climbed = climb(piece, u, lambda v: (-float(piece.design[-1] @ v), -piece.design[-1]), inside)
        found, top = self.profile(np.array([u, climbed]), FINE)
        k = int(np.argmax(top))
        if top[k] > self.top:
            self.best, self.top = found[k], float(top[k])
        self.optima.append((float(top[k]), found[k]))
