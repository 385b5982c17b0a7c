"""What a fit says of people: plain data."""

from __future__ import annotations

from typing import NamedTuple

from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine


class Interval(NamedTuple):
    """Where a number may lie, by its profile likelihood, with probability 95 %."""

    lo: float
    hi: float


class ArmFit(NamedTuple):
    """One arm of one person: how its state moves, its first state, the scale of the noise, and how sure that is."""

    dynamics: ClippedAffine
    theta: float
    x0: float
    loglik: float
    n: int  # rewards that the fit rests on
    intervals: dict[str, Interval]  # by name: decay, pull, drift, x0, theta; empty where not asked for
    gap: float | None  # of the certificate, as a share of the distance Σ|r − x|; None where not asked for
    enough: bool  # do the rewards say enough for the numbers to mean anything?


class Fitted(NamedTuple):
    """A cohort that was fitted."""

    pool: str  # "person": dynamics of their own for each person and arm; "arm": shared by all people of an arm
    predicts: dict[str, float]  # cross-validated log-likelihood of a held-out reward, by way of pooling
    people: dict[str, dict[str, ArmFit]]  # by person, by arm
