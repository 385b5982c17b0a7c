"""The Belief contract for arms whose theta is an unknown curve: its posterior, of constant size.

The state is known, so that rewards are summed by their place on the curve. The curve is mean + F·w with a standard
normal w (`model.priors.curve_features`). Given the sums, the posterior of w is Gaussian with the mode of the
log-posterior as its mean and the curvature there as its precision: exact for Gaussian rewards, Laplace's approximation
for the other exponential families.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.contract import (
    add_reward,
    advance,
    belief_of,
    capacity,
    has_place,
    refit,
    rewards_count,
    ticket,
    with_places,
)
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.curves import UnknownCurve, place_on_curve
from rogue_bandits.model.priors import curve_features
from rogue_bandits.model.problem import ArmTable, arm_of, arm_table, rows_of, types_in
from rogue_bandits.model.rewards.exponential import Exponential, dispersion, log_partition, sufficient
from rogue_bandits.model.validation import curve_length
from rogue_bandits.types import Arm, Floats, Ints, Problem, Ticket, next_state

MOST_STEPS = 50  # of Newton's method
TOLERANCE = 1e-9  # of a step, in standard deviations of the prior
LONGEST_STEP = 5.0  # likewise; the log-posterior is concave, and shorter steps do not overshoot


class CurveShared(NamedTuple):
    """What the beliefs about all people share."""

    table: ArmTable
    features: Floats  # F [rows, arms, values, features]; rows as in `table`


class CurveEvidence(NamedTuple):
    """What is known of each person's arms."""

    state: Floats  # [people, arms] the delay, or the number of plays
    seen: Floats  # [people, arms, values] the number of rewards at each place
    total: Floats  # [people, arms, values] the sum of their sufficient statistics
    mode: Floats  # [people, arms, features] of w
    root: Floats  # [people, arms, features, features] R, lower triangular, with R'·R = the covariance of w
    plays: Ints  # [people, arms]


class CurveBelief(NamedTuple):
    """The belief about curves."""

    shared: CurveShared
    personal: CurveEvidence


def curve_prior(policy: str, problem: Problem, people: int) -> CurveBelief:
    """Return the belief before the first decision; `policy` is named where there is none."""
    for k, arm in enumerate(problem.arms):
        if (wrong := curve_belief_fault(arm)) is not None:
            raise ValueError(f"{policy}, arm {arm.name or k!r}: {wrong}")
    shared = curve_tables(types_in(problem.arms), problem)
    _, arms, values, features = shared.features.shape
    first = [[arm.dynamics.first for arm in row] for row in rows_of(problem)]
    return CurveBelief(
        shared,
        CurveEvidence(
            state=np.tile(np.array(first), (1 if shared.table.stride else people, 1)),
            seen=np.zeros((people, arms, values)),
            total=np.zeros((people, arms, values)),
            mode=np.zeros((people, arms, features)),
            root=np.tile(np.eye(features), (people, arms, 1, 1)),
            plays=np.zeros((people, arms), dtype=np.int64),
        ),
    )


def curve_belief_fault(arm: Arm) -> str | None:
    """Say why there is no posterior of the curve of an arm."""
    if not isinstance(arm.dynamics, UnknownCurve):
        return f"the curve of {type(arm.dynamics).__name__} arms is not unknown: it must be Recovering or Rotting"
    if not isinstance(arm.rewards, Exponential):
        return f"{type(arm.rewards).__name__} rewards have no posterior of a curve: they must be an exponential family"
    return None


@lru_cache(maxsize=64)
def curve_tables(types: tuple[Any, ...], problem: Problem) -> CurveShared:
    """Return the tables of a problem, made once; `types` tells apart problems of equal numbers.

    Curves that are shorter than others, or have fewer features, are filled up with zeros.
    """
    rows = rows_of(problem)
    features = [[curve_features(arm.dynamics.prior, curve_length(arm.dynamics)) for arm in row] for row in rows]
    values, most = (max(one.shape[axis] for row in features for one in row) for axis in (0, 1))
    padded = np.zeros((len(rows), len(rows[0]), values, most))
    for i, row in enumerate(features):
        for k, one in enumerate(row):
            padded[i, k, : one.shape[0], : one.shape[1]] = one
    return CurveShared(arm_table(rows), padded)


