"""Checks of the constants of the paper's assumptions: whether they are large enough."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from rogue_bandits.conformance.finding import Fault
from rogue_bandits.conformance.integrals import adds_up, distribution
from rogue_bandits.conformance.rewards import at, points, step_of
from rogue_bandits.model.constants import lipschitz_mean, lipschitz_parameters, lipschitz_reward, sub_gaussian
from rogue_bandits.model.probe import LAW_ERRORS, evaluate
from rogue_bandits.types import Arm, draw, loglik, mean, point_masses, support

LARGER = 1.0 + 1e-3  # tolerance for differences
DRAWS = 20
LIPSCHITZ: tuple[Any, ...] = (lipschitz_parameters, lipschitz_mean, lipschitz_reward)


def missing(arm: Arm) -> list[str]:
    """Return a note for each constant that the theorems need and the family does not have."""
    f = arm.rewards
    reasons = [*(unavailable(constant, f, arm) for constant in LIPSCHITZ), unavailable(sub_gaussian, f)]
    return [f"{reason} (TheoremRadius and rb.theory need it)" for reason in reasons if reason]


def unavailable(constant: Any, *arguments: Any) -> str | None:
    """Return why a constant cannot be computed; None if it can."""
    try:
        constant(*arguments)
    except TypeError as reason:
        return str(reason)
    except LAW_ERRORS as error:
        return f"{constant.__name__} raises {type(error).__name__}: {error}"
    return None


def gradient(law: Any, arm: Arm, theta: float, x: float, *more: float) -> float:
    """Return the norm of the gradient of a law by theta and x, from differences."""
    f, (h, k) = arm.rewards, (1e-2 * step for step in step_of(arm))
    by_theta = (evaluate(law, f, theta + h, x, *more) - evaluate(law, f, theta - h, x, *more)) / (2.0 * h)
    by_x = (evaluate(law, f, theta, x + k, *more) - evaluate(law, f, theta, x - k, *more)) / (2.0 * k) if k else 0.0
    return math.hypot(by_theta, by_x)


def too_steep(arm: Arm) -> Iterator[Fault]:
    """Compare L_g with the gradient of the mean, L_f with the root mean square of that of loglik; then L_p."""
    f, (lo, hi, _) = arm.rewards, support(arm.rewards)
    for point in points(arm):
        if not unavailable(lipschitz_mean, f, arm):
            steep, bound = gradient(mean, arm, *point), lipschitz_mean(f, arm)
            if steep > bound * LARGER:
                words = f"at {at(point)} the mean has slope {steep:.4g}, and the constant is {bound:.4g}"
                yield Fault("lipschitz_mean", "Assumption 3, L_g", words)
        rewards = [evaluate(draw, f, *point, (k + 0.5) / DRAWS) for k in range(DRAWS)]
        if not unavailable(lipschitz_reward, f, arm):
            between = [r for r in rewards if not point_masses(f) or lo < r < hi]  # to a point mass the ratio jumps
            yield from _ratio_too_steep(arm, point, np.unique(between))
        if not unavailable(lipschitz_parameters, f, arm):
            squares = [gradient(loglik, arm, *point, r) ** 2 for r in rewards]
            steep, bound = math.sqrt(math.fsum(squares) / DRAWS), lipschitz_parameters(f, arm)
            if steep > bound * LARGER:
                words = f"at {at(point)} loglik has a mean slope of {steep:.4g}, and the constant is {bound:.4g}"
                yield Fault("lipschitz_parameters", "Assumption 3, L_f", words)


def _ratio_too_steep(arm: Arm, point: tuple[float, float], rewards: Any) -> Iterator[Fault]:
    """Compare L_p with the slope in r of loglik(point) − loglik(other), for the farthest others."""
    f, bound = arm.rewards, lipschitz_reward(arm.rewards, arm)
    for other in (points(arm)[0], points(arm)[-1]):
        ratio = [evaluate(loglik, f, *point, float(r)) - evaluate(loglik, f, *other, float(r)) for r in rewards]
        steep = np.abs(np.diff(ratio) / np.diff(rewards)).max(initial=0.0)
        if steep > bound * LARGER:
            words = (
                f"from {at(point)} to {at(other)} the ratio changes by {steep:.4g} a unit, the constant is {bound:.4g}"
            )
            yield Fault("lipschitz_reward", "Assumption 4, L_p", words)


def not_sub_gaussian(arm: Arm) -> Iterator[Fault]:
    """Check log E exp(s·(r − g)) ≤ s²·sigma²/2."""
    if unavailable(sub_gaussian, arm.rewards):
        return
    sigma = sub_gaussian(arm.rewards)
    for point in points(arm):
        c = distribution(arm.rewards, *point)
        if not adds_up(c):
            continue
        away = c.rewards - c.probability @ c.rewards
        for s in (-2.0 / sigma, -0.3 / sigma, 0.3 / sigma, 2.0 / sigma):
            log_mean = math.log(float(c.probability @ np.exp(np.minimum(s * away, 600.0))))
            if log_mean > 0.5 * (s * sigma) ** 2 * LARGER + 1e-7:
                words = (
                    f"at {at(point)} log E exp({s:.3g}·(r − g)) is {log_mean:.4g}, above {0.5 * (s * sigma) ** 2:.4g}"
                )
                yield Fault("sub_gaussian", "Assumption 4, rewards are sub-Gaussian with parameter sigma", words)
