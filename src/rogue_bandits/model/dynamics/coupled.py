"""Dynamics that depend on which arm was played.  [Sec. 4.3.2]"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.dynamics.clipped_affine import clip, decay_fault, stepped
from rogue_bandits.model.histories import checked_plays
from rogue_bandits.model.validation import coupling_fault, dynamics_fault
from rogue_bandits.types import Floats, Line, Vector, next_line, next_state, signal


class Coupled(NamedTuple):
    """x' = clip(decay·x + pull[j] + drift, lo, hi), j the arm that was played; without the pull where none was.

    `pull` has a number for each arm of the bandit. In `fit` and the like, `played` holds the number of the arm played
    at each decision (0, 1, …), and −1 where none was; it does not hold flags.

    >>> from rogue_bandits.types import next_state
    >>> second = Coupled(decay=0.5, pull=(-0.25, -1.0), drift=0.5)
    >>> next_state(second, 1.0, 0), next_state(second, 1.0, 1), next_state(second, 1.0, -1)
    (0.75, 0.0, 1.0)
    """

    decay: float
    pull: Vector
    drift: float
    lo: float = 0.0
    hi: float = 1.0


@inlined
def _push(d: Coupled, played_t: float) -> float:
    """Return the term added to decay·x."""
    return d.pull[int(played_t)] + d.drift if played_t >= 0.0 else d.drift


signal.register(Coupled)(lambda d, k, arm: float(arm))
dynamics_fault.register(Coupled, decay_fault)


@next_state.register(Coupled)
def coupled_next_state(d: Coupled, x_t: float, played_t: float) -> float:
    """x_{t+1} = clip(decay x_t + pull_j + drift, lo, hi)."""
    return clip(d.decay * x_t + _push(d, played_t), d.lo, d.hi)


@next_line.register(Coupled)
def coupled_next_line(d: Coupled, line: Line, played_t: float) -> Line:
    """Return the line after a clipped affine step whose offset depends on the arm played."""
    return stepped(d, line, d.decay, _push(d, played_t))


@coupling_fault.register
def coupled_company_fault(d: Coupled, k: int, arms: int) -> str | None:
    """Check that there is a pull for each arm."""
    return None if len(d.pull) == arms else f"pull has {len(d.pull)} values for {arms} arms"


@checked_plays.register
def coupled_checked_plays(d: Coupled, played: Floats, rewards: Floats) -> None:
    """Check that plays are arm numbers and that all rewards are of one arm; warn where numbers could be flags."""
    most = len(d.pull) - 1
    if played.dtype == np.bool_:
        raise TypeError(
            f"played holds True and False, and Coupled dynamics need the number of the arm played, 0 to {most}, "
            "or -1 for none"
        )
    for t in np.flatnonzero(~np.isin(played, np.arange(-1, most + 1))):
        raise ValueError(
            f"decision {t}, played {played[t]:g} must be the number of an arm, 0 to {most}, or -1 for none"
        )
    observed = np.flatnonzero(~np.isnan(rewards))
    for t in observed[played[observed] < 0.0]:
        raise ValueError(f"decision {t}, reward {rewards[t]:g} was given but no arm was played: it must be nan")
    for t in observed[played[observed] != played[observed[:1]]]:
        raise ValueError(
            f"decision {t}, reward {rewards[t]:g} came from arm {played[t]:g}, that of decision {observed[0]} from arm "
            f"{played[observed[0]]:g}: fit one arm at a time, the rewards of others are nan"
        )
    if observed.size and played[observed[0]] == 1.0 and set(np.unique(played)) == {0.0, 1.0}:
        warnings.warn(
            "played holds only 0 and 1, which Coupled dynamics read as arm numbers: arm 1 gave the rewards, and arm 0 "
            "was played at all other decisions. If they are flags, write the arm's number where it was played and -1 "
            "where no arm was",
            RuntimeWarning,
            stacklevel=6,
        )