@inlined
def features_of(shared: CurveShared, person: int, k: int) -> Floats:
    """Return F of an arm [values, features]."""
    features: Floats = shared.features[person * shared.table.stride, k]
    return features


# ---- the contract ----------------------------------------------------------------------------------------------------
@belief_of.register(CurveEvidence)
def curve_belief_of(personal: CurveEvidence, shared: Any) -> Any:
    """A belief about curves."""
    return CurveBelief(shared, personal)


@ticket.register(CurveBelief)
def curve_ticket(b: CurveBelief, person: int, k: int) -> Ticket:
    """The state now."""
    return Ticket(b.personal.state[person, k], 0.0, 0.0, 0.0)


@advance.register(CurveBelief)
def curve_advance(b: CurveBelief, person: int, k: int, signal_t: float) -> None:
    """The state is known."""
    d = arm_of(b.shared.table, person, k).dynamics
    b.personal.state[person, k] = next_state(d, b.personal.state[person, k], signal_t)


@add_reward.register(CurveBelief)
def curve_add_reward(b: CurveBelief, person: int, k: int, token: Ticket, r: float) -> bool:
    """At the place of the ticket's state."""
    arm = arm_of(b.shared.table, person, k)
    i = place_on_curve(arm.dynamics, token.a)
    b.personal.seen[person, k, i] += 1.0
    b.personal.total[person, k, i] += sufficient(arm.rewards, r)
    return False


@rewards_count.register(CurveBelief)
def curve_rewards_count(b: CurveBelief, person: int, k: int) -> float:
    """At all places."""
    return float(b.personal.seen[person, k].sum())


@has_place.register(CurveBelief)
def curve_has_place(b: CurveBelief, person: int) -> bool:
    """Its size is constant."""
    return True


@with_places.register
def curve_with_places(personal: CurveEvidence, places: int) -> CurveEvidence:
    """Its size is constant."""
    return personal


@capacity.register
def curve_capacity(personal: CurveEvidence) -> int:
    """No reward is kept one by one."""
    return 0


# ---- the posterior ---------------------------------------------------------------------------------------------------
@refit.register(CurveBelief)
def curve_refit(b: CurveBelief, person: int, k: int, x0_moved: bool) -> None:
    """Newton's method from the last mode."""
    p = b.personal
    find_mode(
        arm_of(b.shared.table, person, k), features_of(b.shared, person, k),
        p.seen[person, k], p.total[person, k], p.mode[person, k], p.root[person, k],
    )  # fmt: skip


@routine
def find_mode(arm: Arm, features: Floats, seen: Floats, total: Floats, mode: Floats, root: Floats) -> None:
    """Move `mode` to the largest log-posterior of w, and set `root` to the inverse Cholesky factor of its precision.

    The log-posterior is Σ (total·eta − seen·A(eta)) / dispersion − w·w/2 with eta = theta_weight·curve.
    """
    step = np.empty(mode.size)
    for _ in range(MOST_STEPS):
        gradient_and_precision(arm, features, seen, total, mode, step, root)
        factorise(root)
        solve_lower(root, step)
        solve_upper(root, step)
        size = 0.0
        for a in range(mode.size):
            size = max(size, abs(step[a]))
        shorter = min(1.0, LONGEST_STEP / size) if size > 0.0 else 1.0
        for a in range(mode.size):
            mode[a] += shorter * step[a]
        if size <= TOLERANCE:
            break
    invert_lower(root)


