"""The arrays of people for another set of arms: those of arms that stay are kept, others are as before the first
decision.

Arms are identified by their names. Only states that are kept arm by arm can be carried over.
"""

from __future__ import annotations

from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.belief.evidence import LineEvidence
from rogue_bandits.belief.marginal import PosteriorEvidence
from rogue_bandits.model.dynamics.coupled import Coupled
from rogue_bandits.online.kernels import Session
from rogue_bandits.online.personal import Array, fitted_into, mapped
from rogue_bandits.policies.d_ucb import DUCBPersonal
from rogue_bandits.policies.ucb1_tuned import UCB1TunedPersonal
from rogue_bandits.types import Arm, Ints


class ArmChange(NamedTuple):
    """From one set of arms to another, by names."""

    kept: tuple[str, ...]
    added: tuple[str, ...]
    dropped: tuple[str, ...]
    before: Ints  # the numbers of the arms that are kept, among the old ones
    after: Ints  # and among the new ones


def change_of(old: tuple[Arm, ...], new: tuple[Arm, ...]) -> ArmChange:
    """Return what changes; a ValueError says why a set of arms cannot take the place of another.

    >>> from rogue_bandits import BernoulliLogit, ClippedAffine
    >>> walk, sleep, eat = (Arm(ClippedAffine(0.6, -1.0, 0.5), BernoulliLogit(0.4, 0.6), name=n) for n in "wse")
    >>> change_of((walk, sleep), (eat, walk))[:3]
    (('w',), ('e',), ('s',))
    """
    before, after = _by_name(old, "population"), _by_name(new, "model")
    kept = tuple(name for name in after if name in before)
    for name in kept:
        if before[name] != after[name]:
            raise ValueError(
                f"arm '{name}' was {before[name]} and would be {after[name]}: evidence on the one says nothing about "
                "the other. Give the changed arm another name, and it begins afresh"
            )
    for arm in (*old, *new):
        if isinstance(arm.dynamics, Coupled):
            raise ValueError(f"arm '{arm.name}' feels the plays of other arms by their numbers: it cannot be migrated")
    return ArmChange(
        kept, tuple(name for name in after if name not in before), tuple(name for name in before if name not in after),
        np.array([list(before).index(name) for name in kept], dtype=np.int64),
        np.array([list(after).index(name) for name in kept], dtype=np.int64),
    )  # fmt: skip


def _by_name(arms: tuple[Arm, ...], whose: str) -> dict[str, Arm]:
    found = {arm.name: arm for arm in arms}
    if "" in found or len(found) != len(arms):
        names = ", ".join(repr(arm.name) for arm in arms)
        raise ValueError(f"the arms of the {whose} are named {names}: to be told apart, each must have its own name")
    return found


@singledispatch
def with_arms(old: Any, fresh: Any, change: ArmChange) -> Any:
    """Return personal arrays for new arms: `fresh`, with the rows of `old` for arms that are kept."""
    if old == ():
        return fresh
    raise ValueError(f"{type(old).__name__}, what this policy knows of people, is not kept arm by arm: arms can be "
                     "changed under the policies with likelihoods, D-UCB, UCB1-Tuned and random choices")  # fmt: skip


@with_arms.register(DUCBPersonal)
@with_arms.register(UCB1TunedPersonal)
def plain_with_arms(old: Any, fresh: Any, change: ArmChange) -> Any:
    """Return arrays [people, arms] with the rows of the new arms, and clocks [people] unchanged."""
    return mapped(lambda a, b: carried(a, b, change), old, fresh)


@with_arms.register
def lines_with_arms(old: LineEvidence, fresh: LineEvidence, change: ArmChange) -> LineEvidence:
    """Return line evidence for the new arms, with as many coefficients in theta as these need."""
    if old.pools.shape[3] != fresh.pools.shape[3] and old.pools_n.any():
        raise ValueError("rewards of arms that settle slowly are summed up in tables whose size would change")
    size = fresh.pools.shape[3]
    old = old._replace(w=resized(old.w, fresh.w.shape[2]), pools=np.zeros((*old.pools.shape[:3], size))
                       if size != old.pools.shape[3] else old.pools)  # fmt: skip
    return mapped(lambda a, b: carried(a, b, change), old, fresh)


@with_arms.register
def posterior_with_arms(old: PosteriorEvidence, fresh: PosteriorEvidence, change: ArmChange) -> PosteriorEvidence:
    """Return the arrays of a posterior for another set of arms."""
    size = fresh.settled.shape[2]
    old = old._replace(settled=resized(old.settled, size), early=resized(old.early, size))
    return mapped(lambda a, b: carried(a, b, change), old, fresh)


def carried(old: Array, fresh: Array, change: ArmChange) -> Array:
    """Return an array for the new arms; one without an axis of arms stays as it is."""
    if old.ndim == 1:
        return old
    room = np.maximum(old.shape[2:], fresh.shape[2:]).tolist()
    new = fitted_into(fresh, (*fresh.shape[:2], *room)).copy()
    new[:, change.after] = fitted_into(old, (*old.shape[:2], *room))[:, change.before]
    return new


def resized(array: Array, size: int) -> Array:
    """Return an array whose third axis is so long: cut off, or with zeros."""
    cut = array[:, :, :size]
    return fitted_into(cut, (*cut.shape[:2], size, *cut.shape[3:]))


def session_with_arms(session: Session, arms: int, change: ArmChange) -> tuple[Session, int]:
    """Return the pending decisions under the new arm numbers, and how many awaited rewards were of dropped arms."""
    number_of = np.full(arms, -1, dtype=np.int64)
    number_of[change.before] = change.after
    pending = session.pending
    dropped = (pending.number > 0) & (number_of[pending.arm] < 0)
    free = (pending.number == 0) | dropped
    cleared = mapped(lambda array: _zero(array, free), pending)
    return session._replace(pending=cleared._replace(arm=np.where(free, 0, number_of[pending.arm]))), int(dropped.sum())


def _zero(array: Array, where: Array) -> Array:
    array = array.copy()
    array[where] = 0
    return array
