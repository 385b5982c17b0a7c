"""Dynamics of arms whose curve is unknown: theta is not a number but a function of the state, which is a known count.

A recovering arm depends on the delay since its last play, a rotting arm on the number of its plays. Both are whole
numbers that follow from the plays, and so is the place of a state on the curve. The curve is a vector with a Gaussian
prior (`model.priors`), and theta of a `Truth` is that vector.
"""

from __future__ import annotations

from abc import ABC
from typing import Any, NamedTuple

from rogue_bandits.compile.laws import law
from rogue_bandits.model.dynamics.clipped_affine import out_of_bounds
from rogue_bandits.model.dynamics.projected import limits
from rogue_bandits.model.priors import SquaredExponential, Steps, prior_fault
from rogue_bandits.model.validation import curve_length, dynamics_fault
from rogue_bandits.types import Arm, Floats, next_state

MOST_VALUES = 1_000  # of a curve


class UnknownCurve(ABC):
    """The kind: dynamics with fields `prior` and `first` whose arms have a curve for theta."""


class Recovering(NamedTuple):
    """The state is the delay: how many decisions the arm has rested since its last play, at most `longest`.

    theta is an unknown function of the delay, a vector of longest + 1 numbers with this prior. `first` is the delay at
    decision 0; `first=longest` is an arm that has rested.

    >>> from rogue_bandits.types import next_state
    >>> d = Recovering(longest=3.0)
    >>> next_state(d, 1.0, 0.0), next_state(d, 3.0, 0.0), next_state(d, 3.0, 1.0)
    (2.0, 3.0, 0.0)
    """

    longest: float
    prior: Any = SquaredExponential()
    first: float = 0.0

    @property
    def lo(self) -> float:
        """The least delay."""
        return 0.0 * self.longest

    @property
    def hi(self) -> float:
        """The longest delay."""
        return self.longest


class Rotting(NamedTuple):
    """The state is the number of plays so far, at most `longest`.

    theta is an unknown function of it with this prior, constant on cells of `width` plays: a vector of
    longest // width + 1 numbers. Lengths of the prior are in cells. `first` is the number of plays before decision 0.

    >>> from rogue_bandits.types import next_state
    >>> d = Rotting(longest=100, width=10)
    >>> next_state(d, 7.0, 0.0), next_state(d, 7.0, 1.0), place_on_curve(d, 27.0)
    (7.0, 8.0, 2)
    """

    longest: float
    width: float = 1.0
    prior: Any = SquaredExponential()
    first: float = 0.0

    @property
    def lo(self) -> float:
        """No plays."""
        return 0.0 * self.longest

    @property
    def hi(self) -> float:
        """The number of plays from which the curve is constant."""
        return self.longest


UnknownCurve.register(Recovering)
UnknownCurve.register(Rotting)
limits.register(UnknownCurve)(lambda d, j: (0.0, d.longest))


@law
def place_on_curve(d: Any, x: float) -> int:
    """Return the place of a state on the curve, from 0."""


place_on_curve.register(Recovering)(lambda d, x: int(x))
place_on_curve.register(Rotting)(lambda d, x: int(x / d.width))


@law
def rises(d: Any) -> bool:
    """Return whether a monotone curve rises with the state; if not, it falls."""


rises.register(Recovering)(lambda d: True)
rises.register(Rotting)(lambda d: False)


@next_state.register(Recovering)
def recovering_next_state(d: Recovering, x_t: float, played_t: float) -> float:
    """Z_{t+1} = 0 if played, else min(Z_t + 1, z_max).  [Pike-Burke and Grünewälder 2019, Sec. 2]"""
    return 0.0 if played_t == 1.0 else min(x_t + 1.0, d.longest)


@next_state.register(Rotting)
def rotting_next_state(d: Rotting, x_t: float, played_t: float) -> float:
    """N_{t+1} = N_t + 1 if played, else N_t.  [Levine, Crammer and Mannor 2017, Sec. 2]"""
    return min(x_t + 1.0, d.longest) if played_t == 1.0 else x_t


@out_of_bounds.register(UnknownCurve)
def count_out_of_bounds(d: Any, x: Floats, k: int) -> bool:
    """Compare a count with its bounds."""
    return not 0.0 <= x[k] <= d.longest


@curve_length.register(Recovering)
@curve_length.register(Rotting)
def size_of_curve(d: Any) -> int:
    """Return the number of places, with one value each.

    >>> curve_length(Recovering(30)), curve_length(Rotting(100, width=10))
    (31, 11)
    """
    return place_on_curve(d, d.longest) + 1


@dynamics_fault.register
def recovering_fault(d: Recovering, arm: Arm) -> str | None:
    """Check that counts are whole and inside the bounds, and the prior."""
    if isinstance(d.prior, Steps):
        return f"prior {d.prior} must be a Gaussian one, such as Matern: Steps is for Rotting arms"
    return count_fault("longest", d.longest, 1, MOST_VALUES - 1) or curve_fault(d, arm)


@dynamics_fault.register
def rotting_fault(d: Rotting, arm: Arm) -> str | None:
    """Check the same, and that there are not too many cells."""
    if (wrong := count_fault("longest", d.longest, 1) or count_fault("width", d.width, 1, d.longest)) is not None:
        return wrong
    if curve_length(d) > MOST_VALUES:
        return f"width {d.width:g} gives the curve {curve_length(d):,} values: at most {MOST_VALUES:,} are allowed"
    return curve_fault(d, arm)


def curve_fault(d: Any, arm: Arm) -> str | None:
    """Say what is wrong with the first state, the reward family or the prior of an arm with an unknown curve."""
    f = arm.rewards
    if (wrong := count_fault("first", d.first, 0, d.longest)) is not None:
        return wrong
    if getattr(f, "state_weight", 0.0) != 0.0 or getattr(f, "theta_weight", 1.0) == 0.0:
        return (
            f"rewards {f} must have a theta_weight other than 0 and a state_weight of 0: "
            f"under {type(d).__name__} theta is itself a function of the state"
        )
    return prior_fault(d.prior, arm)


def count_fault(name: str, value: float, least: float, most: float = float("inf")) -> str | None:
    """Say if a number is not whole, or out of bounds."""
    if value == int(value) and least <= value <= most:
        return None
    upper = "" if most == float("inf") else f", at most {most:g}"
    return f"{name} {value:g} must be a whole number, {least:g} or more{upper}"
