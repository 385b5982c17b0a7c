"""Thompson sampling where each arm has a value of its own at the draw, and the largest wins.

The probability of an arm is that its value is the largest, under the independent posteriors of the arms. It is worked
out when it is asked for, by quadrature to about 1e-6 (`winning`), and is then the law of the choice over all
uniforms. While the range of a state is wide and the value has many kinks in it, quadrature would take too long: then
the shares of a lattice are the law of the choice given the lattice (`thompson`). Which of the two depends on the past
alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rogue_bandits.belief.posterior import drawn_state
from rogue_bandits.policies.rogue import Rogue, belief_in
from rogue_bandits.policies.thompson import fill_lattice
from rogue_bandits.policies.ties import best_of
from rogue_bandits.policies.value_law import arm_value, kinks_of_state
from rogue_bandits.policies.winning import fill_winning
from rogue_bandits.types import NOT_ASKED, Floats, Request, choose, probabilities

MOST_KINKS = 8.0  # of the value, between the least and the largest state now


class ValueThompson(Rogue):
    """The kind: states that register `arm_value` and `value_kinks`, of policies with two uniforms for each arm and
    one more.

    Their `shared` has a field `belief: Shared`, and their `personal` is a `PosteriorEvidence`.
    """


@choose.register(ValueThompson)
def choose_largest_value(state: Any, person: int, request: Request) -> tuple[int, float]:
    """The largest value at a draw, ties broken by the last uniform."""
    u, value, belief = request.uniforms, np.full(request.available.size, -np.inf), belief_in(state)
    for k in range(value.size):
        if request.available[k]:
            theta, x = drawn_state(belief, person, k, u[2 * k], u[2 * k + 1])
            value[k] = arm_value(state, person, k, theta, x)
    return best_of(value, request.available, u[2 * value.size])[0], NOT_ASKED


@probabilities.register(ValueThompson)
def value_thompson_probabilities(state: Any, person: int, request: Request, out: Floats) -> None:
    """By quadrature, or by a lattice where values have many kinks."""
    kinks = 0.0
    for k in range(request.available.size):
        if request.available[k]:
            kinks = max(kinks, kinks_of_state(state, person, k))
    if kinks <= MOST_KINKS:
        fill_winning(state, person, request.available, out)
    else:
        fill_lattice(state, person, request, out)
