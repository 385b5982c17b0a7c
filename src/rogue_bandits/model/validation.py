"""Validation of models: errors name the thing, the value and what is allowed."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from functools import singledispatch
from typing import Any

from rogue_bandits.model.numbers import is_list, number, number_or_vector, vector, with_floats
from rogue_bandits.model.protocols import Model
from rogue_bandits.model.shapes import named_bounds, shape_fault, size_fault, takes_vectors, theta_fault
from rogue_bandits.types import Arm, Truth, support

ABOVE_0, BELOW_1 = sys.float_info.min, 1.0 - 2.0**-53  # the ends of a support that excludes 0, or 1
MOST_ARMS = 2**15 - 1  # decisions store arm numbers as int16


@singledispatch
def dynamics_fault(d: Any, arm: Arm) -> str | None:
    """Return what is wrong with the dynamics of an arm; None if nothing.

    Each type may register its own check beside its laws; the laws of other types are tried (`model.dynamics.probe`).
    """
    return f"dynamics {d!r} must be dynamics, such as ClippedAffine"


@singledispatch
def rewards_fault(f: Any, arm: Arm) -> str | None:
    """Return what is wrong with the reward family of an arm; None if nothing. Each type registers its own check."""
    return f"rewards {f!r} must be a reward family, such as BernoulliLogit"


@singledispatch
def coupling_fault(d: Any, k: int, arms: int) -> str | None:
    """Return what is wrong with the dynamics of arm k in a bandit of so many arms; None if nothing."""
    return None


@singledispatch
def curve_length(d: Any) -> int:
    """Return how many numbers theta has where it is a function of the state; 0 where it is not."""
    return 0


@singledispatch
def is_known(d: Any) -> bool:
    """Return whether these are dynamics; False for a prior over them."""
    return True


def checked_arm(arm: Any, k: int = 0) -> Arm:
    """Return the arm with all its numbers as floats; raise ValueError where something is wrong with it."""
    if not isinstance(arm, Arm):
        raise TypeError(f"arm {k}: {arm!r} is not an Arm")
    where = f"arm {arm.name or k!r}"
    dynamics, rewards = with_floats(arm.dynamics, "dynamics", where), with_floats(arm.rewards, "rewards", where)
    theta_lo, theta_hi = (
        number_or_vector(arm.theta_lo, "theta_lo", where),
        number_or_vector(arm.theta_hi, "theta_hi", where),
    )
    x0 = None if arm.x0 is None else number_or_vector(arm.x0, "x0", where)
    checked = Arm(dynamics, rewards, theta_lo, theta_hi, arm.name, x0)
    if (wrong := shape_fault(checked) or theta_fault(checked)) is not None:
        raise ValueError(f"{where}, {wrong}")
    if (wrong := dynamics_fault(dynamics, checked) or rewards_fault(rewards, checked)) is not None:
        raise ValueError(f"{where}, {wrong}")
    if x0 is not None:
        raise_on_first_state(checked, where)
    return checked


def raise_on_first_state(arm: Arm, where: str) -> None:
    """Raise if an x0 that is declared known is outside of its bounds, or declared elsewhere."""
    kind = type(arm.dynamics).__name__
    if curve_length(arm.dynamics) > 0:
        raise ValueError(f"{where}, x0 {arm.x0} must be left out: under {kind} the first state is its field `first`")
    if not is_known(arm.dynamics):
        raise ValueError(f"{where}, x0 {arm.x0} must be left out: under {kind} it is learned with the dynamics")
    checked_inside(arm.x0, arm.dynamics.lo, arm.dynamics.hi, "x0", where)


def checked_arms(arms: Any) -> list[Arm]:
    """Return the arms of a bandit: at least one, all of one type of family and of dynamics."""
    if not isinstance(arms, Iterable) or hasattr(arms, "_fields"):
        raise TypeError(f"arms {arms!r} must be a list of Arm")
    arms = list(arms)
    if not arms:
        raise ValueError("a bandit needs at least one arm, and arms is empty")
    if len(arms) > MOST_ARMS:
        raise ValueError(f"a bandit can have at most {MOST_ARMS:,} arms, and arms has {len(arms):,}")
    checked = [checked_arm(arm, k) for k, arm in enumerate(arms)]
    for k, arm in enumerate(checked):
        for part in ("dynamics", "rewards"):
            first, other = type(getattr(checked[0], part)).__name__, type(getattr(arm, part)).__name__
            if first != other:
                raise ValueError(
                    f"{_place(k, arm)} has {part} {other} where {_place(0, checked[0])} has {first}: "
                    "the arms of a bandit share one type of family and of dynamics"
                )
            if (wrong := size_fault(getattr(checked[0], part), getattr(arm, part))) is not None:
                raise ValueError(f"{_place(k, arm)}, {wrong} of {_place(0, checked[0])}")
        if (wrong := coupling_fault(arm.dynamics, k, len(checked))) is not None:
            raise ValueError(f"{_place(k, arm)}, {wrong}")
    return checked


def _place(k: int, arm: Arm) -> str:
    """Return an arm by its number, and its name if it has one: names may be equal."""
    return f"arm {k} '{arm.name}'" if arm.name else f"arm {k}"


def checked_point(arm: Arm, theta: Any, x0: Any, where: str) -> tuple[Any, Any]:
    """Return (theta, x0) where it is inside the bounds of its arm."""
    if not is_known(arm.dynamics):
        raise ValueError(f"{where}: its dynamics are {type(arm.dynamics).__name__}, a prior, and must be known here")
    if (size := curve_length(arm.dynamics)) > 0:
        x0 = checked_inside(x0, arm.dynamics.first, arm.dynamics.first, "x0", where)
        return checked_inside(theta, (arm.theta_lo,) * size, (arm.theta_hi,) * size, "theta", where), x0
    theta = checked_inside(theta, arm.theta_lo, arm.theta_hi, "theta", where)
    x0 = checked_inside(x0, arm.dynamics.lo, arm.dynamics.hi, "x0", where)
    if arm.x0 is not None and x0 != arm.x0:
        raise ValueError(f"{where}, x0 {x0} must be {arm.x0}, which the arm declares to be known")
    return theta, x0


def checked_inside(value: Any, lo: Any, hi: Any, name: str, where: str) -> Any:
    """Return a number, or a vector where the bounds are vectors, inside of them."""
    inside: Any = vector(value, name, where) if isinstance(lo, tuple) else number(value, name, where)
    if isinstance(lo, tuple) and len(inside) != len(lo):
        raise ValueError(f"{where}, {name} has {len(inside)} numbers, and must have {len(lo)}")
    each = inside if isinstance(inside, tuple) else (inside,)
    for (of, least, most), one in zip(named_bounds(name, lo, hi), each, strict=True):
        if not least <= one <= most:
            raise ValueError(f"{where}, {of} {one} must be from {least} to {most}")
    return inside


def checked_truth(truth: Any) -> Truth:
    """Return a truth whose every theta and x0 is inside the bounds of its arm."""
    if not isinstance(truth, Truth):
        raise TypeError(f"{truth!r} is not a Truth")
    arms = checked_arms(truth.arms)
    for name in ("theta", "x0"):
        values = getattr(truth, name)
        if not is_list(values):
            each = "a list of numbers" if takes_vectors(arms[0].rewards) else "a number"
            raise TypeError(f"truth, {name} {values!r} must be a list with {each} for each arm")
        if len(values) != len(arms):
            raise ValueError(f"truth, {name} has {len(values)} values for {len(arms)} arms")
    points = [
        checked_point(arm, theta, x0, f"truth of arm {arm.name or k!r}")
        for k, (arm, theta, x0) in enumerate(zip(arms, truth.theta, truth.x0, strict=True))
    ]
    return Truth(arms, [theta for theta, _ in points], [x0 for _, x0 in points])


def checked_reward(arm: Arm, r: float, where: str) -> float:
    """Return a reward that is in the support of the family."""
    lo, hi, whole = support(arm.rewards)
    r = number(r, "reward", where)
    if not lo <= r <= hi or (whole and r != int(r)):
        raise ValueError(f"{where}, reward {in_full(r)} must be {allowed_rewards(arm.rewards)}")
    return r


def allowed_rewards(f: Model) -> str:
    """Describe the support of a family, with its name."""
    lo, hi, whole = support(f)
    span = span_of(lo, hi)
    allowed = f"{lo:g} or {hi:g}" if whole and hi - lo == 1.0 else f"a whole number {span}" if whole else span
    return f"{allowed} ({type(f).__name__})"


def span_of(lo: float, hi: float) -> str:
    """Describe an interval; the numbers next to 0 and to 1 stand for ends that are excluded.

    >>> span_of(0.0, 1.0), span_of(0.0, math.inf), span_of(ABOVE_0, BELOW_1), span_of(-math.inf, math.inf)
    ('from 0 to 1', '0 or more', 'above 0 and below 1', 'any number')
    """
    if math.isinf(lo) and math.isinf(hi):
        return "any number"
    if lo == ABOVE_0:
        return "above 0 and " + ("below 1" if hi == BELOW_1 else f"at most {in_full(hi)}")
    return f"from {in_full(lo)} to {in_full(hi)}" if math.isfinite(hi) else f"{in_full(lo)} or more"


def in_full(value: float) -> str:
    """Return a number with every digit, so that one just outside of a bound does not look like the bound."""
    return str(value).removesuffix(".0")
