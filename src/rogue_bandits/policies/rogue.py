"""What the ROGUE policies share: evidence on every arm, moved on by `play` and added to by `learn`."""

from __future__ import annotations

import warnings
from abc import ABC
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.inference.centre import CENTRE_SIZE, Centre, centre_at, keep_centre, kept_centre
from rogue_bandits.inference.evidence import (
    Evidence,
    line_now,
    no_evidence,
    observe,
    seen,
    set_line,
    with_capacity,
)
from rogue_bandits.inference.fit import maximise
from rogue_bandits.inference.region import Region
from rogue_bandits.laws import inlined, pick, stack
from rogue_bandits.model.check import checked_arms
from rogue_bandits.model.constants import corners
from rogue_bandits.types import Arm, Floats, Ints, Line, grown, has_room, learn, mean, next_line, play, settles, signal


class Knowledge(NamedTuple):
    """What is known of every arm of every person."""

    arms: Arm  # stacked
    evidence: Evidence
    centre: Floats  # [people, arms, CENTRE_SIZE]: the fits
    plays: Ints  # [people, arms]
    even: float  # means this near are equal but for rounding


class Rogue(ABC):
    """The kind: states with a field `known: Knowledge`."""


def mean_range(arm: Arm) -> float:
    """The largest difference of two means of an arm: monotone in theta and in x, so at corners of the box."""
    means = [mean(arm.rewards, theta, x) for theta, x in corners(arm)]
    return max(means) - min(means)


def no_knowledge(arms: Sequence[Arm], people: int) -> Knowledge:
    """Before the first decision: the fits lie in the middle of nowhere, until a reward comes."""
    arms = checked_arms(arms)
    if not settles(arms[0].rewards):
        warnings.warn(
            f"{type(arms[0].rewards).__name__} rewards cannot be summed up: every one is kept, and the cost of a "
            "decision grows with their number (docs/models.md)",
            RuntimeWarning,
            stacklevel=2,
        )
    centre = np.zeros((people, len(arms), CENTRE_SIZE))
    centre[:, :, 0] = [0.5 * (arm.theta_lo + arm.theta_hi) for arm in arms]
    centre[:, :, 1] = [arm.dynamics.lo for arm in arms]
    return Knowledge(
        arms=stack(arms),
        evidence=no_evidence(arms, people),
        centre=centre,
        plays=np.zeros((people, len(arms)), dtype=np.int64),
        even=1e-9 * max(mean_range(arm) for arm in arms),
    )


@inlined
def region(known: Knowledge, rule: Any, person: int, k: int, log_t: float) -> Region:
    """The confidence region of arm k."""
    e = known.evidence
    centre: Centre = kept_centre(known.centre[person, k])
    return Region(pick(known.arms, k), seen(e, person, k), centre, rule, line_now(e, person, k), log_t)


@play.register(Rogue)
def rogue_play(state: Any, person: int, number: int, arm: int) -> Line:
    """The state of the played arm falls, the others recover; the reward will speak of the state as it was."""
    known = state.known
    then = Line(0.0, 0.0, 0.0, 0.0)
    for k in range(known.plays.shape[1]):
        line = line_now(known.evidence, person, k)
        if k == arm:
            then = line
            known.plays[person, k] += 1
        d = pick(known.arms, k).dynamics
        set_line(known.evidence, person, k, next_line(d, line, signal(d, k, arm)))
    return then


@learn.register(Rogue)
def rogue_learn(state: Any, person: int, number: int, arm: int, probability: float, line: Line, r: float) -> None:
    """Take in the reward and fit again, from where the last fit lay."""
    known = state.known
    a = pick(known.arms, arm)
    row = known.centre[person, arm]
    early_came = observe(known.evidence, a, person, arm, line, r)
    s = seen(known.evidence, person, arm)
    theta, x0 = maximise(a.rewards, a, s, row[0], row[1], early_came)
    keep_centre(row, centre_at(a.rewards, a, s, theta, x0))


@has_room.register(Rogue)
def rogue_has_room(state: Any, person: int) -> bool:
    """Early rewards are kept one by one, and there may be no end of them."""
    e = state.known.evidence
    for k in range(e.early_n.shape[1]):
        if e.early_n[person, k] == e.early.shape[2]:
            return False
    return True


@grown.register(Rogue)
def rogue_grown(state: Any) -> Any:
    """Room for twice as many early rewards."""
    e = state.known.evidence
    return state._replace(known=state.known._replace(evidence=with_capacity(e, 2 * e.early.shape[2])))
