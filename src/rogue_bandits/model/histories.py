"""Validation of the history of an arm: errors name the decision, the value and what is allowed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from rogue_bandits.model.validation import checked_reward
from rogue_bandits.types import Arm, Floats


def _column(values: Sequence[float], name: str) -> Floats:
    """Return numbers as an array, None as nan."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be a list of numbers: {error}") from None


def checked_history(arm: Arm, played: Sequence[float], rewards: Sequence[float]) -> tuple[Floats, Floats]:
    """Return played and rewards of one arm as arrays of the same length; rewards only where it was played."""
    p, r = _column(played, "played"), _column(rewards, "rewards")
    if p.ndim != 1 or p.shape != r.shape:
        raise ValueError(f"played (shape {p.shape}) and rewards (shape {r.shape}) must be two lists of the same length")
    for t in np.flatnonzero(~np.isnan(r)):
        checked_reward(arm, r[t], f"decision {t}")
    flags: Any = np.asarray(played)
    checked_plays(arm.dynamics, flags if flags.dtype == np.bool_ else p, r)
    return p, r


@singledispatch
def checked_plays(d: Any, played: Floats, rewards: Floats) -> None:
    """Raise ValueError on plays that are not of these dynamics, and on rewards without a play."""
    for t in np.flatnonzero((played != 0.0) & (played != 1.0)):
        raise ValueError(f"decision {t}, played {played[t]:g} must be 0 or 1")
    for t in np.flatnonzero(~np.isnan(rewards) & (played == 0.0)):
        raise ValueError(f"decision {t}, reward {rewards[t]:g} was given but the arm was not played: it must be nan")
