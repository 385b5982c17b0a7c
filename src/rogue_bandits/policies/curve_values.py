"""Mean rewards of values of a curve, and how far above its posterior mean an upper bound is."""

from __future__ import annotations

import math

from rogue_bandits.compile.laws import inlined
from rogue_bandits.types import Arm, Floats, mean


@inlined
def width_at(beta: float, number: int) -> float:
    """Return √(2·beta·log t), t = 1, 2, … the decision."""
    return math.sqrt(2.0 * beta * math.log(number + 1.0))


@inlined
def inside(arm: Arm, theta: float) -> float:
    """Return the theta within the bounds of the arm that is nearest."""
    return float(min(max(theta, arm.theta_lo), arm.theta_hi))


@inlined
def to_means(arm: Arm, curve: Floats) -> None:
    """Replace the values of a curve by mean rewards; values beyond the bounds of theta count as the bounds."""
    for i in range(curve.size):
        curve[i] = mean(arm.rewards, inside(arm, curve[i]), 0.0)
