"""Checks that sums of settled rewards and compiled laws agree with the laws one by one."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numba.core.errors import NumbaWarning

from rogue_bandits.compile.laws import kernel
from rogue_bandits.conformance.finding import Fault
from rogue_bandits.conformance.rewards import at, points
from rogue_bandits.model.compiling import NOT_COMPILED, cause, uncompilable
from rogue_bandits.model.dynamics.clipped_affine import observed_state, step
from rogue_bandits.model.dynamics.projected import ProjectedDynamics, base_dynamics
from rogue_bandits.model.probe import evaluate
from rogue_bandits.model.protocols import Model
from rogue_bandits.types import (
    Arm,
    Floats,
    coordinate,
    draw,
    information,
    is_summable,
    kl_and_slopes,
    loglik,
    mean,
    potential,
    settled_loglik,
    signal,
    statistics,
    support,
    theta_at,
)


def sums_disagree(arm: Arm) -> Iterator[Fault]:
    """Check that `settled_loglik` of sums is the sum of loglik."""
    f, places = arm.rewards, points(arm)
    if not is_summable(f):
        return
    for theta, x in places:
        rewards = [evaluate(draw, f, theta, x, u) for u in (0.2, 0.5, 0.9)]
        sums = [math.fsum(column) for column in zip(*(evaluate(statistics, f, x, r) for r in rewards), strict=True)]
        value = evaluate(settled_loglik, f, theta, *sums, len(rewards) * evaluate(potential, f, theta, x))
        exact = math.fsum(evaluate(loglik, f, theta, x, r) for r in rewards)
        if abs(value - exact) > 1e-8 * (1.0 + abs(exact)):
            words = f"of three rewards at {at((theta, x))} it is {value:.8g}, and their loglik {exact:.8g}"
            yield Fault("settled_loglik", "sums of settled rewards say what the rewards say", words)
        if abs(evaluate(theta_at, f, evaluate(coordinate, f, theta)) - theta) > 1e-9 * (1.0 + abs(theta)):
            yield Fault("theta_at", "theta_at is the inverse of coordinate", f"it is not at theta {theta:g}")


def _every_law(f: Model, d: Any, theta: float, x: float, theta2: float, x2: float, r: float, state: Floats) -> Any:
    """Evaluate all laws that loops call; `state` of arm 0 moves on by a play."""
    step(d, state, 0, signal(d, 0, 0))
    return (
        support(f)[0],
        mean(f, theta, x),
        loglik(f, theta, x, r),
        kl_and_slopes(f, theta, x, theta2, x2),
        information(f, theta, x),
        draw(f, theta, x, 0.3),
        observed_state(d, state, 0),
    )


NAMES = ("support", "mean", "loglik", "kl_and_slopes", "information", "draw", "next_state")
compiled_laws = kernel(_every_law)


def compiled_differently(arm: Arm) -> Iterator[Fault]:
    """Check that laws can be compiled, and are then the same."""
    f, d, (p, q) = arm.rewards, arm.dynamics, points(arm)[3:5]
    bounds = np.stack([np.atleast_1d(base_dynamics(d).lo), np.atleast_1d(base_dynamics(d).hi)])
    middle = bounds.mean(axis=0)
    state = middle[None] if isinstance(d, ProjectedDynamics) else middle
    arguments = (f, d, *p, *q, float(evaluate(draw, f, *p, 0.4)))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumbaWarning)  # reported below
            compiled = compiled_laws(*arguments, state.copy())
    except NOT_COMPILED as error:
        can = "laws can be compiled: plain arithmetic on numbers, `math`, and other laws"
        yield Fault("every law", can, uncompilable(arm) or cause(str(error)))
        return
    for name, one, other in zip(NAMES, _every_law(*arguments, state), compiled, strict=True):
        ones, others = (value if isinstance(value, tuple) else (value,) for value in (one, other))
        if any(abs(a - b) > 1e-9 * (1.0 + abs(a)) for a, b in zip(ones, others, strict=True) if math.isfinite(a)):
            found = f"at {at(p)} it is {one}, compiled {other}"
            yield Fault(name, "a law is the same interpreted and compiled", found)
