"""A reward family whose theta is a given function of the state: the truth of an arm with an unknown curve."""

from __future__ import annotations

from typing import Any, NamedTuple

from rogue_bandits.model.dynamics.curves import UnknownCurve, place_on_curve
from rogue_bandits.model.validation import curve_length
from rogue_bandits.types import Arm, Vector, draw, mean, point_masses, support


class Tabulated(NamedTuple):
    """`rewards` with theta = curve[place of the state]; theta itself is ignored.

    It stands for a curve that is known, as that of a `Truth`; learners never see it.

    >>> from rogue_bandits import Gaussian, Recovering
    >>> from rogue_bandits.types import mean
    >>> f = Tabulated(Gaussian(1.0, 0.0, 0.1), Recovering(2), (0.0, 0.5, 0.75))
    >>> mean(f, 0.0, 1.0)
    0.5
    """

    rewards: Any
    dynamics: Any
    curve: Vector


support.register(Tabulated)(lambda f: support(f.rewards))
point_masses.register(Tabulated)(lambda f: point_masses(f.rewards))
mean.register(Tabulated)(lambda f, theta, x: mean(f.rewards, f.curve[place_on_curve(f.dynamics, x)], 0.0))
draw.register(Tabulated)(lambda f, theta, x, u: draw(f.rewards, f.curve[place_on_curve(f.dynamics, x)], 0.0, u))


def with_curves(arms: list[Arm], theta: Any) -> list[Arm]:
    """Return arms with their true curves as reward families, all of one length: the last value goes on."""
    longest = max(curve_length(arm.dynamics) for arm in arms)
    return [
        arm._replace(rewards=Tabulated(arm.rewards, arm.dynamics, (*curve, *[curve[-1]] * (longest - len(curve)))))
        for arm, curve in zip(arms, theta, strict=True)
    ]


def have_curves(arms: Any) -> bool:
    """Return whether the theta of these arms, which share a type of dynamics, is a curve."""
    return isinstance(arms[0].dynamics, UnknownCurve)
