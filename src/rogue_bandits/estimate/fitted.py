"""Fits as plain data, and as JSON."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rogue_bandits.model import FAMILIES
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent
from rogue_bandits.types import Arm, mean

NUMBERS = "decay", "pull", "drift", "floor", "x0", "theta", "sd"


class Interval(NamedTuple):
    """A 95 % profile-likelihood interval."""

    lo: float
    hi: float


class ArmFit(NamedTuple):
    """One arm of one person: dynamics, theta, first state, and how certain they are."""

    dynamics: ClippedAffine
    theta: float
    x0: float
    loglik: float
    n: int  # rewards that the fit rests on
    intervals: dict[str, Interval]  # by the name of the number; empty if none were computed
    gap: float | None  # of the certificate, relative to the distance Σ|r − x|; None where there is no certificate
    enough: bool  # whether the rewards determine the numbers
    rewards: Any = LaplaceAgent()
    theta_lo: float = 0.005
    theta_hi: float = 1.0

    def numbers(self) -> dict[str, float]:
        """Return the numbers by name; sd is nan in a family that has none."""
        d, sd = self.dynamics, getattr(self.rewards, "sd", math.nan)
        values = d.decay, d.pull, d.drift, d.lo, self.x0, self.theta, sd
        return dict(zip(NUMBERS, values, strict=True))

    def mean(self, x: float) -> float:
        """Return the mean reward in a state."""
        return mean(self.rewards, self.theta, x)

    def surely_wears_out(self) -> bool | None:
        """Return whether the interval of pull excludes 0; None where there is no interval."""
        return self.intervals["pull"].hi < -1e-9 if "pull" in self.intervals else None

    def arm(self, name: str = "") -> Arm:
        """Return the arm as policies and simulations take it."""
        return Arm(self.dynamics, self.rewards, self.theta_lo, self.theta_hi, name)


class Fitted(NamedTuple):
    """A cohort that was fitted."""

    pool: str  # "person": dynamics for each person and arm; "arm": shared by all people of an arm
    predicts: dict[str, float]  # cross-validated log-likelihood of a held-out reward, by pooling
    people: dict[str, dict[str, ArmFit]]  # by person, by arm


def fits_to_plain(fits: dict[str, ArmFit]) -> dict[str, Any]:
    """Return fits by arm as JSON has them."""
    return {arm: fit_to_plain(fit) for arm, fit in fits.items()}


def fits_from_plain(plain: dict[str, Any]) -> dict[str, ArmFit]:
    """Return the fits of `fits_to_plain`."""
    return {arm: fit_from_plain(fit) for arm, fit in plain.items()}


def fit_to_plain(fit: ArmFit) -> dict[str, Any]:
    """Return a fit as JSON has it."""
    numbers = {name: getattr(fit, name) for name in ("theta", "x0", "loglik", "theta_lo", "theta_hi")}
    return {
        **{name: number(value) for name, value in (fit.dynamics._asdict() | numbers).items()},
        "n": fit.n,
        "intervals": {name: [number(end) for end in interval] for name, interval in fit.intervals.items()},
        "gap": None if fit.gap is None else number(fit.gap),
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
        gap=None if plain["gap"] is None else float(plain["gap"]),
        enough=bool(plain["enough"]),
        rewards=FAMILIES[rewards.pop("family")](**rewards),
        **{name: float(plain[name]) for name in ("theta", "x0", "loglik", "theta_lo", "theta_hi")},
    )
