"""Thompson sampling where each arm has a value of its own at the draw, and the largest wins."""

from __future__ import annotations

from typing import Any

import numpy as np

from rogue_bandits.belief.posterior import drawn_state
from rogue_bandits.compile.laws import law
from rogue_bandits.policies.rogue import belief_in
from rogue_bandits.policies.thompson import Thompson, arm_at_draw
from rogue_bandits.policies.ties import best_of
from rogue_bandits.types import Request


class ValueThompson(Thompson):
    """The kind: policies that need two uniforms for each arm, and one for ties."""


@law
def arm_value(state: Any, person: int, k: int, theta: float, x: float) -> float:
    """Return the value of arm k, were theta and its state x the true ones."""


@arm_at_draw.register(ValueThompson)
def arm_of_largest_value(state: Any, person: int, request: Request) -> int:
    """The largest value."""
    u, value, belief = request.uniforms, np.full(request.available.size, -np.inf), belief_in(state)
    for k in range(value.size):
        if request.available[k]:
            theta, x = drawn_state(belief, person, k, u[2 * k], u[2 * k + 1])
            value[k] = arm_value(state, person, k, theta, x)
    return best_of(value, request.available, u[2 * value.size])[0]
