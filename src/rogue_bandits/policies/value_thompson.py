"""Thompson sampling where each arm has a value of its own at the draw, and the largest wins.

The probability of an arm is that its value is the largest, under the independent posteriors of the arms. It is worked
out when it is asked for, by quadrature to about 1e-6 (`winning`): the law of the choice over all uniforms. The choice
itself is made by a draw, whether the probability is asked for or not.
"""

from __future__ import annotations

import numpy as np

from rogue_bandits.belief.posterior import drawn_state
from rogue_bandits.policies.rogue import PosteriorState, Rogue, belief_in
from rogue_bandits.policies.ties import best_of
from rogue_bandits.policies.value_law import arm_value, has_kinks_now
from rogue_bandits.policies.value_sweep import fill_winning_by_sweeps
from rogue_bandits.policies.winning import fill_winning
from rogue_bandits.types import NOT_ASKED, Floats, Request, choose, probabilities


class ValueThompson(Rogue):
    """The kind: states that register `arm_value` and `value_kinks`, of policies with two uniforms for each arm and
    one more.

    Their `shared` has a field `belief: Shared`, and their `personal` is a `PosteriorEvidence`.
    """


@choose.register(ValueThompson)
def choose_largest_value(state: PosteriorState, person: int, request: Request) -> tuple[int, float]:
    """Return the arm with the largest value at a draw, ties broken by the last uniform."""
    u, value, belief = request.uniforms, np.full(request.available.size, -np.inf), belief_in(state)
    for k in range(value.size):
        if request.available[k]:
            theta, x = drawn_state(belief, person, k, u[2 * k], u[2 * k + 1])
            value[k] = arm_value(state, person, k, theta, x)
    return best_of(value, request.available, u[2 * value.size])[0], NOT_ASKED


@probabilities.register(ValueThompson)
def value_thompson_probabilities(state: PosteriorState, person: int, request: Request, out: Floats) -> None:
    """Write the probabilities: by sweeps where values have kinks and a state is uncertain, else by panels."""
    rough = False
    for k in range(request.available.size):
        rough |= request.available[k] and has_kinks_now(state, person, k)
    if rough:
        fill_winning_by_sweeps(state, person, request.available, out)
    else:
        fill_winning(state, person, request.available, out)


def smooth_value_probabilities(state: PosteriorState, person: int, request: Request, out: Floats) -> None:
    """Write the probabilities by panels, for values without kinks: sweeps are then not compiled."""
    fill_winning(state, person, request.available, out)
