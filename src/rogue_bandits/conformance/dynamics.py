"""The dynamics: do states stay in their bounds, and two of them never move apart?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np

from rogue_bandits.conformance.finding import Fault
from rogue_bandits.model.dynamics import first_line, state_at
from rogue_bandits.model.probe import ask, is_given
from rogue_bandits.types import Arm, next_line, next_state, signal

STATES = 41
STEPS = 5


def signals_of(d: Any) -> list[float]:
    """What the dynamics are told when nothing is played, and when the first arm is."""
    return [signal(d, 0, -1), signal(d, 0, 0)]


def leaves_its_bounds(arm: Arm) -> Iterator[Fault]:
    """A state of the box is followed by one of the box."""
    d = arm.dynamics
    slack = 1e-12 * (1.0 + abs(d.lo) + abs(d.hi))
    for x, played in product(np.linspace(d.lo, d.hi, STATES), signals_of(d)):
        after = ask(next_state, d, float(x), played)
        if not d.lo - slack <= after <= d.hi + slack:
            words = f"at x {x:g}, played {played:g} it is {after:g}, and the bounds are {d.lo:g} to {d.hi:g}"
            yield Fault("next_state", "states stay in a compact set", words)


def expands(arm: Arm) -> Iterator[Fault]:
    """Two states come no farther apart."""
    d = arm.dynamics
    for played in signals_of(d):
        for x, y in pairwise(map(float, np.linspace(d.lo, d.hi, STATES))):
            apart = abs(ask(next_state, d, y, played) - ask(next_state, d, x, played))
            if apart > (y - x) * (1.0 + 1e-9) + 1e-14:
                words = f"with played {played:g} it takes {x:g} and {y:g}, which are {y - x:g} apart, {apart:g} apart"
                yield Fault("next_state", "Assumption 5, the dynamics have a Lipschitz constant of at most 1", words)


def lines_disagree(arm: Arm) -> Iterator[Fault]:
    """A line says of every x0 what the steps say one by one."""
    d = arm.dynamics
    if not is_given(next_line, d):
        return
    for plays in product(signals_of(d), repeat=STEPS):
        line = first_line(d)
        for played in plays:
            line = next_line(d, line, played)
        for x0 in map(float, np.linspace(d.lo, d.hi, 5)):
            x = x0
            for played in plays:
                x = ask(next_state, d, x, played)
            if abs(state_at(line, x0) - x) > 1e-9 * (1.0 + abs(x)):
                words = f"after plays {plays} from x0 {x0:g} it is at {state_at(line, x0):g}, by next_state at {x:g}"
                yield Fault("next_line", "a line is the state as a function of x0", words)
