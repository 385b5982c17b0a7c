"""The best plan over a horizon: exact where possible, else a plan and a proven upper bound."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

import numpy as np

from rogue_bandits.model.numbers import checked_whole, is_list, number
from rogue_bandits.model.validation import checked_inside, checked_truth
from rogue_bandits.planning.beam import beam_plan
from rogue_bandits.planning.cells import Cells, cells_fault, cut
from rogue_bandits.planning.certificate import CELLS, long_run_bound
from rogue_bandits.planning.curve_plan import curve_plan
from rogue_bandits.planning.exact import exact_plan
from rogue_bandits.planning.lookahead import DEPTH
from rogue_bandits.planning.pairs import least_loss, losses
from rogue_bandits.planning.plan import Plan, arrays_of, followed
from rogue_bandits.planning.receding import receding_plan
from rogue_bandits.planning.relaxed import best_multiplier, relaxed, rounding
from rogue_bandits.planning.rollout import MYOPIC
from rogue_bandits.planning.values import values_at
from rogue_bandits.types import Arm, Floats, Truth, Vector

GOOD_ENOUGH = 1e-4  # the gap at which the search ends unless an accuracy is given
FINE = 20_000  # cells of an arm, in the proof
ROUGH = 400  # cells of an arm, in the search for the multiplier and for the plan …
MOST_PLAYS = 100_000_000  # arms × decisions …
MOST_REFINED = 1_000_000  # … and up to which more than the long-run bound is proven
DEEP = 8  # decisions of the lookahead
MOST_VALUES = 20_000_000  # … or fewer, to keep arms × decisions × cells below this
STEPS_OF_CELLS = 300_000_000  # steps × cells × decisions: over long horizons a constant multiplier is as good as any
MOST_STEPS = 300
BEAM = 500
PAIRS = 60_000_000  # pairs of cells × decisions

States = Sequence[float | Vector] | Floats


def optimal_plan(truth: Truth, horizon: int, accuracy: float | None = None, x: States | None = None) -> Plan:
    """Return a plan with a proven bound: no plan has a larger total than its `upper`.

    Where few joint states can be reached the plan is optimal, and its gap 0. Else it is the best that was found, and
    `upper` is proven by relaxation. `accuracy` is the largest gap allowed, such as 0.01: a large one saves time, and
    one that is not reached raises an error. Without one, the gap is what some seconds of work give. The plan starts
    from states x, by default those of the truth, x0.

    >>> import rogue_bandits as rb
    >>> arms = [rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6)),
    ...         rb.Arm(rb.ClippedAffine(decay=0.7, pull=-1.2, drift=0.5), rb.BernoulliLogit(0.7, 0.3))]
    >>> truth = rb.Truth(arms, theta=[0.5, 0.7], x0=[0.1, 0.3])
    >>> plan = rb.optimal_plan(truth, horizon=20_000)
    >>> print(plan)
    20,000 decisions, total 12,929.1, 0.64646 each; no plan has more than 12,929.1: gap 0 %
    >>> plan.arm[10_001:10_008].tolist()
    [1, 0, 1, 1, 0, 1, 1]
    >>> rb.optimal_plan(truth, horizon=5, x=[1.0, 0.0]).arm.tolist()
    [0, 1, 1, 0, 1]
    """
    if accuracy is not None and number(accuracy, "accuracy", "optimal plan") < 0.0:
        raise ValueError(f"optimal plan, accuracy {accuracy} must be 0 or more")
    plan = best_found(truth, horizon, GOOD_ENOUGH if accuracy is None else accuracy, x)
    if accuracy is not None and plan.gap > accuracy:
        raise ValueError(
            f"optimal plan, accuracy {accuracy} cannot be proven: the state space is too large; {plan.gap:.2g} can"
        )
    return plan


def best_found(truth: Truth, horizon: int, enough: float, x: States | None = None) -> Plan:
    """Return the best plan found, whatever its gap; the search ends once that is `enough`."""
    truth, horizon = checked_truth(truth), checked_whole(horizon, "optimal plan, horizon", 1)
    truth = truth if x is None else truth._replace(x0=checked_states(truth.arms, x))
    return plan_from(*arrays_of(truth), horizon, enough)._replace(truth=truth)


def checked_states(arms: Sequence[Arm], x: object) -> list[float | Vector]:
    """Return a state for each arm, inside its bounds."""
    if not is_list(x) or len(x) != len(arms):
        raise ValueError(f"optimal plan, x {x!r} must be a list with a state for each of the {len(arms)} arms")
    return [
        checked_inside(x_k, arm.dynamics.lo, arm.dynamics.hi, "x", f"optimal plan of arm {arm.name or k!r}")
        for k, (arm, x_k) in enumerate(zip(arms, x, strict=True))
    ]


def plan_from(arms: Arm, theta: Floats, x: Floats, horizon: int, enough: float) -> Plan:
    """Return the best plan found from states x at parameters theta, over stacked arms."""
    return (
        exact_plan(arms, theta, x, horizon)
        or curve_plan(arms, theta, x, horizon)
        or bracketed_plan(arms, theta, x, horizon, enough)
    )


def bracketed_plan(arms: Arm, theta: Floats, x: Floats, horizon: int, enough: float) -> Plan:
    """Return the best plan found and the least upper bound proven, once they are close or the work limit is reached."""
    k = theta.size
    if (wrong := cells_fault(arms, x)) is not None:
        raise ValueError(f"optimal plan: these {k} arms reach too many states for an exact plan, and {wrong}")
    if k * horizon > MOST_PLAYS:
        raise ValueError(
            f"optimal plan, horizon {horizon} must be {MOST_PLAYS // k} or less: these {k} arms reach too many "
            "states for an exact plan"
        )
    values, constant = values_at(arms, theta)
    plan = receding_plan(arms, theta, x, values, horizon, DEEP if k * horizon <= MOST_REFINED else DEPTH)
    plan = larger(plan, followed(arms, theta, x, np.full(horizon, MYOPIC, dtype=np.int16)))
    plan = with_bound(plan, long_run_bound(cut(arms, theta, CELLS), x, values, constant, horizon))
    if plan.gap <= enough or k * horizon > MOST_REFINED:
        return plan
    size = between(50, MOST_VALUES // (k * horizon), ROUGH)
    rough, multiplier = cut(arms, theta, size), np.full(horizon, constant)
    found = relaxed(rough, x, multiplier)
    plan = with_bound(plan, found.bound + rounding_of(rough, multiplier))
    if plan.gap <= enough:
        return plan
    if steps := between(0, STEPS_OF_CELLS // (k * horizon * size), MOST_STEPS):
        found = best_multiplier(rough, x, multiplier, plan.total, steps)
    plan = larger(plan, beam_plan(arms, theta, x, rough, found, BEAM))._replace(upper=plan.upper)

    side = between(20, min(isqrt(PAIRS // horizon), MOST_VALUES // (2 * k * horizon)), 240)
    fine, coarse = cut(arms, theta, FINE // side * side), cut(arms, theta, FINE // side * side, FINE // side)
    bound, loss = losses(fine, coarse, x, found.multiplier)
    plan = with_bound(plan, upper := bound + rounding_of(fine, found.multiplier))
    return plan if plan.gap <= enough else with_bound(plan, upper - least_loss(coarse, x, loss, found.played))


def with_bound(plan: Plan, upper: float) -> Plan:
    """Return the plan with the smaller of its upper bound and this one."""
    return plan._replace(upper=max(min(plan.upper, upper), plan.total))


def rounding_of(cells: Cells, multiplier: Floats) -> float:
    """Return a bound on the rounding error of the relaxed bound."""
    scale = float(np.abs(cells.mean).max() + np.abs(multiplier).max())
    return rounding(scale, len(cells.mean), multiplier.size)


def larger(one: Plan, other: Plan) -> Plan:
    """Return the plan with the larger total; the first of equals."""
    return other if other.total > one.total else one


def between(lo: int, value: int, hi: int) -> int:
    """Return the value, clipped to [lo, hi]."""
    return max(lo, min(value, hi))
