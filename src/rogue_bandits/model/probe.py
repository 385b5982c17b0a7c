"""Trial evaluations of laws of user code before they are used, and of rewards that were drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rogue_bandits.model.constants import corners
from rogue_bandits.model.protocols import Model
from rogue_bandits.model.validation import checked_reward
from rogue_bandits.types import Arm, Bools, Floats, Ints, draw, information, kl_and_slopes, loglik, mean, support

LAW_ERRORS = (ArithmeticError, ValueError, TypeError, LookupError, AttributeError, NameError)


class BrokenLawError(ValueError):
    """A law returned something that is not a number, or not a reward."""

    def __init__(self, law: str, found: str) -> None:
        super().__init__(found)
        self.law, self.found = law, found


def evaluate(law: Any, f: Model, *arguments: float) -> Any:
    """Return law(f, *arguments); raise BrokenLawError with the arguments where it is not finite, or raises."""
    call = f"{law.__name__}({', '.join(f'{a:g}' for a in arguments)})"
    try:
        answer = law(f, *arguments)
        numbers = [float(part) for part in (answer if isinstance(answer, tuple) else (answer,))]
    except LAW_ERRORS as error:
        raise BrokenLawError(law.__name__, f"{call} raises {type(error).__name__}: {error}") from None
    if not all(math.isfinite(number) for number in numbers):
        raise BrokenLawError(law.__name__, f"{call} is {', '.join(f'{number:g}' for number in numbers)}")
    return answer


def has_law(law: Any, model: Model) -> bool:
    """Return whether a law is registered for the type of a model, or for its kind."""
    return bool(law.dispatch(type(model)) is not law.dispatch(object))


def overrides_law(law: Any, model: Model) -> bool:
    """Return whether a law is registered for the type of a model itself, not only for its kind."""
    return any(kind in law.registry for kind in type(model).__mro__ if kind not in (tuple, object))


def support_fault(f: Model) -> str | None:
    """Return what is wrong with a support; None if nothing."""
    try:
        lo, hi, _ = support(f)
        return None if lo < hi else f"support: its lowest reward {lo:g} must be below its highest {hi:g}"
    except LAW_ERRORS as error:
        parts = "the lowest reward, the highest, and whether they are whole"
        return f"support: must be {parts}: {type(error).__name__}: {error}"


def probed_fault(f: Model, arm: Arm) -> str | None:
    """Return the first law that fails at a corner of the box or in its middle; None if none does."""
    if (wrong := support_fault(f)) is not None:
        return wrong
    d = arm.dynamics
    middle = 0.5 * (arm.theta_lo + arm.theta_hi), 0.5 * (d.lo + d.hi)
    try:
        likely = evaluate(draw, f, *middle, 0.5)
        for point in (middle, *corners(arm)):
            for u in (0.1, 0.9):
                checked_reward(arm, evaluate(draw, f, *point, u), f"draw({point[0]:g}, {point[1]:g}, {u:g})")
            evaluate(loglik, f, *point, likely)
            evaluate(mean, f, *point)
            evaluate(information, f, *point)
            evaluate(kl_and_slopes, f, *point, *middle)
    except ValueError as broken:  # a BrokenLawError is one
        return str(broken)
    return None


def first_no_reward(arms: Sequence[Arm], arm: Ints, reward: Floats) -> int | None:
    """Return the first decision whose reward is outside of the support of the arm played; None if there is none.

    >>> from rogue_bandits import BernoulliLogit, ClippedAffine
    >>> logit = Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), BernoulliLogit(0.4, 0.6))
    >>> first_no_reward([logit], np.zeros(3, dtype=np.int16), np.array([1.0, 0.0, 0.5]))
    2
    """
    if are_rewards_of_any(arms, reward):
        return None
    sound = are_rewards(arms, arm, reward)
    return None if sound.all() else int(sound.argmin())


def are_rewards_of_any(arms: Sequence[Arm], reward: Floats) -> bool:
    """Return whether every arm can give all of these rewards: most often so, and quickly found.

    >>> from rogue_bandits import BernoulliLogit, ClippedAffine
    >>> logit = Arm(ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), BernoulliLogit(0.4, 0.6))
    >>> are_rewards_of_any([logit], np.array([[1.0, 0.0], [0.0, 1.0]]))
    True
    """
    lo, hi, whole = _supports(arms)
    return bool(_are_rewards(reward, lo.max(), hi.min(), whole.any()).all())


def are_rewards(arms: Sequence[Arm], arm: Ints, reward: Floats) -> Bools:
    """Return which rewards the arm played can give."""
    lo, hi, whole = _supports(arms)
    return _are_rewards(reward, lo[arm], hi[arm], whole[arm])


def _supports(arms: Sequence[Arm]) -> tuple[Any, ...]:
    """Return the least and the largest reward of each arm, and whether they are whole."""
    return tuple(np.array(part) for part in zip(*(support(each.rewards) for each in arms), strict=True))


def _are_rewards(r: Floats, lo: Any, hi: Any, whole: Any) -> Bools:
    """Return which numbers are finite, from lo to hi, and whole where they must be."""
    inside: Bools = np.isfinite(r) & (lo <= r) & (r <= hi)
    return inside & (~whole | (np.floor(r) == r)) if np.any(whole) else inside
