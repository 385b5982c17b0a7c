"""Dimensions: where an arm has numbers and where vectors, and of what length."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from rogue_bandits.types import Arm


@singledispatch
def takes_vectors(f: Any) -> bool:
    """Return whether theta and the state of this reward family are vectors; numbers by default."""
    return False


def shape_fault(arm: Arm) -> str | None:
    """Say where vectors and single numbers are mixed; None if nowhere."""
    kind, state = type(arm.rewards).__name__, getattr(arm.dynamics, "lo", 0.0)
    if not takes_vectors(arm.rewards):
        if isinstance(state, tuple):
            moves = type(arm.dynamics).__name__
            return (
                f"dynamics {moves} has vectors for states, and {kind} depends on one number of them: "
                f"say which, as in Weighted({kind}(…), theta_weights, state_weights)"
            )
        several = [name for name in ("theta_lo", "theta_hi") if isinstance(getattr(arm, name), tuple)]
        return f"{several[0]} {getattr(arm, several[0])} must be a number for {kind} rewards" if several else None
    if not isinstance(state, tuple):
        moves = type(arm.dynamics).__name__
        return (
            f"{kind} rewards need dynamics whose states are vectors, such as MatrixAffine: lo of {moves} is {state!r}"
        )
    for name in ("theta_lo", "theta_hi"):
        if not isinstance(getattr(arm, name), tuple):
            return f"{name} {getattr(arm, name)} must be a list of numbers for {kind} rewards"
    lo, hi = len(arm.theta_lo), len(arm.theta_hi)
    return None if lo == hi else f"theta_lo has {lo} numbers and theta_hi {hi}: they must have equally many"


def theta_fault(arm: Arm) -> str | None:
    """Say which bounds of theta are not increasing; None if all are."""
    for name, lo, hi in named_bounds("theta", arm.theta_lo, arm.theta_hi):
        if not lo < hi:
            return f"{name.replace('theta', 'theta_lo')} {lo} must be below {name.replace('theta', 'theta_hi')} {hi}"
    return None


def named_bounds(name: str, lo: Any, hi: Any) -> list[tuple[str, float, float]]:
    """Return (name, lo, hi) of a number, or of each component of a vector."""
    if not isinstance(lo, tuple):
        return [(name, lo, hi)]
    return [(f"{name}[{i}]", a, b) for i, (a, b) in enumerate(zip(lo, hi, strict=True))]


def size_fault(first: Any, other: Any) -> str | None:
    """Say which fields of two arms differ in length, or in the type of an inner family; None if none does."""
    for field, one, two in zip(first._fields, first, other, strict=True):
        if hasattr(one, "_fields"):
            if type(one) is not type(two):
                return f"{field} {type(two).__name__} must be {type(one).__name__} as that"
            if (wrong := size_fault(one, two)) is not None:
                return f"{field}, {wrong}"
        elif not (isinstance(one, float) and isinstance(two, float)) and np.shape(one) != np.shape(two):
            shapes = " by ".join(map(str, np.shape(two))), " by ".join(map(str, np.shape(one)))
            return f"{field} has {shapes[0]} numbers and must have {shapes[1]} as that"
    return None
