"""Dynamics are tried out on many states: do they stay in their bounds, and do two never move apart?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from rogue_bandits.model.check import dynamics_fault
from rogue_bandits.model.probe import BrokenLawError, is_given, is_own
from rogue_bandits.model.watched import Vectorial, advance, slopes
from rogue_bandits.types import Arm, Floats, next_state, signal

STATES = 41  # of a number: evenly spaced
PLACES = 30  # of a vector: anywhere, each with a neighbour near and one far


@dynamics_fault.register(tuple)
def tried_dynamics_fault(d: Any, arm: Arm) -> str | None:
    """Of a type that says nothing itself: the first thing that goes wrong when its laws are tried."""
    name = type(d).__name__
    if isinstance(d, Vectorial) and not is_own(advance, d):
        return f"dynamics {name} must give the law `advance` of rogue_bandits.model.watched, as its states are vectors"
    if is_own(advance, d) and not isinstance(d, Vectorial):
        return f"dynamics {name} gives the law `advance`: as its states are vectors, say Vectorial.register({name})"
    if not is_given(next_state, d):
        return f"dynamics {d!r} must be dynamics, such as ClippedAffine, or give the law `next_state`"
    if not hasattr(d, "lo") or not hasattr(d, "hi"):
        return f"dynamics {name} must have fields lo and hi, the bounds of its state"
    if np.shape(d.lo) != np.shape(d.hi) or np.greater(d.lo, d.hi).any():
        return f"lo {d.lo} must not be above hi {d.hi}"
    try:
        words = next(leaving(d), None) or next(expanding(d), None) or slopes_fault(d)
    except BrokenLawError as broken:
        return str(broken)
    return f"{law_of(d)}: {words}" if words else None


def slopes_fault(d: Any) -> str | None:
    """Slopes that are no two numbers, or the wrong way round."""
    for told in [] if isinstance(d, Vectorial) else signals_of(d):
        words = f"its slopes({d.lo:g}, {d.hi:g}, {told:g})"
        try:
            least, most = (float(slope) for slope in slopes(d, d.lo, d.hi, told))
        except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError, NameError) as error:
            raise BrokenLawError("slopes", f"{words} must be two numbers: {type(error).__name__}: {error}") from None
        if not least <= most:
            return f"{words} are {least:g} and {most:g}: the least first, then the largest"
    return None


def law_of(d: Any) -> str:
    """The law that says where a state goes."""
    return "advance" if isinstance(d, Vectorial) else "next_state"


def signals_of(d: Any) -> list[float]:
    """What the dynamics are told when nothing is played, and when the first arm is."""
    return [signal(d, 0, -1), signal(d, 0, 0)]


def leaving(d: Any) -> Iterator[str]:
    """Steps that lead out of the bounds, in words."""
    lo, hi = np.atleast_1d(d.lo), np.atleast_1d(d.hi)
    slack = 1e-12 * (1.0 + np.abs(lo) + np.abs(hi))
    for (x, _), told in product(neighbours(lo, hi), signals_of(d)):
        after = next_from(d, x, told)
        if (after < lo - slack).any() or (after > hi + slack).any():
            bounds = f"{plain(lo)} to {plain(hi)}"
            yield f"at x {plain(x)}, played {told:g} it is {plain(after)}, and the bounds are {bounds}"


def expanding(d: Any) -> Iterator[str]:
    """Steps that take two states apart, in words."""
    for (x, y), told in product(neighbours(np.atleast_1d(d.lo), np.atleast_1d(d.hi)), signals_of(d)):
        before = float(np.linalg.norm(x - y))
        apart = float(np.linalg.norm(next_from(d, x, told) - next_from(d, y, told)))
        if apart > before * (1.0 + 1e-9) + 1e-14:
            pair = f"{plain(x)} and {plain(y)}, which are {before:g} apart"
            yield f"with played {told:g} it takes {pair}, {apart:g} apart, and must take them no farther"


def neighbours(lo: Floats, hi: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Pairs of states: each number with the next one; of vectors the ends, and pairs of any distance."""
    if lo.size == 1:
        states = np.linspace(lo, hi, STATES)
        yield from zip(states, np.roll(states, -1, axis=0), strict=True)
        return
    rng = np.random.default_rng(0)
    yield lo, hi
    for place in range(PLACES):
        x, y = rng.uniform(lo, hi), rng.uniform(lo, hi)
        yield x, x + (y - x) * 10.0 ** -(place % 4)


def next_from(d: Any, x: Floats, told: float) -> Floats:
    """The next state of a number or a vector, as a vector; what is no number is told with the values that led to it."""
    words = f"{law_of(d)}({plain(x)}, {told:g})"
    now: Any = x if isinstance(d, Vectorial) else float(x[0])
    try:
        answer = next_state(d, now, told)
        if answer is None:
            raise TypeError("it returns nothing")
        after: Floats = np.atleast_1d(np.asarray(answer, dtype=np.float64))
    except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError, NameError) as error:
        raise BrokenLawError(law_of(d), f"{words} raises {type(error).__name__}: {error}") from None
    if after.shape != x.shape or not np.isfinite(after).all():
        raise BrokenLawError(law_of(d), f"{words} is {plain(after)}, and must be a finite state")
    return after


def plain(x: Floats) -> str:
    """A number, or a vector, in words."""
    return f"{x[0]:g}" if x.size == 1 else f"({', '.join(f'{value:g}' for value in x)})"
