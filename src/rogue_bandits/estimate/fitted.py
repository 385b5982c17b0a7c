"""Fits as plain data, and as JSON."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rogue_bandits.model import FAMILIES
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.types import Arm


class Interval(NamedTuple):
    """A 95 % credible interval."""

    lo: float
    hi: float


class ArmFit(NamedTuple):
    """One arm of one person with numbers in place of distributions: dynamics, theta and first state."""

    dynamics: ClippedAffine
    theta: float
    x0: float
    n: int  # rewards of the person
    intervals: dict[str, Interval]  # by the name of the number
    enough: bool  # whether the person's own rewards say much
    rewards: Any = LaplaceAgent()
    theta_lo: float = 0.005
    theta_hi: float = 1.0

    def arm(self, name: str = "") -> Arm:
        """Return the arm as policies and simulations take it."""
        return Arm(self.dynamics, self.rewards, self.theta_lo, self.theta_hi, name)


def fit_to_plain(fit: ArmFit) -> dict[str, Any]:
    """Return a fit as JSON has it."""
    numbers = {name: getattr(fit, name) for name in ("theta", "x0", "theta_lo", "theta_hi")}
    return {
        **{name: number(value) for name, value in (fit.dynamics._asdict() | numbers).items()},
        "n": fit.n,
        "intervals": {name: [number(end) for end in interval] for name, interval in fit.intervals.items()},
        "enough": bool(fit.enough),
        "rewards": {"family": type(fit.rewards).__name__, **fit.rewards._asdict()},
    }


def number(value: float) -> float | str:
    """Return a number as JSON has it: a text where it is not finite."""
    return float(value) if math.isfinite(value) else str(float(value))


def fit_from_plain(plain: dict[str, Any]) -> ArmFit:
    """Return the fit of `fit_to_plain`; files of version 1 have agents only, and do not say so."""
    plain = {"rewards": {"family": "LaplaceAgent"}, "theta_lo": 0.005, "theta_hi": 1.0, **plain}
    rewards = dict(plain["rewards"])
    return ArmFit(
        dynamics=ClippedAffine(*(float(plain[name]) for name in ClippedAffine._fields)),
        n=int(plain["n"]),
        intervals={name: Interval(float(lo), float(hi)) for name, (lo, hi) in plain["intervals"].items()},
        enough=bool(plain["enough"]),
        rewards=FAMILIES[rewards.pop("family")](**rewards),
        **{name: float(plain[name]) for name in ("theta", "x0", "theta_lo", "theta_hi")},
    )
