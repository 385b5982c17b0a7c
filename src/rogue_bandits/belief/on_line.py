"""What beliefs share whose states are clipped lines in x0: the line of each arm, and its steps."""

from __future__ import annotations

from abc import ABC
from typing import TYPE_CHECKING

from rogue_bandits.belief.contract import advance, state_at, ticket
from rogue_bandits.belief.evidence import line_now
from rogue_bandits.model.dynamics.clipped_affine import state_on_line
from rogue_bandits.model.problem import arm_of
from rogue_bandits.types import Floats, Ticket, next_line

if TYPE_CHECKING:
    from rogue_bandits.belief.lines import LineBelief
    from rogue_bandits.belief.posterior import PosteriorBelief


class OnLine(ABC):
    """The kind: beliefs whose `personal` has the state of every arm as a line in x0."""


@ticket.register(OnLine)
def line_ticket(b: LineBelief | PosteriorBelief, person: int, k: int) -> Ticket:
    """Return the line of the state now."""
    row = b.personal.line[person, k]
    return Ticket(row[0], row[1], row[2], row[3])


@advance.register(OnLine)
def line_advance(b: LineBelief | PosteriorBelief, person: int, k: int, signal_t: float) -> None:
    """Advance the line by one decision: a step of a clipped line is a clipped line."""
    d, row = arm_of(b.shared.table, person, k).dynamics, b.personal.line[person, k]
    line = next_line(d, line_now(b.personal, person, k), signal_t)
    row[0], row[1], row[2], row[3] = line.slope, line.offset, line.lo, line.hi


@state_at.register(OnLine)
def line_state_at(b: LineBelief | PosteriorBelief, person: int, k: int, x0: Floats) -> float:
    """Return the state now, on its line."""
    return state_on_line(line_now(b.personal, person, k), x0[0])
