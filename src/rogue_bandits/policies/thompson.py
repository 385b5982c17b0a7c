"""Thompson sampling of (theta, x0), for policies that give each arm a value of its own at the draw."""

from __future__ import annotations

from abc import ABC
from typing import Any

import numpy as np

from rogue_bandits.belief.posterior import drawn_state
from rogue_bandits.compile.laws import law
from rogue_bandits.policies.rogue import Rogue, belief_in
from rogue_bandits.policies.ties import best_of
from rogue_bandits.types import Request, choose

NOT_WORKED_OUT = np.nan  # probability of a choice that nobody has asked for


class Thompson(Rogue, ABC):
    """The kind: states whose `shared` has a field `belief: Shared`, and whose `personal` is a `PosteriorEvidence`."""


@law
def arm_value(state: Any, person: int, k: int, theta: float, x: float) -> float:
    """Return the value of arm k, were theta and its state x the true ones."""


@choose.register(Thompson)
def thompson_choose(state: Any, person: int, request: Request) -> tuple[int, float]:
    """The largest value at a draw. The last uniform breaks ties."""
    u, value, belief = request.uniforms, np.full(request.available.size, -np.inf), belief_in(state)
    for k in range(value.size):
        if request.available[k]:
            theta, x = drawn_state(belief, person, k, u[2 * k], u[2 * k + 1])
            value[k] = arm_value(state, person, k, theta, x)
    return best_of(value, request.available, u[2 * value.size])[0], NOT_WORKED_OUT
