"""The Belief contract for arms whose theta is an unknown curve: its posterior, of constant size.

The state is known, so that rewards are summed by their place on the curve. The curve is mean + F·w with a standard
normal w (`model.priors.curve_features`). Given the sums, the posterior of w is Gaussian with the mode of the
log-posterior as its mean and the curvature there as its precision: exact for Gaussian rewards, Laplace's approximation
for the other exponential families. Where the prior restricts the shape of a curve, draws and upper bounds of this
posterior are moved to that shape (`curve_shapes`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.contract import ConstantSize, add_reward, belief_of, refit
from rogue_bandits.belief.curve_posterior import fill_spread, find_mode, sharpen, value_on_curve
from rogue_bandits.belief.curve_shapes import shape_bounds, shape_draw
from rogue_bandits.belief.on_curve import OnCurve, curve_add_reward, for_everybody, has_constant_curvature
from rogue_bandits.compile.laws import inlined, remembered, routine
from rogue_bandits.model.dynamics.curves import UnknownCurve, place_on_curve, rises
from rogue_bandits.model.priors import Steps, curve_features, prior_mean
from rogue_bandits.model.problem import ArmTable, arm_of, arm_table, rows_of, types_in
from rogue_bandits.model.rewards.exponential import Exponential
from rogue_bandits.model.validation import curve_length
from rogue_bandits.numerics.cholesky import solve_upper
from rogue_bandits.types import Arm, Floats, Ints, Problem, Ticket


class CurveShared(NamedTuple):
    """What the beliefs about all people share."""

    table: ArmTable
    features: Floats  # F [rows, arms, values, features]; rows as in `table`


class CurveEvidence(NamedTuple):
    """The state, the summed rewards and the posterior of each arm of each person."""

    state: Floats  # [people, arms] the delay, or the number of plays
    seen: Floats  # [people, arms, values] the number of rewards at each place
    total: Floats  # [people, arms, values] the sum of their sufficient statistics
    mode: Floats  # [people, arms, features] of w
    factor: Floats  # [people, arms, features, features] U, upper triangular, with U'·U = the precision of w
    centre: Floats  # [people, arms, values] the posterior mean of the curve
    spread: Floats  # [people, arms, values] its posterior standard deviation
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
            state=for_everybody(first, people),
            seen=np.zeros((people, arms, values)),
            total=np.zeros((people, arms, values)),
            mode=np.zeros((people, arms, features)),
            factor=np.tile(np.eye(features), (people, arms, 1, 1)),
            centre=for_everybody([[prior_means(arm, values) for arm in row] for row in rows_of(problem)], people),
            spread=for_everybody(np.sqrt((shared.features**2).sum(axis=3)), people),
            plays=np.zeros((people, arms), dtype=np.int64),
        ),
    )


def prior_means(arm: Arm, values: int) -> list[float]:
    """Return the prior mean of a curve at every place."""
    return [prior_mean(arm.dynamics.prior)] * values


def curve_belief_fault(arm: Arm) -> str | None:
    """Say why there is no posterior of the curve of an arm."""
    d: Any = arm.dynamics
    if not isinstance(d, UnknownCurve):
        return f"the curve of {type(arm.dynamics).__name__} arms is not unknown: it must be Recovering or Rotting"
    if isinstance(arm.dynamics.prior, Steps):
        return "under a Steps prior its curve has no Gaussian posterior: plan-ts, plan-ucb and rogue-ts learn it"
    if not isinstance(arm.rewards, Exponential):
        return f"{type(arm.rewards).__name__} rewards have no posterior of a curve: they must be an exponential family"
    return None


@remembered(64)
def curve_tables(types: tuple[Any, ...], problem: Problem) -> CurveShared:
    """Return the tables of a problem, made once; `types` distinguishes problems of equal numbers.

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
OnCurve.register(CurveBelief)
ConstantSize.register(CurveEvidence)


@belief_of.register(CurveEvidence)
def curve_belief_of(personal: CurveEvidence, shared: Any) -> Any:
    """Return the belief about curves."""
    return CurveBelief(shared, personal)


# ---- the posterior ---------------------------------------------------------------------------------------------------
@add_reward.register(CurveBelief)
def curve_belief_add_reward(b: CurveBelief, person: int, k: int, token: Ticket, r: float) -> bool:
    """Add a reward at the place of the ticket's state; where curvature is constant, update the precision too."""
    curve_add_reward(b, person, k, token, r)
    arm = arm_of(b.shared.table, person, k)
    if has_constant_curvature(arm.rewards):
        row = features_of(b.shared, person, k)[place_on_curve(arm.dynamics, token.a)]
        sharpen(arm, row, features_of(b.shared, person, k), b.personal.factor[person, k], b.personal.spread[person, k])
    return False


@refit.register(CurveBelief)
def curve_refit(b: CurveBelief, person: int, k: int, x0_moved: bool) -> None:
    """Find the mode by Newton's method from the last one, and update means and standard deviations of all places."""
    arm, features, p = arm_of(b.shared.table, person, k), features_of(b.shared, person, k), b.personal
    find_mode(arm, features, p.seen[person, k], p.total[person, k], p.mode[person, k], p.factor[person, k])
    for i in range(features.shape[0]):
        p.centre[person, k, i] = value_on_curve(arm, features[i], p.mode[person, k])
    if not has_constant_curvature(arm.rewards):
        fill_spread(features, p.factor[person, k], p.spread[person, k])


# ---- questions -------------------------------------------------------------------------------------------------------
@routine
def curve_at(b: CurveBelief, person: int, k: int, normal: Floats, curve: Floats) -> None:
    """Fill in the curve of arm k at a draw, mean + F·(mode + U⁻¹·z), of standard normal numbers z, which are used up.

    With z = 0 it is the posterior mean. If the prior restricts the shape of a curve, it is moved to that shape.
    """
    arm, features = arm_of(b.shared.table, person, k), features_of(b.shared, person, k)
    d, mode = arm.dynamics, b.personal.mode[person, k]
    solve_upper(b.personal.factor[person, k], normal)
    for a in range(mode.size):
        normal[a] += mode[a]
    for i in range(curve.size):
        curve[i] = value_on_curve(arm, features[i], normal)
    size = place_on_curve(d, d.longest) + 1  # other curves may be longer
    shape_draw(d.prior, rises(d), b.personal.spread[person, k, :size], curve[:size])


@inlined
def value_and_sd(b: CurveBelief, person: int, k: int, i: int) -> tuple[float, float]:
    """Return the posterior mean and standard deviation of the curve of arm k at place i, whatever its shape."""
    return b.personal.centre[person, k, i], b.personal.spread[person, k, i]


@routine
def upper_curve(b: CurveBelief, person: int, k: int, wide: float, curve: Floats) -> None:
    """Fill in an upper bound of the curve of arm k: `wide` standard deviations up, or less where its shape says so."""
    d = arm_of(b.shared.table, person, k).dynamics
    for i in range(curve.size):
        centre, sd = value_and_sd(b, person, k, i)
        curve[i] = centre + wide * sd
    shape_bounds(d.prior, rises(d), curve[: place_on_curve(d, d.longest) + 1])
