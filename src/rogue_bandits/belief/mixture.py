"""A lower bound of the mixture likelihood of an arm: the likelihood averaged over a uniform prior of the box.

The prior is uniform in x0 and in the coordinate of theta (theta, or its logarithm for the agent). The log-likelihood is
concave in that coordinate and, between kinks, in x0. On a cell of a grid whose lines include the kinks it is therefore
at least the bilinear function through its values at the four corners, and the integral of the likelihood over the cell
is at least that of the exponential of this function. By Jensen's inequality in x0, the latter is at least the area of
the cell times the logarithmic mean of two numbers (`cell_mean`). The sum over cells is a lower bound whatever the grid,
which may depend on the rewards. docs/theory.md has the proof.
"""

from __future__ import annotations

import math

import numpy as np

from rogue_bandits.belief.evidence import ArmEvidence, early_loglik, loglik_of, settled_loglik_of
from rogue_bandits.belief.local_fit import LocalFit
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.clipped_affine import clip
from rogue_bandits.types import Arm, Floats, coordinate

# Lines of the grid: in standard errors from the fit, and as shares of the way from the fitted x0 to the ends.
THETA_LINES = (-6.0, -3.6, -2.4, -1.5, -0.7, 0.0, 0.7, 1.5, 2.4, 3.6, 6.0)
X0_LINES = (-2.0, -1.0, 0.0, 1.0, 2.0)
SHARES = (0.04, 0.12, 0.35)
WIDEST = 0.25  # of the range of theta: a larger standard error counts as this
KINKS = 5  # on either side of the fitted x0; pieces beyond are left out, which lowers the bound


@routine
def log_mixture(arm: Arm, s: ArmEvidence, c: LocalFit) -> float:
    """Return the lower bound of log ∫ likelihood d(prior); `c` is the fit, around which the grid is laid."""
    f, theta, x0 = arm.rewards, theta_lines(arm, c), x0_lines(s, c)
    top = loglik_of(f, s, c.theta, c.x0)
    range_x0, cells = arm.dynamics.hi - arm.dynamics.lo, x0.size - 1
    width = np.ones(cells)
    for j in range(cells):
        width[j] = (x0[j + 1] - x0[j]) / range_x0 if range_x0 > 0.0 else 1.0
    # Of each cell on the line of theta below and on the present one: the geometric mean, and its logarithm.
    log_below, below = np.empty(cells), np.empty(cells)
    log_here, here = np.empty(cells), np.empty(cells)
    range_theta, total = coordinate(f, arm.theta_hi) - coordinate(f, arm.theta_lo), 0.0
    for i in range(theta.size):
        settled = settled_loglik_of(f, s, theta[i])
        left = settled + early_loglik(f, s, theta[i], x0[0]) - top
        for j in range(cells):
            if width[j] > 0.0:
                right = settled + early_loglik(f, s, theta[i], x0[j + 1]) - top
                log_here[j] = 0.5 * (left + right)
                here[j] = math.exp(log_here[j])
                left = right
        if i > 0:
            height = (coordinate(f, theta[i]) - coordinate(f, theta[i - 1])) / range_theta
            for j in range(cells):
                if width[j] > 0.0:
                    total += height * width[j] * cell_mean(log_below[j], below[j], log_here[j], here[j])
        log_below, log_here = log_here, log_below
        below, here = here, below
    return top + math.log(total) if total > 0.0 else -math.inf


@inlined
def cell_mean(a: float, exp_a: float, b: float, exp_b: float) -> float:
    """Return a lower bound of the mean of exp(bilinear) on a cell: the logarithmic mean of exp(a) and exp(b).

    a and b are the means of the bilinear function on the cell's two lines of theta.
    """
    return math.exp(0.5 * (a + b)) if abs(a - b) < 1e-6 else (exp_a - exp_b) / (a - b)


@inlined
def theta_lines(arm: Arm, c: LocalFit) -> Floats:
    """Return the thetas of the grid, sorted; they span the range where there is little information."""
    widest = WIDEST * (arm.theta_hi - arm.theta_lo)
    error = min(math.sqrt(c.per_theta), widest) if c.per_theta > 0.0 else widest
    lines = np.empty(len(THETA_LINES))
    for i in range(lines.size):
        lines[i] = clip(c.theta + THETA_LINES[i] * error, arm.theta_lo, arm.theta_hi)
    return lines


@routine
def x0_lines(s: ArmEvidence, c: LocalFit) -> Floats:
    """Return the x0 of the grid, sorted; the two ends alone where no reward depends on x0."""
    if s.early.shape[0] + s.pools.shape[0] == 0:
        return s.kinks[:: s.kinks.size - 1].copy()
    first = np.searchsorted(s.kinks, c.x0)
    kinks = s.kinks[max(0, first - KINKS) : first + KINKS]
    lines, size = np.empty(kinks.size + len(X0_LINES) + 2 * len(SHARES)), kinks.size
    for j in range(size):
        lines[j] = kinks[j]
    error, lo, hi = math.sqrt(c.per_x0), kinks[0], kinks[size - 1]
    for j in range(len(X0_LINES)):
        insert(lines, size + j, clip(c.x0 + X0_LINES[j] * error, lo, hi))
    size += len(X0_LINES)
    for j in range(len(SHARES)):
        insert(lines, size + 2 * j, c.x0 + SHARES[j] * (hi - c.x0))
        insert(lines, size + 2 * j + 1, c.x0 + SHARES[j] * (lo - c.x0))
    return lines


@inlined
def insert(values: Floats, size: int, value: float) -> None:
    """Insert a value among the first `size`, which are sorted."""
    i = size
    while i > 0 and values[i - 1] > value:
        values[i] = values[i - 1]
        i -= 1
    values[i] = value
