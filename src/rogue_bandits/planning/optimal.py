"""The best long-run plan: exact where that can be, else between a plan and a proven bound."""

from __future__ import annotations

from math import isqrt

import numpy as np

from rogue_bandits.model.validation import checked_truth, checked_whole, number
from rogue_bandits.planning.cells import cells_fault, cut
from rogue_bandits.planning.exact import exact_plan
from rogue_bandits.planning.myopic import myopic_plan
from rogue_bandits.planning.pairs import pairs_loss, proof
from rogue_bandits.planning.plan import Plan
from rogue_bandits.planning.relaxed import best_multiplier, constant_multiplier, relaxed
from rogue_bandits.planning.search import searched_plan
from rogue_bandits.types import Floats, Truth

GOOD_ENOUGH = 1e-4  # the gap at which nobody looks further unless asked to
FINE = 20_000  # cells of an arm, in the proof
ROUGH = 400  # cells of an arm, in the search for tolls and for the plan …
MOST_PLAYS = 1_000_000  # arms × decisions
MOST_WORTH = 20_000_000  # … unless their worth at every decision would fill the memory
STEPS_OF_CELLS = 300_000_000  # steps × cells × decisions: over long horizons an even toll is as good as any
MOST_STEPS = 300
BEAM = 500
PAIRS = 60_000_000  # pairs of cells × decisions


def optimal_plan(truth: Truth, horizon: int, accuracy: float | None = None) -> Plan:
    """A plan, and a proof of how good it is: no plan has a larger total than its `upper`.

    Where the states that can be reached are few the plan is the best there is, and its gap 0. Else it is the best that
    was found, and `upper` is proven by relaxation. `accuracy` is the largest gap that will do, such as 0.01: a
    rough one saves time, and one that cannot be had is refused. Without one, the gap is what some seconds of work give.

    >>> import rogue_bandits as rb
    >>> arms = [rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6)),
    ...         rb.Arm(rb.ClippedAffine(decay=0.7, pull=-1.2, drift=0.5), rb.BernoulliLogit(0.7, 0.3))]
    >>> plan = rb.optimal_plan(rb.Truth(arms, theta=[0.5, 0.7], x0=[0.1, 0.3]), horizon=20_000)
    >>> print(plan)
    20,000 decisions, total 12,929.1, 0.64646 each; no plan has more than 12,929.1: gap 0 %
    >>> plan.arm[10_001:10_008].tolist()
    [1, 0, 1, 1, 0, 1, 1]
    """
    if accuracy is not None and number(accuracy, "accuracy", "optimal plan") < 0.0:
        raise ValueError(f"optimal plan, accuracy {accuracy} must be 0 or more")
    plan = best_found(truth, horizon, GOOD_ENOUGH if accuracy is None else accuracy)
    if accuracy is not None and plan.gap > accuracy:
        raise ValueError(
            f"optimal plan, accuracy {accuracy}: the state space is too large for it, {plan.gap:.2g} can be had"
        )
    return plan


def best_found(truth: Truth, horizon: int, enough: float) -> Plan:
    """The best plan that was found, whatever its gap; nobody looks further once that is `enough`."""
    truth, horizon = checked_truth(truth), checked_whole(horizon, "optimal plan, horizon", 1)
    return exact_plan(truth, horizon) or bracketed_plan(truth, horizon, enough)


def bracketed_plan(truth: Truth, horizon: int, enough: float) -> Plan:
    """The best plan found and the least upper bound proven, looking on until they are close or the work is done."""
    arms = len(truth.arms)
    if (wrong := cells_fault(truth)) is not None:
        raise ValueError(f"optimal plan: these {arms} arms reach too many states for an exact plan, and {wrong}")
    if arms * horizon > MOST_PLAYS:
        raise ValueError(
            f"optimal plan, horizon {horizon} must be {MOST_PLAYS // arms} or less: these {arms} arms reach too many "
            "states for an exact plan"
        )
    rough = cut(truth, between(50, MOST_WORTH // (arms * horizon), ROUGH))
    multiplier = constant_multiplier(rough, horizon)
    found = relaxed(rough, multiplier)
    plan = max(myopic_plan(truth, horizon), searched_plan(truth, rough, found, BEAM), key=lambda plan: plan.total)
    plan = plan._replace(upper=max(found.bound + rounding(rough.mean, multiplier), plan.total))
    if plan.gap <= enough:
        return plan
    steps = between(0, STEPS_OF_CELLS // (arms * horizon * rough.mean.shape[1]), MOST_STEPS)
    if steps:
        found = best_multiplier(rough, multiplier, plan.total, steps)
        better = max(plan, searched_plan(truth, rough, found, BEAM), key=lambda plan: plan.total)
        plan = better._replace(upper=plan.upper)

    side = between(20, min(isqrt(PAIRS // horizon), MOST_WORTH // (2 * arms * horizon)), 240)
    fine, coarse = cut(truth, FINE // side * side), cut(truth, FINE // side * side, FINE // side)
    bound, loss = proof(fine, coarse, found.multiplier)
    upper = bound + rounding(fine.mean, found.multiplier)
    if plan._replace(upper=upper).gap > enough:
        upper -= pairs_loss(coarse, loss, found.played)
    return plan._replace(upper=max(min(plan.upper, upper), plan.total))


def between(lo: int, value: int, hi: int) -> int:
    """The value, if it is from lo to hi; else the nearer of them."""
    return max(lo, min(value, hi))


def rounding(means: Floats, multiplier: Floats) -> float:
    """More than rounding can do to the bound: for each arm, sums of 2·horizon numbers that reach horizon·scale."""
    scale = float(np.abs(means).max() + np.abs(multiplier).max())
    return 8.0 * float(np.finfo(np.float64).eps) * (len(means) + 1) * (multiplier.size + 10.0) ** 2 * scale
