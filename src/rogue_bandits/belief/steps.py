"""The Belief contract for rotting arms whose curve is constant but for jumps: a mixture over the last jump.

At every place but the first the curve jumps with probability `rate`, to a new level with a normal prior; between jumps
it is constant. Let l(s, i) be the marginal likelihood of the rewards at places s to i under one level, in closed form
for Gaussian rewards and by Laplace's approximation for the other exponential families, and a(s) the probability of all
rewards before a jump at s. Then

    a(0) = 1,   a(j) = rate · Σ_{s<j} a(s) · (1 − rate)^(j−1−s) · l(s, j − 1),

and the last jump before place i is at s with probability ∝ a(s) · (1 − rate)^(i−s) · l(s, i). No reward is at a later
place than that of now, so that nothing else is needed for the value now. Products of likelihoods leave out what does
not depend on levels.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.contract import ConstantSize, add_reward, advance, belief_of, refit
from rogue_bandits.belief.on_curve import (
    OnCurve,
    curve_add_reward,
    for_everybody,
    has_constant_curvature,
    place_now,
)
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.dynamics.curves import place_on_curve
from rogue_bandits.model.problem import ArmTable, arm_of, arm_table, rows_of
from rogue_bandits.model.rewards.exponential import Exponential, dispersion, log_partition
from rogue_bandits.model.validation import curve_length
from rogue_bandits.types import Arm, Floats, Ints, Problem, Ticket, next_state

MOST_STEPS = 50  # of Newton's method
TOLERANCE = 1e-6  # of its last step, in standard deviations of the prior
LONGEST_STEP = 5.0  # likewise; the log-posterior is concave, and shorter steps do not overshoot


class StepsShared(NamedTuple):
    """What the beliefs about all people share."""

    table: ArmTable


class StepsEvidence(NamedTuple):
    """The state, the summed rewards and the posterior of each arm of each person."""

    state: Floats  # [people, arms] the number of plays
    seen: Floats  # [people, arms, values] the number of rewards at each place
    total: Floats  # [people, arms, values] the sum of their sufficient statistics
    before: Floats  # [people, arms, values] log a(j), up to the place now
    plays: Ints  # [people, arms]


class StepsBelief(NamedTuple):
    """The belief about curves with jumps."""

    shared: StepsShared
    personal: StepsEvidence


class Level(NamedTuple):
    """The posterior of a level, and the log marginal likelihood of its rewards."""

    centre: float
    sd: float
    log_marginal: float


OnCurve.register(StepsBelief)
ConstantSize.register(StepsEvidence)


def steps_prior(policy: str, problem: Problem, people: int) -> StepsBelief:
    """Return the belief before the first decision; `policy` is named where there is none."""
    for k, arm in enumerate(problem.arms):
        if not isinstance(arm.rewards, Exponential):
            kind = type(arm.rewards).__name__
            raise ValueError(f"{policy}, arm {arm.name or k!r}: {kind} rewards must be an exponential family")
    rows = rows_of(problem)
    shape = people, len(rows[0]), max(curve_length(arm.dynamics) for row in rows for arm in row)
    first = [[arm.dynamics.first for arm in row] for row in rows]
    # Without rewards a(j) is the probability of a jump at j.
    before = [[[0.0] + [math.log(arm.dynamics.prior.rate)] * (shape[2] - 1) for arm in row] for row in rows]
    return StepsBelief(
        StepsShared(arm_table(rows)),
        StepsEvidence(
            for_everybody(first, people), np.zeros(shape), np.zeros(shape), for_everybody(before, people),
            np.zeros(shape[:2], dtype=np.int64),
        ),
    )  # fmt: skip


@belief_of.register(StepsEvidence)
def steps_belief_of(personal: StepsEvidence, shared: Any) -> Any:
    """Return the belief about curves with jumps."""
    return StepsBelief(shared, personal)


@advance.register(StepsBelief)
def steps_advance(b: StepsBelief, person: int, k: int, signal_t: float) -> None:
    """Advance the state, which is known; if it comes to a new place, the last jump may be there."""
    place = place_now(b, person, k)
    d = arm_of(b.shared.table, person, k).dynamics
    b.personal.state[person, k] = next_state(d, b.personal.state[person, k], signal_t)
    if place_now(b, person, k) != place:
        fill_before(b, person, k, place)


@add_reward.register(StepsBelief)
def steps_add_reward(b: StepsBelief, person: int, k: int, token: Ticket, r: float) -> bool:
    """Add a reward at the place of the ticket's state; later places have one more reward before them."""
    curve_add_reward(b, person, k, token, r)
    fill_before(b, person, k, place_on_curve(arm_of(b.shared.table, person, k).dynamics, token.a))
    return False


