"""Fits as JSON has them."""

from __future__ import annotations

import math
from typing import Any

from rogue_bandits.estimate.fitted import ArmFit, Interval
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine


def fit_to_plain(fit: ArmFit) -> dict[str, Any]:
    """A fit as JSON has it."""
    return {
        **{name: number(value) for name, value in fit.dynamics._asdict().items()},
        **{name: number(getattr(fit, name)) for name in ("theta", "x0", "loglik")},
        "n": fit.n,
        "intervals": {name: [number(end) for end in interval] for name, interval in fit.intervals.items()},
        "gap": None if fit.gap is None else number(fit.gap),
        "enough": bool(fit.enough),
    }


def number(value: float) -> float | str:
    """A number; JSON has no word for those that are not finite, so that they are texts."""
    return float(value) if math.isfinite(value) else str(float(value))


def fit_from_plain(plain: dict[str, Any]) -> ArmFit:
    """The fit of what `fit_to_plain` made."""
    return ArmFit(
        dynamics=ClippedAffine(*(float(plain[name]) for name in ClippedAffine._fields)),
        theta=float(plain["theta"]),
        x0=float(plain["x0"]),
        loglik=float(plain["loglik"]),
        n=int(plain["n"]),
        intervals={name: Interval(float(lo), float(hi)) for name, (lo, hi) in plain["intervals"].items()},
        gap=None if plain["gap"] is None else float(plain["gap"]),
        enough=bool(plain["enough"]),
    )
