"""Cells of the box of (theta, x0), and rigorous bounds on what they hold.

A generalised linear model is charted by (psi, x0), psi = eta at the decision to come: the mean then depends on psi
alone, and where theta and x0 trade off against each other the other etas hardly move with x0. The agent is charted by
(theta, x0). Every bound rests on monotone dependence: on ends of intervals, never on samples.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.oracles.agent import Agent
from tests.oracles.dynamics import Floats, History
from tests.oracles.glm import Glm, kl_slope, natural
from tests.oracles.history import Model, observed, seen_states
from tests.oracles.radius import Directions, Tuned, directions, radius_of


class Cells(NamedTuple):
    """Rectangles: the chart's first coordinate in [a, b], x0 in [left, right]."""

    a: Floats
    b: Floats
    left: Floats
    right: Floats

    def take(self, which: NDArray[np.bool_]) -> Cells:
        """Some of the cells."""
        return Cells(*(column[which] for column in self))


class Bounds(NamedTuple):
    """Of each cell: the mean is at most, divergence/n − radius at least; how far each coordinate moves the rewards."""

    mean: Floats
    excess: Floats
    by_first: Floats
    by_x0: Floats


class Question(NamedTuple):
    """What is asked: the model, its history, the fit, and the radius around it."""

    model: Model
    played: History
    rewards: History
    fit: tuple[float, float]
    radius: float | Tuned

    @property
    def n(self) -> int:
        """The number of rewards seen."""
        return len(observed(self.rewards))


class Band(NamedTuple):
    """The states of each cell: least and most at the observed decisions and at the one to come; is x0 → x straight?"""

    x_low: Floats
    x_high: Floats
    last_low: Floats
    last_high: Floats
    ahead_low: Floats  # x_t − x_T
    ahead_high: Floats


def band(question: Question, cells: Cells) -> Band:
    """States are monotone in x0, so the ends of a cell bound them; differences are straight where no clip changes."""
    ends, index = np.unique(np.concatenate([cells.left, cells.right]), return_inverse=True)
    i, j = index[: len(cells.left)], index[len(cells.left) :]
    projected_arm = question.model.walk(ends, question.played)
    x, last = projected_arm.states[:, observed(question.rewards)], projected_arm.states[:, -1]
    low, high = np.minimum(x[i], x[j]), np.maximum(x[i], x[j])
    last_low, last_high = np.minimum(last[i], last[j]), np.maximum(last[i], last[j])
    straight = (projected_arm.bites[i] == projected_arm.bites[j]).all(axis=1)[:, None]
    one, other = x[i] - last[i][:, None], x[j] - last[j][:, None]
    ahead_low = np.where(straight, np.minimum(one, other), low - last_high[:, None])
    ahead_high = np.where(straight, np.maximum(one, other), high - last_low[:, None])
    return Band(low, high, last_low, last_high, ahead_low, ahead_high)


