"""What the beliefs about unknown curves share: a known state, and rewards summed by their place on the curve."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from rogue_bandits.belief.contract import (
    add_reward,
    advance,
    has_place,
    rewards_count,
    ticket,
)
from rogue_bandits.compile.laws import inlined, law
from rogue_bandits.model.dynamics.curves import place_on_curve
from rogue_bandits.model.problem import arm_of
from rogue_bandits.model.rewards.exponential import sufficient
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.types import Floats, Ticket, next_state

if TYPE_CHECKING:
    from rogue_bandits.belief.curves import CurveBelief
    from rogue_bandits.belief.steps import StepsBelief


class OnCurve(ABC):
    """The kind: beliefs whose `personal` has the known state, and rewards summed by their place on the curve."""


def for_everybody(rows: ArrayLike, people: int) -> Floats:
    """Return a row for each person; a single row is that of all."""
    each: Floats = np.array(rows, dtype=np.float64)
    return np.repeat(each, people if len(each) == 1 else 1, axis=0)


@inlined
def place_now(b: CurveBelief | StepsBelief, person: int, k: int) -> int:
    """Return the place of arm k on its curve."""
    return place_on_curve(arm_of(b.shared.table, person, k).dynamics, b.personal.state[person, k])


@law
def has_constant_curvature(f: Any) -> bool:
    """Return whether the log-likelihood is quadratic in theta, so that one step of Newton's method is exact."""


has_constant_curvature.register(tuple)(lambda f: False)
has_constant_curvature.register(Gaussian)(lambda f: True)


@ticket.register(OnCurve)
def curve_ticket(b: CurveBelief | StepsBelief, person: int, k: int) -> Ticket:
    """Return the state now."""
    return Ticket(b.personal.state[person, k], 0.0, 0.0, 0.0)


@advance.register(OnCurve)
def curve_advance(b: CurveBelief | StepsBelief, person: int, k: int, signal_t: float) -> None:
    """Advance the state, which is a known count."""
    d = arm_of(b.shared.table, person, k).dynamics
    b.personal.state[person, k] = next_state(d, b.personal.state[person, k], signal_t)


@add_reward.register(OnCurve)
@inlined
def curve_add_reward(b: CurveBelief | StepsBelief, person: int, k: int, token: Ticket, r: float) -> bool:
    """Add a reward at the place of the ticket's state."""
    arm = arm_of(b.shared.table, person, k)
    i = place_on_curve(arm.dynamics, token.a)
    b.personal.seen[person, k, i] += 1.0
    b.personal.total[person, k, i] += sufficient(arm.rewards, r)
    return False


@rewards_count.register(OnCurve)
def curve_rewards_count(b: CurveBelief | StepsBelief, person: int, k: int) -> float:
    """Return the number of rewards at all places of the curve."""
    return float(b.personal.seen[person, k].sum())


has_place.register(OnCurve)(lambda b, person: True)  # the size is constant
