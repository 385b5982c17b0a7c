"""Even nodes in theta and in the state of each arm, and linear interpolation between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined, kernel, pick
from rogue_bandits.model.dynamics.probe import signals_of
from rogue_bandits.types import Arm, Floats, coordinate, mean, theta_at


class Grid(NamedTuple):
    """Nodes of theta, even on the scale of `coordinate`, and of the state, from bound to bound."""

    theta_lo: Floats  # [arms], the coordinate of the first node
    theta_step: Floats  # [arms]
    thetas: int
    state_lo: Floats  # [arms]
    state_step: Floats  # [arms]
    states: int


class Place(NamedTuple):
    """A point between nodes i and i + 1; `weight` is that of node i + 1."""

    i: int
    weight: float


def box_grid(arms: Sequence[Arm], thetas: int, states: int) -> Grid:
    """Return a grid on the bounds of theta and of the state."""
    ends = np.array([[coordinate(a.rewards, a.theta_lo), coordinate(a.rewards, a.theta_hi)] for a in arms])
    bounds = np.array([[a.dynamics.lo, a.dynamics.hi] for a in arms])
    theta_step, state_step = np.diff(ends)[:, 0] / (thetas - 1), np.diff(bounds)[:, 0] / (states - 1)
    return Grid(ends[:, 0].copy(), theta_step, thetas, bounds[:, 0].copy(), state_step, states)


def grid_fault(arms: Sequence[Arm]) -> str | None:
    """Say why states and thetas of these arms cannot be tabulated; None if they can."""
    for k, arm in enumerate(arms):
        where = f"arm {arm.name or k!r}"
        if np.ndim(arm.theta_lo) or np.ndim(arm.dynamics.lo):
            what = "theta" if np.ndim(arm.theta_lo) else "the state"
            return f"{where}: values are tabulated over theta and the state, which must be numbers; {what} is a vector"
        rest, _, *others = signals_of(arm.dynamics, k, len(arms))
        if any(other != rest for other in others):
            name = type(arm.dynamics).__name__
            return f"{where}: planning by relaxation needs arms that do not affect each other, and {name} couples them"
    return None


@inlined
def place(at: float, lo: float, step: float, nodes: int) -> Place:
    """Locate a number among even nodes; beyond the first or the last node it is that node."""
    if step <= 0.0 or not at > lo:
        return Place(0, 0.0)
    share = (at - lo) / step
    i = int(min(share, nodes - 2.0))
    return Place(i, min(share - i, 1.0))


@inlined
def state_place(grid: Grid, k: int, x: float) -> Place:
    """Locate a state of arm k."""
    return place(x, grid.state_lo[k], grid.state_step[k], grid.states)


@inlined
def theta_place(grid: Grid, arm: Arm, k: int, theta: float) -> Place:
    """Locate a theta of arm k."""
    return place(coordinate(arm.rewards, theta), grid.theta_lo[k], grid.theta_step[k], grid.thetas)


@inlined
def between(value: Floats, at: Place) -> float:
    """Interpolate values at nodes linearly."""
    low = value[at.i]
    between: float = low + at.weight * (value[at.i + 1] - low) if at.weight > 0.0 else low
    return between


def node_means(arms: Arm, grid: Grid) -> Floats:
    """Return the mean reward [arms, thetas, states] of stacked arms at every node."""
    means = np.empty((grid.theta_lo.size, grid.thetas, grid.states))
    fill_means(arms, grid, means)
    return means


@kernel
def fill_means(arms: Arm, grid: Grid, means: Floats) -> None:
    """Fill in the mean at every node."""
    for k in range(means.shape[0]):
        f = pick(arms, k).rewards
        for i in range(grid.thetas):
            theta = theta_at(f, grid.theta_lo[k] + i * grid.theta_step[k])
            for j in range(grid.states):
                means[k, i, j] = mean(f, theta, grid.state_lo[k] + j * grid.state_step[k])