@refit.register(StepsBelief)
def steps_refit(b: StepsBelief, person: int, k: int, x0_moved: bool) -> None:
    """Do nothing: the posterior was updated when the reward was added."""


@routine
def fill_before(b: StepsBelief, person: int, k: int, first: int) -> None:
    """Write log a(j) for places j after `first`, up to the place now."""
    before, room = b.personal.before[person, k], np.empty((3, b.personal.before.shape[2]))
    weight, rate = room[2], arm_of(b.shared.table, person, k).dynamics.prior.rate
    for j in range(first + 1, place_now(b, person, k) + 1):
        fill_last_jump(b, person, k, j - 1, room[0], room[1], weight)
        top, total = -np.inf, 0.0
        for s in range(j):
            top = max(top, weight[s])
        for s in range(j):
            total += math.exp(weight[s] - top)
        before[j] = math.log(rate) + top + math.log(total)


@routine
def fill_last_jump(b: StepsBelief, person: int, k: int, i: int, centre: Floats, sd: Floats, log_weight: Floats) -> None:
    """Write, for a last jump at each place s up to i, the level since then and its log-weight."""
    arm, n, total = arm_of(b.shared.table, person, k), 0.0, 0.0
    prior, p = arm.dynamics.prior, b.personal
    stays, start = math.log1p(-prior.rate), prior.mean
    for s in range(i, -1, -1):
        n += p.seen[person, k, s]
        total += p.total[person, k, s]
        level = level_of(arm, n, total, start)
        start = level.centre
        centre[s], sd[s] = level.centre, level.sd
        log_weight[s] = p.before[person, k, s] + (i - s) * stays + level.log_marginal


@inlined
def level_of(arm: Arm, n: float, total: float, start: float) -> Level:
    """Return the posterior of a level with n rewards, whose sufficient statistics sum to `total`.

    The log-posterior is (total·eta − n·A(eta)) / dispersion − (level − mean)²/(2·sd²) with eta = theta_weight·level.
    """
    f, prior = arm.rewards, arm.dynamics.prior
    weight, scale, precision = f.theta_weight, 1.0 / dispersion(f), 1.0 / (prior.sd * prior.sd)
    at, curvature, exact = start, precision, has_constant_curvature(f)
    for _ in range(MOST_STEPS):
        _, slope, bend = log_partition(f, weight * at)
        curvature = precision + n * weight * weight * scale * bend
        step = (weight * scale * (total - n * slope) - precision * (at - prior.mean)) / curvature
        if not exact:
            step = min(max(step, -LONGEST_STEP * prior.sd), LONGEST_STEP * prior.sd)
        at += step
        if exact or abs(step) <= TOLERANCE * prior.sd:
            break
    value, _, bend = log_partition(f, weight * at)
    curvature = precision + n * weight * weight * scale * bend
    off = at - prior.mean
    log_marginal = scale * (total * weight * at - n * value) - 0.5 * precision * off * off
    return Level(at, 1.0 / math.sqrt(curvature), log_marginal + 0.5 * math.log(precision / curvature))


# ---- questions -------------------------------------------------------------------------------------------------------
class ValueNow(NamedTuple):
    """The mixture of levels of the value now: means, standard deviations and weights, which sum to 1."""

    centre: Floats
    sd: Floats
    weight: Floats


@routine
def value_now(b: StepsBelief, person: int, k: int) -> ValueNow:
    """Return the posterior of the value of arm k at its place now."""
    i = place_now(b, person, k)
    centre, sd, weight = np.empty(i + 1), np.empty(i + 1), np.empty(i + 1)
    fill_last_jump(b, person, k, i, centre, sd, weight)
    top, total = weight.max(), 0.0
    for s in range(i + 1):
        weight[s] = math.exp(weight[s] - top)
        total += weight[s]
    for s in range(i + 1):
        weight[s] /= total
    return ValueNow(centre, sd, weight)


@inlined
def level_at(now: ValueNow, u: float) -> int:
    """Return the component of a mixture at the quantile u of the weights."""
    s, below = 0, now.weight[0]
    while s < now.weight.size - 1 and below <= u:
        s += 1
        below += now.weight[s]
    return s


@inlined
def mean_and_sd(now: ValueNow) -> tuple[float, float]:
    """Return the mean and the standard deviation of a mixture."""
    centre = square = 0.0
    for s in range(now.weight.size):
        centre += now.weight[s] * now.centre[s]
    for s in range(now.weight.size):
        off = now.centre[s] - centre
        square += now.weight[s] * (now.sd[s] * now.sd[s] + off * off)
    return centre, math.sqrt(square)
