"""Checks of dynamics: states stay in bounds and do not move apart, and all laws agree."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from rogue_bandits.conformance.finding import Check, Fault
from rogue_bandits.model.dynamics.clipped_affine import first_line, state_on_line
from rogue_bandits.model.dynamics.enclosure import AffineForm, initialise_form, move_form, new_form
from rogue_bandits.model.dynamics.probe import expanding, law_of, leaving, next_from, plain, signals_of
from rogue_bandits.model.dynamics.projected import Vectorial
from rogue_bandits.model.probe import evaluate, has_law
from rogue_bandits.model.rewards.weighted import projected_arm
from rogue_bandits.types import Arm, Floats, next_line, next_state

STEPS = 5
BOXES = 12


def leaves_its_bounds(arm: Arm) -> Iterator[Fault]:
    """Check that states stay in their bounds."""
    for words in leaving(arm.dynamics, signals_of(arm.dynamics)):
        yield Fault(law_of(arm.dynamics), "states stay in a compact set", words)


def expands(arm: Arm) -> Iterator[Fault]:
    """Check that two states do not move apart."""
    assumption = "Assumption 5, the dynamics have a Lipschitz constant of at most 1"
    for words in expanding(arm.dynamics, signals_of(arm.dynamics)):
        yield Fault(law_of(arm.dynamics), assumption, words)


def lines_disagree(arm: Arm) -> Iterator[Fault]:
    """Check that `next_line` agrees with repeated `next_state`."""
    d = arm.dynamics
    if not has_law(next_line, d):
        return
    for plays in product(signals_of(d), repeat=STEPS):
        line = first_line(d)
        for played in plays:
            line = next_line(d, line, played)
        for x0 in map(float, np.linspace(d.lo, d.hi, 5)):
            x = x0
            for played in plays:
                x = evaluate(next_state, d, x, played)
            if abs(state_on_line(line, x0) - x) > 1e-9 * (1.0 + abs(x)):
                words = (
                    f"after plays {plays} from x0 {x0:g} it is at {state_on_line(line, x0):g}, by next_state at {x:g}"
                )
                yield Fault("next_line", "a line is the state as a function of x0", words)


def enclosures_leak(arm: Arm) -> Iterator[Fault]:
    """Check that the enclosure by `next_box`, `widen` or `slopes` holds the trajectory of every x0 of its box."""
    d = projected_arm(arm).dynamics
    if has_law(next_line, arm.dynamics):
        return
    rng, lo, hi = np.random.default_rng(0), np.atleast_1d(arm.dynamics.lo), np.atleast_1d(arm.dynamics.hi)
    for box in range(BOXES):
        ends = np.sort(rng.uniform(lo, hi, (2, lo.size)), axis=0) if box else np.stack([lo, hi])
        plays = [signals_of(arm.dynamics)[int(u < 0.5)] for u in rng.random(STEPS)]
        form = new_form(lo.size)
        initialise_form(form, ends[0], ends[1])
        starts = [rng.uniform(ends[0], ends[1]) for _ in range(8)]
        x = starts
        for played in plays:
            move_form(d, form, played)
            x = [next_from(arm.dynamics, state, played) for state in x]
        for x0, state in zip(starts, x, strict=True):
            law = "next_box and widen" if isinstance(arm.dynamics, Vectorial) else "slopes"
            yield from _outside(law, form, x0, state, plays)


def _outside(law: str, form: AffineForm, x0: Floats, x: Floats, plays: list[float]) -> Iterator[Fault]:
    """Report a state outside of the enclosure, and the law that is too narrow."""
    slack = 1e-9 * (1.0 + np.abs(x))
    along = form.x + form.slope @ (x0 - form.middle)
    words = f"after plays {plays} from x0 {plain(x0)} the state is {plain(x)}, "
    if (x < form.hull.lo - slack).any() or (x > form.hull.hi + slack).any():
        found = words + f"outside of the box from {plain(form.hull.lo)} to {plain(form.hull.hi)}"
        yield Fault(law, "an enclosure holds every state that its box leads to", found)
    if (np.abs(x - along) > form.margin + slack).any():
        found = words + f"more than {plain(form.margin)} from {plain(along)}"
        yield Fault(law, "an enclosure holds every state that its box leads to", found)


CHECKS: tuple[Check, ...] = (leaves_its_bounds, expands, lines_disagree, enclosures_leak)
