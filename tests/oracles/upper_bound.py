"""The largest mean reward inside the radius, with a certificate.

The box is split into cells. A cell is dropped when its bounds show that it holds no point inside the radius, or none
with a mean above the best one found. What remains shrinks on the optimum from both sides.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tests.oracles.agent import Agent
from tests.oracles.charts import AgentChart, Bounds, Cells, GlmChart, Question
from tests.oracles.dynamics import Floats, History
from tests.oracles.history import Model, brute_divergence, brute_mean
from tests.oracles.radius import Tuned, tuned_radius

CELLS_AT_MOST = 100_000
# Below this, "outside of the radius" may be an effect of rounding.
ROUNDING = 1e-14


class Bracket(NamedTuple):
    """A mean that is reached at (theta, x0) inside the radius, and one that is not exceeded."""

    reached: float
    ceiling: float
    theta: float
    x0: float


def brute_upper_bound(
    model: Model,
    played: History,
    rewards: History,
    fit: tuple[float, float],
    radius: float | Tuned,
    tolerance: float = 1e-7,
) -> Bracket:
    """The largest mean(theta, x_T) with divergence((theta, x0) ‖ fit)/n ≤ radius; the fit itself is always inside."""
    question = Question(model, played, rewards, fit, radius)
    family = model.family
    chart = AgentChart(question, family) if isinstance(family, Agent) else GlmChart(question, family)
    start = float(brute_mean(model, played, *fit)[0])
    best = _better(question, Bracket(start, np.inf, *fit), *_scan(question))
    cells = chart.start()
    while True:
        bounds = chart.bounds(cells)
        promising = (bounds.mean > best.reached + tolerance) & (bounds.excess <= ROUNDING)
        cells, bounds = cells.take(promising), Bounds(*(column[promising] for column in bounds))
        best = _better(question, best, *chart.points(cells))
        promising = bounds.mean > best.reached + tolerance
        if not promising.any():
            return best._replace(ceiling=best.reached + tolerance)
        if promising.sum() > CELLS_AT_MOST:
            return best._replace(ceiling=float(bounds.mean.max()))
        cells = _halves(cells.take(promising), Bounds(*(column[promising] for column in bounds)))


def excess(question: Question, theta: Floats, x0: Floats) -> Floats:
    """divergence/n − radius at each of the pairs (theta, x0): inside where it is ≤ 0."""
    q = question
    divergence = brute_divergence(q.model, q.played, q.rewards, theta, x0, *q.fit) / q.n
    if isinstance(q.radius, Tuned):
        return divergence - tuned_radius(q.model, q.played, q.rewards, theta, x0, q.fit, q.radius)
    return divergence - q.radius


def _scan(question: Question) -> tuple[Floats, Floats]:
    """Grids over the box, and around the fit at several scales, with the lines through the fit and along the bounds."""
    m, (theta, x0) = question.model, question.fit
    steps = np.concatenate([[0.0], np.geomspace(1e-5, 1.0, 12)])
    around = np.concatenate([-steps, steps])
    thetas = np.concatenate([np.linspace(m.theta_lo, m.theta_hi, 41), theta + around * (m.theta_hi - m.theta_lo)])
    x0s = np.concatenate([np.linspace(m.lo, m.hi, 21), x0 + around * (m.hi - m.lo)])
    thetas, x0s = np.unique(np.clip(thetas, m.theta_lo, m.theta_hi)), np.unique(np.clip(x0s, m.lo, m.hi))
    grid = np.meshgrid(thetas, x0s)
    return grid[0].ravel(), grid[1].ravel()


def _better(question: Question, best: Bracket, theta: Floats, x0: Floats) -> Bracket:
    """The best of the points that lie inside the radius, if it beats the best so far."""
    mean = brute_mean(question.model, question.played, theta, x0)
    above = mean > best.reached
    theta, x0, mean = theta[above], x0[above], mean[above]
    if not len(mean):
        return best
    mean = np.where(excess(question, theta, x0) <= 0.0, mean, -np.inf)
    k = int(np.argmax(mean))
    return Bracket(float(mean[k]), best.ceiling, float(theta[k]), float(x0[k])) if mean[k] > best.reached else best


def _halves(cells: Cells, bounds: Bounds) -> Cells:
    """Each cell in two, across the coordinate that moves the rewards more."""
    across = bounds.by_first >= bounds.by_x0
    one, two = cells.take(across), cells.take(~across)
    psi, x0 = 0.5 * (one.a + one.b), 0.5 * (two.left + two.right)
    parts = [
        one._replace(b=psi),
        one._replace(a=psi),
        two._replace(right=x0),
        two._replace(left=x0),
    ]
    return Cells(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
