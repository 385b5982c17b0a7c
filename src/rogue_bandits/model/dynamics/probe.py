"""Dynamics are tried out on many states: do they stay in their bounds, and do two never move apart?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from rogue_bandits.model.dynamics.clipped_affine import bounds_fault
from rogue_bandits.model.dynamics.projected import Vectorial, next_vector, shrinks, slopes
from rogue_bandits.model.probe import BrokenLawError, is_given, is_own
from rogue_bandits.model.validation import company_fault, dynamics_fault
from rogue_bandits.types import Arm, Floats, next_state, signal

STATES = 41  # of a number: evenly spaced
PLACES = 30  # of a vector: anywhere, each with a neighbour near and one far


@dynamics_fault.register(tuple)
def tried_dynamics_fault(d: Any, arm: Arm) -> str | None:
    """Of a type that says nothing itself: the first thing that goes wrong when its laws are tried."""
    name = type(d).__name__
    if isinstance(d, Vectorial) and not is_own(next_vector, d):
        return f"dynamics {name} must give the law `next_vector` of {next_vector.__module__}, as its states are vectors"
    if is_own(next_vector, d) and not isinstance(d, Vectorial):
        return f"dynamics {name} gives the law `next_vector`: as its states are vectors, say Vectorial.register({name})"
    if not is_given(next_state, d):
        return f"dynamics {d!r} must be dynamics, such as ClippedAffine, or give the law `next_state`"
    if not hasattr(d, "lo") or not hasattr(d, "hi"):
        return f"dynamics {name} must have fields lo and hi, the bounds of its state"
    if np.shape(d.lo) != np.shape(d.hi):
        return f"lo {d.lo} and hi {d.hi} must have equally many numbers"
    try:
        return bounds_fault(d) or steps_fault(d, signals_of(d))
    except BrokenLawError as broken:
        return str(broken)


@company_fault.register(tuple)
def tried_company_fault(d: Any, k: int, arms: int) -> str | None:
    """Dynamics with a `signal` of their own are tried with what each arm's play tells them, too."""
    try:
        return steps_fault(d, signals_of(d, k, arms)) if is_own(signal, d) else None
    except BrokenLawError as broken:
        return str(broken)


def steps_fault(d: Any, signals: Sequence[float]) -> str | None:
    """What is wrong with the steps that such signals lead to; None if nothing."""
    words = next(leaving(d, signals), None) or next(expanding(d, signals), None)
    words = words or shrinks_fault(d, signals) or slopes_fault(d, signals)
    return f"{law_of(d)}: {words}" if words else None


def slopes_fault(d: Any, signals: Sequence[float]) -> str | None:
    """Slopes that are no two numbers, or the wrong way round."""
    for told in [] if isinstance(d, Vectorial) else signals:
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


def signals_of(d: Any, k: int = 0, arms: int = 0) -> list[float]:
    """What the dynamics of arm k are told when nothing is played, when it is, and when each other one of so many is."""
    return [signal(d, k, arm) for arm in (-1, k, *(other for other in range(arms) if other != k))]


def leaving(d: Any, signals: Sequence[float]) -> Iterator[str]:
    """Steps that lead out of the bounds, in words."""
    lo, hi = np.atleast_1d(d.lo), np.atleast_1d(d.hi)
    slack = 1e-12 * (1.0 + np.abs(lo) + np.abs(hi))
    for (x, _), told in product(neighbours(lo, hi), signals):
        after = next_from(d, x, told)
        if (after < lo - slack).any() or (after > hi + slack).any():
            bounds = f"{plain(lo)} to {plain(hi)}"
            yield f"at x {plain(x)}, played {told:g} it is {plain(after)}, and the bounds are {bounds}"


def expanding(d: Any, signals: Sequence[float]) -> Iterator[str]:
    """Steps that take two states apart, in words."""
    for x, y, told, before, after in moved_pairs(d, signals):
        if after > before * (1.0 + 1e-9) + 1e-14:
            pair = f"{plain(x)} and {plain(y)}, which are {before:g} apart"
            yield f"with played {told:g} it takes {pair}, {after:g} apart, and must take them no farther"


def shrinks_fault(d: Any, signals: Sequence[float]) -> str | None:
    """A law `shrinks` that is no share, or that promises more than the steps keep."""
    try:
        share = float(shrinks(d))
    except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError, NameError) as error:
        return f"its shrinks must be a number from 0 to 1: {type(error).__name__}: {error}"
    if not 0.0 <= share <= 1.0:
        return f"its shrinks is {share:g}, and must be from 0 to 1"
    for x, y, told, before, after in moved_pairs(d, signals):
        if after > share * before * (1.0 + 1e-9) + 1e-14:
            pair = f"{plain(x)} and {plain(y)}, which are {before:g} apart"
            return f"with played {told:g} it takes {pair}, {after:g} apart: more than its shrinks of {share:g} allows"
    return None


def moved_pairs(d: Any, signals: Sequence[float]) -> Iterator[tuple[Floats, Floats, float, float, float]]:
    """Pairs of states, what the dynamics are told, and their distance before and after."""
    for (x, y), told in product(neighbours(np.atleast_1d(d.lo), np.atleast_1d(d.hi)), signals):
        after = float(np.linalg.norm(next_from(d, x, told) - next_from(d, y, told)))
        yield x, y, told, float(np.linalg.norm(x - y)), after


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
