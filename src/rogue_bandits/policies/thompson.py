"""Thompson sampling: one draw from the posterior at each decision, and the arm that is best for the draw.

Where the best arm depends on the draws of all arms together, its probability is worked out, when it is asked for,
from `DRAWS` draws: the points u + i·z/DRAWS (mod 1) of a lattice through the uniforms u that made the choice. Each of
these points was equally likely to be u, so that the share of them that choose an arm is the probability of that arm
given the lattice, exactly, and weighting by its inverse is unbiased. It differs from the probability over all u by
the error of the lattice rule, about 1/√DRAWS at most.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rogue_bandits.compile.laws import law
from rogue_bandits.policies.rogue import PosteriorState, Rogue
from rogue_bandits.policies.ties import choose_apart
from rogue_bandits.types import NOT_ASKED, Floats, Request, choose, probabilities

DRAWS = 509  # a prime
GENERATOR = 219  # of a Korobov lattice: z = (1, 219, 219², …) mod 509


class Thompson(Rogue):
    """The kind: states whose `shared` has a field `belief: Shared`, and whose `personal` is a `PosteriorEvidence`."""


@law
def arm_at_draw(state: Any, person: int, request: Request) -> int:
    """Return the best arm for the draw that the uniforms of the request make."""


@choose.register(Thompson)
def thompson_choose(state: PosteriorState, person: int, request: Request) -> tuple[int, float]:
    """Return the best arm for a draw from the posterior."""
    return arm_at_draw(state, person, request), NOT_ASKED


@probabilities.register(Thompson)
def thompson_probabilities(state: PosteriorState, person: int, request: Request, out: Floats) -> None:
    """Write the share of the points of a lattice through the uniforms at which each arm is chosen."""
    out[:] = 0.0
    u = np.empty(request.uniforms.size)
    for i in range(DRAWS):
        z = i
        for j in range(u.size):
            u[j] = (request.uniforms[j] + z / DRAWS) % 1.0
            z = z * GENERATOR % DRAWS
        arm, _ = choose_apart(state, person, Request(request.number, request.available, u))
        out[arm] += 1.0
    out /= DRAWS  # at the end: sums of 1/DRAWS need not add up to 1