def scaled(weight: Floats | float, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """The range of weight·[low, high]."""
    return np.minimum(weight * low, weight * high), np.maximum(weight * low, weight * high)


def farthest(low: Floats, high: Floats) -> Floats:
    """The largest square in [low, high]."""
    return np.maximum(low**2, high**2)


class GlmChart:
    """(psi, x0) with psi = eta at the decision to come."""

    def __init__(self, question: Question, family: Glm) -> None:
        """Work out what the fit alone decides."""
        self.question, self.family, model = question, family, question.model
        theta, x0 = question.fit
        fitted = seen_states(model, question.played, question.rewards, x0)
        self.eta_fit: Floats = natural(family, np.array([theta]), fitted)
        self.directions: Directions = directions(model, question.played, question.rewards, question.fit)
        ends = np.array([model.theta_lo, model.theta_hi])
        low, high = scaled(family.theta_weight, ends[:1], ends[1:])
        self.theta_part = float(low[0]), float(high[0])

    def start(self) -> Cells:
        """The whole box."""
        m = self.question.model
        low, high = scaled(self.family.state_weight, np.array([m.lo]), np.array([m.hi]))
        a, b = self.theta_part
        return Cells(low + a, high + b, np.array([m.lo]), np.array([m.hi]))

    def points(self, cells: Cells) -> tuple[Floats, Floats]:
        """The middle of each cell as (theta, x0), moved into the bounds of theta."""
        x0 = 0.5 * (cells.left + cells.right)
        last = self.question.model.walk(x0, self.question.played).states[:, -1]
        psi = 0.5 * (cells.a + cells.b)
        theta = (psi - self.family.state_weight * last) / self.family.theta_weight
        return np.clip(theta, self.question.model.theta_lo, self.question.model.theta_hi), x0

    def bounds(self, cells: Cells) -> Bounds:
        """Etas move up with psi, and with v·(x_t − x_T); they also lie within what theta's bounds allow."""
        f, states = self.family, band(self.question, cells)
        a, b = self.theta_part
        part_low, part_high = scaled(f.state_weight, states.x_low, states.x_high)
        last_low, last_high = scaled(f.state_weight, states.last_low, states.last_high)
        ahead_low, ahead_high = scaled(f.state_weight, states.ahead_low, states.ahead_high)
        low = np.maximum(cells.a[:, None] + ahead_low, a + part_low)
        high = np.minimum(cells.b[:, None] + ahead_high, b + part_high)
        empty = (cells.a - last_high > b + 1e-12) | (cells.b - last_low < a - 1e-12) | (low > high + 1e-12).any(axis=1)
        mean = np.where(empty, -np.inf, f.mean_of(np.minimum(cells.b, b + last_high)))
        divergence = f.kl_of(np.clip(self.eta_fit, low, np.maximum(low, high)), self.eta_fit).sum(axis=1)
        cut = (cells.b - last_low > b) | (cells.a - last_high < a)
        moved = (ahead_high - ahead_low).max(axis=1) + np.where(cut, last_high - last_low, 0.0)
        return Bounds(mean, divergence / self.question.n - self._largest_radius(low, high), cells.b - cells.a, moved)

    def _largest_radius(self, low: Floats, high: Floats) -> Floats:
        q, f, d = self.question, self.family, self.directions
        if not isinstance(q.radius, Tuned):
            return np.full(len(low), q.radius)
        slope_low, slope_high = kl_slope(f, high, self.eta_fit), kl_slope(f, low, self.eta_fit)
        first = scaled(f.theta_weight, slope_low.sum(axis=1), slope_high.sum(axis=1))
        rest = scaled(f.state_weight * d.slope - d.shared * f.theta_weight, slope_low, slope_high)
        s_n2 = d.weight_theta * farthest(*first) + d.weight_rest * farthest(rest[0].sum(axis=1), rest[1].sum(axis=1))
        return radius_of(q.radius, s_n2, len(q.played) + 1, q.n)


class AgentChart:
    """(theta, x0), with the ranges of the agent's laws over theta in [a, b] and states in [low, high]."""

    def __init__(self, question: Question, family: Agent) -> None:
        """Work out what the fit alone decides."""
        self.question, self.family, model = question, family, question.model
        self.x_fit = seen_states(model, question.played, question.rewards, question.fit[1])
        self.directions: Directions = directions(model, question.played, question.rewards, question.fit)

    def start(self) -> Cells:
        """The whole box."""
        m = self.question.model
        return Cells(*(np.array([end]) for end in (m.theta_lo, m.theta_hi, m.lo, m.hi)))

    def points(self, cells: Cells) -> tuple[Floats, Floats]:
        """The middle of each cell."""
        return 0.5 * (cells.a + cells.b), 0.5 * (cells.left + cells.right)

    def bounds(self, cells: Cells) -> Bounds:
        """The mean rises with x and is monotone in theta; of the divergence each factor has its own range."""
        f, states, theta2 = self.family, band(self.question, cells), self.question.fit[0]
        a, b = cells.a[:, None], cells.b[:, None]
        low, high = states.x_low, states.x_high
        mean = np.maximum(f.mean(cells.a, states.last_high), f.mean(cells.b, states.last_high))
        # between falls with theta and is highest in the middle of [0, 1]
        between = (
            np.minimum(f.between(b, low), f.between(b, high)),
            f.between(a, np.clip(0.5, low, high)),
        )
        near = np.maximum(np.maximum(low - self.x_fit, self.x_fit - high), 0.0)
        far = np.maximum(np.abs(low - self.x_fit), np.abs(high - self.x_fit))
        # farther rises with the distance and falls with theta
        farther = f.farther(b, near), f.farther(a, far)
        nearest = np.clip(theta2, a, b)
        scales = np.log(theta2 / nearest) + nearest / theta2 - 1.0
        divergence = (between[0] * scales + farther[0] / theta2).sum(axis=1)
        excess = divergence / self.question.n - self._largest_radius(a, b, low, high, between, farther)
        return Bounds(mean, excess, (cells.b - cells.a) / cells.a, ((high - low).max(axis=1)) / cells.a)

    def _largest_radius(
        self, a: Floats, b: Floats, low: Floats, high: Floats,
        between: tuple[Floats, Floats], farther: tuple[Floats, Floats],
    ) -> Floats:  # fmt: skip
        q, d, theta2 = self.question, self.directions, self.question.fit[0]
        if not isinstance(q.radius, Tuned):
            return np.full(len(low), q.radius)
        # by theta2: (between·(theta2 − theta) − farther) / theta2²
        least = np.minimum(between[0] * (theta2 - b), between[1] * (theta2 - b)) - farther[1]
        most = np.maximum(between[0] * (theta2 - a), between[1] * (theta2 - a)) - farther[0]
        first = farthest(least.sum(axis=1), most.sum(axis=1)) / theta2**4
        # by x2: ±(1 − exp(−|x2 − x|/theta)) / theta2 rises with x2 − x, and shrinks as theta grows
        down, up = self.x_fit - high, self.x_fit - low
        odd_low = np.sign(down) * -np.expm1(-np.abs(down) / np.where(down < 0.0, a, b))
        odd_high = np.sign(up) * -np.expm1(-np.abs(up) / np.where(up > 0.0, a, b))
        ranges = scaled(d.slope, odd_low, odd_high)
        rest = farthest(ranges[0].sum(axis=1), ranges[1].sum(axis=1)) / theta2**2
        s_n2 = d.weight_theta * first + d.weight_rest * rest
        return radius_of(q.radius, s_n2, len(q.played) + 1, q.n)
