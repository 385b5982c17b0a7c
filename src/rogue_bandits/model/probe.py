"""Laws that were written elsewhere are tried out before they are used: what is no number is refused by name."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rogue_bandits.model.constants import corners
from rogue_bandits.model.validation import checked_reward
from rogue_bandits.types import Arm, Bools, Floats, Ints, draw, information, kl_and_slopes, loglik, mean, support


class BrokenLawError(ValueError):
    """A law gave something that is no number, or no reward."""

    def __init__(self, law: str, found: str) -> None:
        super().__init__(found)
        self.law, self.found = law, found


def ask(law: Any, f: Any, *arguments: float) -> Any:
    """What a law says; nan, inf, and an error of its own are told with the values that led to them."""
    words = f"{law.__name__}({', '.join(f'{a:g}' for a in arguments)})"
    try:
        answer = law(f, *arguments)
        numbers = [float(part) for part in (answer if isinstance(answer, tuple) else (answer,))]
    except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError, NameError) as error:
        raise BrokenLawError(law.__name__, f"{words} raises {type(error).__name__}: {error}") from None
    if not all(math.isfinite(number) for number in numbers):
        raise BrokenLawError(law.__name__, f"{words} is {', '.join(f'{number:g}' for number in numbers)}")
    return answer


def is_given(law: Any, thing: Any) -> bool:
    """Is there such a law for the type of this thing?"""
    return bool(law.dispatch(type(thing)) is not law.dispatch(object))


def is_own(law: Any, thing: Any) -> bool:
    """Does the type of this thing give the law itself, rather than leave it to its kind?"""
    return any(kind in law.registry for kind in type(thing).__mro__ if kind not in (tuple, object))


def support_fault(f: Any) -> str | None:
    """A support that is no range of rewards, in words."""
    try:
        lo, hi, _ = support(f)
        return None if lo < hi else f"support: its lowest reward {lo:g} must be below its highest {hi:g}"
    except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError, NameError) as error:
        parts = "the lowest reward, the highest, and whether they are whole"
        return f"support: must be {parts}: {type(error).__name__}: {error}"


def probed_fault(f: Any, arm: Arm) -> str | None:
    """The first law that breaks at a corner of the box or in its middle; None if none does."""
    if (wrong := support_fault(f)) is not None:
        return wrong
    d = arm.dynamics
    middle = 0.5 * (arm.theta_lo + arm.theta_hi), 0.5 * (d.lo + d.hi)
    try:
        likely = ask(draw, f, *middle, 0.5)
        for point in (middle, *corners(arm)):
            for u in (0.1, 0.9):
                checked_reward(arm, ask(draw, f, *point, u), f"draw({point[0]:g}, {point[1]:g}, {u:g})")
            ask(loglik, f, *point, likely)
            ask(mean, f, *point)
            ask(information, f, *point)
            ask(kl_and_slopes, f, *point, *middle)
    except ValueError as broken:  # a BrokenLawError is one
        return str(broken)
    return None


def first_no_reward(arms: Sequence[Arm], arm: Ints, reward: Floats) -> int | None:
    """The first decision whose reward is none of the arm that was played then; None if all are.

    >>> from rogue_bandits import BernoulliLogit, ClippedAffine
    >>> logit = Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), BernoulliLogit(0.4, 0.6))
    >>> first_no_reward([logit], np.zeros(3, dtype=np.int16), np.array([1.0, 0.0, 0.5]))
    2
    """
    lo, hi, whole = (np.array(part) for part in zip(*(support(each.rewards) for each in arms), strict=True))
    if are_rewards(reward, lo.max(), hi.min(), whole.any()).all():  # as a rule, and it is cheap
        return None
    sound = are_rewards(reward, lo[arm], hi[arm], whole[arm])
    return None if sound.all() else int(sound.argmin())


def are_rewards(r: Floats, lo: Any, hi: Any, whole: Any) -> Bools:
    """Which of these numbers are finite, from lo to hi, and whole where they must be?"""
    inside = np.isfinite(r) & (lo <= r) & (r <= hi)
    return inside & (~whole | (np.floor(r) == r)) if np.any(whole) else inside
