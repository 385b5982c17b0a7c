"""The Gaussian posterior of the coefficients w of a curve: its mode, its precision, and what follows for each place.

The precision is held by its Cholesky factor U, U'·U = P. Where the curvature of the log-likelihood is constant, as for
Gaussian rewards, a reward adds a square to P, the mode is one step of Newton's method away, and both are exact. For the
other exponential families the mode is searched for, and P is the curvature there: Laplace's approximation.
"""

from __future__ import annotations

import math

import numpy as np

from rogue_bandits.belief.on_curve import has_constant_curvature
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.priors import prior_mean
from rogue_bandits.model.rewards.exponential import dispersion, log_partition
from rogue_bandits.numerics.cholesky import (
    add_square,
    factorise,
    solve_transposed,
    solve_transposed_columns,
    solve_upper,
)
from rogue_bandits.types import Arm, Floats

MOST_STEPS = 50  # of Newton's method
TOLERANCE = 1e-5  # of the last step, in standard deviations of the prior; the next one would be near its square
LONGEST_STEP = 5.0  # likewise; the log-posterior is concave, and shorter steps do not overshoot


@routine
def sharpen(arm: Arm, row: Floats, features: Floats, factor: Floats, spread: Floats) -> None:
    """Update the factor, and the standard deviations of all places, by a reward at the place with this row of F.

    With v = row·√stiff, the precision becomes P + v·v', and the covariance of w, C = P⁻¹, becomes
    C − C·v·v'·C / (1 + v'·C·v).
    """
    root = math.sqrt(stiffness(arm, 1.0, 0.0))
    v, solved, size = np.empty(row.size), np.empty(row.size), 1.0
    for a in range(row.size):
        v[a] = solved[a] = root * row[a]
    solve_transposed(factor, solved)
    for a in range(row.size):
        size += solved[a] * solved[a]
    solve_upper(factor, solved)
    for i in range(spread.size):
        along = 0.0
        for a in range(row.size):
            along += features[i, a] * solved[a]
        spread[i] = math.sqrt(max(spread[i] * spread[i] - along * along / size, 0.0))
    add_square(factor, v)


@inlined
def stiffness(arm: Arm, n: float, value: float) -> float:
    """Return the curvature of the log-likelihood of n rewards, by the value of the curve at their place."""
    weight = arm.rewards.theta_weight
    _, _, curvature = log_partition(arm.rewards, weight * value)
    return float(weight * weight / dispersion(arm.rewards) * n * curvature)


@routine
def find_mode(arm: Arm, features: Floats, seen: Floats, total: Floats, mode: Floats, factor: Floats) -> None:
    """Move `mode` to the largest log-posterior of w, and `factor` to that of its precision if that depends on w.

    The log-posterior is Σ (total·eta − seen·A(eta)) / dispersion − w·w/2 with eta = theta_weight·curve.
    """
    step = np.empty(mode.size)
    for _ in range(MOST_STEPS):
        fill_gradient(arm, features, seen, total, mode, step)
        exact = has_constant_curvature(arm.rewards)
        if not exact:
            fill_precision(arm, features, seen, mode, factor)
            factorise(factor)
        solve_transposed(factor, step)
        solve_upper(factor, step)
        size = 0.0
        for a in range(mode.size):
            size = max(size, abs(step[a]))
        shorter = 1.0 if exact or size <= LONGEST_STEP else LONGEST_STEP / size
        for a in range(mode.size):
            mode[a] += shorter * step[a]
        if exact or size <= TOLERANCE:
            break


@inlined
def fill_gradient(arm: Arm, features: Floats, seen: Floats, total: Floats, w: Floats, gradient: Floats) -> None:
    """Fill in the gradient of the log-posterior at w."""
    weight, scale = arm.rewards.theta_weight, 1.0 / dispersion(arm.rewards)
    for a in range(w.size):
        gradient[a] = -w[a]
    for i in range(seen.size):
        if seen[i] > 0.0:
            row = features[i]
            _, slope, _ = log_partition(arm.rewards, weight * value_on_curve(arm, row, w))
            pull = weight * scale * (total[i] - seen[i] * slope)
            for a in range(w.size):
                gradient[a] += pull * row[a]


@inlined
def fill_precision(arm: Arm, features: Floats, seen: Floats, w: Floats, precision: Floats) -> None:
    """Fill in the upper triangle of the negative second derivative of the log-posterior at w."""
    for a in range(w.size):
        for c in range(a, w.size):
            precision[a, c] = 0.0
        precision[a, a] = 1.0
    for i in range(seen.size):
        if seen[i] > 0.0:
            row = features[i]
            stiff = stiffness(arm, seen[i], value_on_curve(arm, row, w))
            for a in range(w.size):
                times = stiff * row[a]
                for c in range(a, w.size):
                    precision[a, c] += times * row[c]


@inlined
def value_on_curve(arm: Arm, row: Floats, w: Floats) -> float:
    """Return the value of the curve with coefficients w, at the place that has this row of F."""
    total = prior_mean(arm.dynamics.prior)
    for a in range(w.size):
        total += row[a] * w[a]
    return total


@routine
def fill_spread(features: Floats, factor: Floats, spread: Floats) -> None:
    """Fill in the posterior standard deviation of the curve at every place."""
    columns = np.empty((factor.shape[0], spread.size))
    for i in range(spread.size):
        spread[i] = 0.0
        for a in range(factor.shape[0]):
            columns[a, i] = features[i, a]
    solve_transposed_columns(factor, columns)
    for a in range(factor.shape[0]):
        for i in range(spread.size):
            spread[i] += columns[a, i] * columns[a, i]
    for i in range(spread.size):
        spread[i] = math.sqrt(spread[i])
