"""Arms that also feel the plays of other arms.  [Sec. 4.3.2]"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.compile.laws import inlined
from rogue_bandits.model.dynamics.clipped_affine import bounds_fault, clip, expansion_fault, stepped
from rogue_bandits.model.validation import checked_plays, company_fault, dynamics_fault
from rogue_bandits.types import Arm, Floats, Line, Vector, next_line, next_state, signal


class Coupled(NamedTuple):
    """x' = clip(decay·x + pull[j] + drift, lo, hi), j the arm that was played; nothing pulls when none was.

    `pull` has a number for each arm of the bandit. Where `fit` and the like ask what was played, they are told the
    number of the arm, −1 for none.

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
def push(d: Any, played_t: float) -> float:
    """What is added to decay·x."""
    return d.pull[int(played_t)] + d.drift if played_t >= 0.0 else d.drift


@signal.register(Coupled)
def coupled_signal(d: Coupled, k: int, arm: int) -> float:
    """Which arm it was."""
    return float(arm)


@next_state.register(Coupled)
def coupled_next_state(d: Coupled, x_t: float, played_t: float) -> float:
    """x_{t+1} = clip(decay x_t + pull_j + drift, lo, hi)."""
    return clip(d.decay * x_t + push(d, played_t), d.lo, d.hi)


@next_line.register(Coupled)
def coupled_next_line(d: Coupled, line: Line, played_t: float) -> Line:
    """Whoever was played, it is a clipped affine step."""
    return stepped(d, line, d.decay, push(d, played_t))


@dynamics_fault.register
def coupled_fault(d: Coupled, arm: Arm) -> str | None:
    """The dynamics do not expand.  [Assumption 5]"""
    return expansion_fault(d, "decay") or bounds_fault(d)


@company_fault.register
def coupled_company_fault(d: Coupled, k: int, arms: int) -> str | None:
    """A pull for each arm."""
    return None if len(d.pull) == arms else f"pull has {len(d.pull)} values for {arms} arms"


@checked_plays.register
def coupled_checked_plays(d: Coupled, played: Floats, rewards: Floats) -> None:
    """The numbers of arms, and all rewards after plays of one and the same."""
    most = len(d.pull) - 1
    for t in np.flatnonzero(~np.isin(played, np.arange(-1, most + 1))):
        raise ValueError(
            f"decision {t}, played {played[t]:g} must be the number of an arm, 0 to {most}, or -1 for none"
        )
    seen = np.flatnonzero(~np.isnan(rewards))
    for t in seen[played[seen] < 0.0]:
        raise ValueError(f"decision {t}, reward {rewards[t]:g} was given but no arm was played: it must be nan")
    for t in seen[played[seen] != played[seen[:1]]]:
        raise ValueError(
            f"decision {t}, reward {rewards[t]:g} came from arm {played[t]:g}, that of decision {seen[0]} from arm "
            f"{played[seen[0]]:g}: fit one arm at a time, the rewards of others are nan"
        )
