"""Trial runs of dynamics on many states: whether they stay in their bounds, and whether two of them move apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from rogue_bandits.model.dynamics.clipped_affine import bounds_fault
from rogue_bandits.model.dynamics.projected import Vectorial, lipschitz_state, next_vector, slopes
from rogue_bandits.model.probe import LAW_ERRORS, BrokenLawError, has_law, overrides_law
from rogue_bandits.model.protocols import Dynamics
from rogue_bandits.model.validation import coupling_fault, dynamics_fault
from rogue_bandits.types import Arm, Floats, next_state, signal

STATES = 41  # of a number, evenly spaced
PLACES = 30  # of a vector, at random


@dynamics_fault.register(tuple)
def tried_dynamics_fault(d: Dynamics, arm: Arm) -> str | None:
    """Return the first fault found by evaluating the laws of a type without a check of its own."""
    name = type(d).__name__
    if isinstance(d, Vectorial) and not overrides_law(next_vector, d):
        return f"dynamics {name} must give the law `next_vector` of rogue_bandits.model, as its states are vectors"
    if overrides_law(next_vector, d) and not isinstance(d, Vectorial):
        return f"dynamics {name} gives the law `next_vector`: as its states are vectors, say Vectorial.register({name})"
    if not has_law(next_state, d):
        return f"dynamics {d!r} must be dynamics, such as ClippedAffine, or give the law `next_state`"
    if not hasattr(d, "lo") or not hasattr(d, "hi"):
        return f"dynamics {name} must have fields lo and hi, the bounds of its state"
    if np.shape(d.lo) != np.shape(d.hi):
        return f"lo {d.lo} and hi {d.hi} must have equally many numbers"
    try:
        return bounds_fault(d) or _steps_fault(d, signals_of(d))
    except BrokenLawError as broken:
        return str(broken)


@coupling_fault.register(tuple)
def tried_coupling_fault(d: Dynamics, k: int, arms: int) -> str | None:
    """Return the first fault of dynamics with their own law `signal`, under the signal of each arm's play."""
    try:
        return _steps_fault(d, signals_of(d, k, arms)) if overrides_law(signal, d) else None
    except BrokenLawError as broken:
        return str(broken)


def _steps_fault(d: Dynamics, signals: Sequence[float]) -> str | None:
    """Return what is wrong with the steps under these signals; None if nothing."""
    found = next(leaving(d, signals), None) or next(expanding(d, signals), None)
    found = found or _lipschitz_fault(d, signals) or _slopes_fault(d, signals)
    return f"{law_of(d)}: {found}" if found else None


def _slopes_fault(d: Any, signals: Sequence[float]) -> str | None:
    """Return how `slopes` fails to be two numbers in order; None if it does not."""
    for played in [] if isinstance(d, Vectorial) else signals:
        call = f"its slopes({d.lo:g}, {d.hi:g}, {played:g})"
        try:
            least, most = (float(slope) for slope in slopes(d, d.lo, d.hi, played))
        except LAW_ERRORS as error:
            raise BrokenLawError("slopes", f"{call} must be two numbers: {type(error).__name__}: {error}") from None
        if not least <= most:
            return f"{call} are {least:g} and {most:g}: the least first, then the largest"
    return None


def law_of(d: Dynamics) -> str:
    """Return the name of the law that advances a state."""
    return "next_vector" if isinstance(d, Vectorial) else "next_state"


def signals_of(d: Dynamics, k: int = 0, arms: int = 0) -> list[float]:
    """Return `played_t` of arm k when no arm is played, when arm k is, and when each other one of `arms` is."""
    return [signal(d, k, arm) for arm in (-1, k, *(other for other in range(arms) if other != k))]


def leaving(d: Dynamics, signals: Sequence[float]) -> Iterator[str]:
    """Describe steps that lead out of the bounds."""
    lo, hi = np.atleast_1d(d.lo), np.atleast_1d(d.hi)
    slack = 1e-12 * (1.0 + np.abs(lo) + np.abs(hi))
    for (x, _), played in product(_pairs(lo, hi), signals):
        after = next_from(d, x, played)
        if (after < lo - slack).any() or (after > hi + slack).any():
            bounds = f"{plain(lo)} to {plain(hi)}"
            yield f"at x {plain(x)}, played {played:g} it is {plain(after)}, and the bounds are {bounds}"


def expanding(d: Dynamics, signals: Sequence[float]) -> Iterator[str]:
    """Describe steps after which two states are farther apart than before."""
    for moved in _moved_apart(d, signals, 1.0):
        yield f"{moved}, and must take them no farther"


def _lipschitz_fault(d: Dynamics, signals: Sequence[float]) -> str | None:
    """Return how the law `lipschitz_state` is not a number from 0 to 1, or smaller than what steps do."""
    try:
        bound = float(lipschitz_state(d))
    except LAW_ERRORS as error:
        return f"its lipschitz_state must be a number from 0 to 1: {type(error).__name__}: {error}"
    if not 0.0 <= bound <= 1.0:
        return f"its lipschitz_state is {bound:g}, and must be from 0 to 1"
    moved = next(_moved_apart(d, signals, bound), None)
    return f"{moved}: more than its lipschitz_state of {bound:g} allows" if moved else None


def _moved_apart(d: Dynamics, signals: Sequence[float], lipschitz: float) -> Iterator[str]:
    """Describe pairs of states whose distance after a step exceeds `lipschitz` times that before."""
    for (x, y), played in product(_pairs(np.atleast_1d(d.lo), np.atleast_1d(d.hi)), signals):
        before = float(np.linalg.norm(x - y))
        after = float(np.linalg.norm(next_from(d, x, played) - next_from(d, y, played)))
        if after > lipschitz * before * (1.0 + 1e-9) + 1e-14:
            pair = f"{plain(x)} and {plain(y)}, which are {before:g} apart"
            yield f"with played {played:g} it takes {pair}, {after:g} apart"


def _pairs(lo: Floats, hi: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Yield pairs of states: each number with the next one; of vectors the ends, and pairs at various distances."""
    if lo.size == 1:
        states = np.linspace(lo, hi, STATES)
        yield from zip(states, np.roll(states, -1, axis=0), strict=True)
        return
    rng = np.random.default_rng(0)
    yield lo, hi
    for place in range(PLACES):
        x, y = rng.uniform(lo, hi), rng.uniform(lo, hi)
        yield x, x + (y - x) * 10.0 ** -(place % 4)


def next_from(d: Dynamics, x: Floats, played: float) -> Floats:
    """Return the next state as a vector, of a number or a vector; raise BrokenLawError where it is not finite."""
    call = f"{law_of(d)}({plain(x)}, {played:g})"
    now: Any = x if isinstance(d, Vectorial) else float(x[0])
    try:
        answer = next_state(d, now, played)
        if answer is None:
            raise TypeError("it returns nothing")
        after: Floats = np.atleast_1d(np.asarray(answer, dtype=np.float64))
    except LAW_ERRORS as error:
        raise BrokenLawError(law_of(d), f"{call} raises {type(error).__name__}: {error}") from None
    if after.shape != x.shape or not np.isfinite(after).all():
        raise BrokenLawError(law_of(d), f"{call} is {plain(after)}, and must be a finite state")
    return after


def plain(x: Floats) -> str:
    """Format a number, or a vector."""
    return f"{x[0]:g}" if x.size == 1 else f"({', '.join(f'{value:g}' for value in x)})"
