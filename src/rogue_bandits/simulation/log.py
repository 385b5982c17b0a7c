"""A log of decisions: which arms were played, with which probability, and what followed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.model.probe import first_no_reward
from rogue_bandits.model.validation import checked_reward
from rogue_bandits.planning.rollout import REST
from rogue_bandits.simulation.conditions import NEVER
from rogue_bandits.simulation.trace import Trace
from rogue_bandits.types import Arm


class Log(NamedTuple):
    """Decisions of several people [people, decisions], or of one [decisions].

    `arm` is −1 at a rest. `reward` is nan where it was not observed. `probability` is that with which the arm was
    chosen. `probabilities` […, arms] has that of every arm, by which a policy that chooses what the log never could is
    found. `available` […, arms] are booleans; without, every arm was. `known_at` is the number of the decision before
    which a reward was known; without, each was known before the next decision.

    >>> Log(arm=[0, 1, -1], reward=[1.0, float("nan"), float("nan")], probability=[0.5, 0.5, float("nan")]).arm
    [0, 1, -1]
    """

    arm: Any
    reward: Any
    probability: Any
    probabilities: Any = None
    available: Any = None
    known_at: Any = None


def log_of(trace: Trace) -> Log:
    """Return the log that the learners of a simulation could have written: rewards that were never known are nan."""
    if np.isnan(trace.probability[trace.arm >= 0]).any():
        raise ValueError("this trace has no probabilities of its choices: simulate(..., probabilities=True) keeps them")
    reward = trace.reward if trace.known_at is None else np.where(trace.known_at == NEVER, np.nan, trace.reward)
    return Log(trace.arm, reward, trace.probability, trace.probabilities, trace.available, trace.known_at)


def checked_log(log: Any, arms: Sequence[Arm]) -> Log:
    """Return a log as arrays [people, decisions, …] of the types that kernels take; raise on contradictions."""
    if not isinstance(log, Log):
        raise TypeError(f"{log!r} is not a log: it must be a Trace or a Log")
    arm = _array(log.arm, "arm", None)
    people = arm[None] if arm.ndim == 1 else arm
    if people.ndim != 2 or not people.size or not (np.floor(people) == people).all():
        raise ValueError(f"log, arm (shape {arm.shape}) must hold whole numbers, [people, decisions] or [decisions]")
    shape, k = people.shape, len(arms)
    _raise_at((people < REST) | (people >= k), people, "arm", f"from 0 to {k - 1}, or -1 for a rest")
    played = people != REST
    probability = _array(log.probability, "probability", shape)
    _raise_at(
        played & ~((probability > 0.0) & (probability <= 1.0)), probability, "probability", "above 0 and at most 1"
    )
    checked = Log(
        arm=people.astype(np.int64),
        reward=_rewards(_array(log.reward, "reward", shape), people.astype(np.int64), arms),
        probability=probability,
        probabilities=None if log.probabilities is None else _array(log.probabilities, "probabilities", (*shape, k)),
        available=np.ones((*shape, k), dtype=np.bool_)
        if log.available is None
        else _array(log.available, "available", (*shape, k)) != 0.0,
        known_at=np.broadcast_to(np.arange(1.0, shape[1] + 1.0), shape)
        if log.known_at is None
        else _array(log.known_at, "known_at", shape),
    )
    chosen = np.take_along_axis(checked.available, np.maximum(checked.arm, 0)[:, :, None], axis=2)[:, :, 0]
    _raise_at(played & ~chosen, people, "arm", "one that was available")
    unseen = np.isnan(checked.reward)
    early = ~unseen & (checked.known_at <= np.arange(shape[1])) & (checked.known_at != NEVER)
    _raise_at(early, checked.known_at, "known_at", "above the number of the decision, or -1 for never")
    return checked._replace(known_at=np.where(unseen, NEVER, checked.known_at).astype(np.int64))


def _rewards(reward: Any, arm: Any, arms: Sequence[Arm]) -> Any:
    """Return rewards that are in the supports of their arms; nan at rests."""
    reward = np.where(arm == REST, np.nan, reward)
    for person, (played, rewards) in enumerate(zip(arm, reward, strict=True)):
        seen = np.flatnonzero(~np.isnan(rewards))
        if (wrong := first_no_reward(arms, played[seen], rewards[seen])) is not None:
            t = seen[wrong]
            checked_reward(arms[played[t]], float(rewards[t]), f"log, person {person}, decision {t}, arm {played[t]}")
    return reward


def _array(values: Any, name: str, shape: tuple[int, ...] | None) -> Any:
    """Return numbers as an array; of one person, with an axis for people."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"log, {name} must be numbers, and is {type(values).__name__}") from None
    if shape is None:
        return array
    if array.shape == shape[1:] and shape[0] == 1:
        array = array[None]
    if array.shape != shape:
        raise ValueError(f"log, {name} has shape {array.shape}, and must have {shape}")
    return array


def _raise_at(wrong: Any, values: Any, name: str, allowed: str) -> None:
    """Raise for the first decision at which something is wrong."""
    for person, t in np.argwhere(wrong):
        raise ValueError(f"log, person {person}, decision {t}: {name} {values[person, t]:g} must be {allowed}")