@inlined
def gradient_and_precision(
    arm: Arm, features: Floats, seen: Floats, total: Floats, w: Floats, gradient: Floats, precision: Floats
) -> None:
    """Fill in the gradient of the log-posterior at w, and the lower triangle of its negative second derivative."""
    weight, scale = arm.rewards.theta_weight, 1.0 / dispersion(arm.rewards)
    for a in range(w.size):
        gradient[a] = -w[a]
        for c in range(a):
            precision[a, c] = 0.0
        precision[a, a] = 1.0
    for i in range(seen.size):
        if seen[i] > 0.0:
            row = features[i]
            _, slope, curvature = log_partition(arm.rewards, weight * value_on_curve(arm, row, w))
            pull = weight * scale * (total[i] - seen[i] * slope)
            stiff = weight * weight * scale * seen[i] * curvature
            for a in range(w.size):
                gradient[a] += pull * row[a]
                for c in range(a + 1):
                    precision[a, c] += stiff * row[a] * row[c]


@inlined
def value_on_curve(arm: Arm, row: Floats, w: Floats) -> float:
    """Return the value of the curve with coefficients w, at the place that has this row of F."""
    total: float = arm.dynamics.prior.mean
    for a in range(w.size):
        total += row[a] * w[a]
    return total


@inlined
def factorise(a: Floats) -> None:
    """Replace the lower triangle of a positive definite matrix by its Cholesky factor."""
    for j in range(a.shape[0]):
        for c in range(j):
            for i in range(j, a.shape[0]):
                a[i, j] -= a[i, c] * a[j, c]
        root = math.sqrt(a[j, j])
        for i in range(j, a.shape[0]):
            a[i, j] /= root


@inlined
def solve_lower(factor: Floats, v: Floats) -> None:
    """Replace v by L⁻¹·v."""
    for a in range(v.size):
        for c in range(a):
            v[a] -= factor[a, c] * v[c]
        v[a] /= factor[a, a]


@inlined
def solve_upper(factor: Floats, v: Floats) -> None:
    """Replace v by L'⁻¹·v."""
    for a in range(v.size - 1, -1, -1):
        for c in range(a + 1, v.size):
            v[a] -= factor[c, a] * v[c]
        v[a] /= factor[a, a]


@inlined
def invert_lower(a: Floats) -> None:
    """Replace a lower triangular matrix by its inverse."""
    for j in range(a.shape[0]):
        a[j, j] = 1.0 / a[j, j]
        for i in range(j + 1, a.shape[0]):
            total = 0.0
            for c in range(j, i):
                total += a[i, c] * a[c, j]
            a[i, j] = -total / a[i, i]


# ---- questions -------------------------------------------------------------------------------------------------------
@inlined
def place_now(b: CurveBelief, person: int, k: int) -> int:
    """Return the place of arm k on its curve."""
    return place_on_curve(arm_of(b.shared.table, person, k).dynamics, b.personal.state[person, k])


@routine
def curve_at(b: CurveBelief, person: int, k: int, normal: Floats, curve: Floats) -> None:
    """Fill in the curve of arm k at a draw, mean + F·(mode + R'·z), of standard normal numbers z, which are used up.

    With z = 0 it is the posterior mean.
    """
    arm, features = arm_of(b.shared.table, person, k), features_of(b.shared, person, k)
    mode, root = b.personal.mode[person, k], b.personal.root[person, k]
    for a in range(mode.size):
        total = mode[a]
        for c in range(a, mode.size):
            total += root[c, a] * normal[c]
        normal[a] = total  # those below a are not needed any more
    for i in range(curve.size):
        curve[i] = value_on_curve(arm, features[i], normal)


@routine
def value_and_sd(b: CurveBelief, person: int, k: int, i: int) -> tuple[float, float]:
    """Return the posterior mean and standard deviation of the curve of arm k at place i."""
    arm, row, root = arm_of(b.shared.table, person, k), features_of(b.shared, person, k)[i], b.personal.root[person, k]
    square = 0.0
    for a in range(row.size):
        total = 0.0
        for c in range(a + 1):
            total += root[a, c] * row[c]
        square += total * total
    return value_on_curve(arm, row, b.personal.mode[person, k]), math.sqrt(square)
