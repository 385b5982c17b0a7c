"""What is known of one person and one arm, and where its unknown numbers may lie."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.types import Floats

THETA_LO, THETA_HI = 0.005, 1.0  # of an agent's noise, on the scale where rewards are from 0 to 1


class Record(NamedTuple):
    """One arm of one person, decision by decision: was it played, and what followed (nan: not played, or not seen)."""

    played: Floats
    rewards: Floats

    def seen(self) -> Floats:
        """The rewards that were seen."""
        return self.rewards[~np.isnan(self.rewards)]


class Way(NamedTuple):
    """How a state moves, by where it goes: from 0 at rest to `low`, from 1 to `high`; a play adds `pull`; x0 to begin.

    The state rises with each of the four, so that two trajectories bound all those of a box of them.
    """

    low: float
    high: float
    pull: float
    x0: float

    def dynamics(self) -> ClippedAffine:
        """Decay = high − low, drift = low.

        >>> Way(low=0.25, high=1.0, pull=-0.5, x0=1.0).dynamics()
        ClippedAffine(decay=0.75, pull=-0.5, drift=0.25, lo=0.0, hi=1.0)
        """
        return ClippedAffine(self.high - self.low, self.pull, self.low)


def way_of(d: ClippedAffine, x0: float) -> Way:
    """The way of dynamics on [0, 1].

    >>> way_of(ClippedAffine(0.75, -0.5, 0.25), 1.0)
    Way(low=0.25, high=1.0, pull=-0.5, x0=1.0)
    """
    return Way(d.drift, d.drift + d.decay, d.pull, x0)


# Decay from 0 to 1, drift from 0 to 1, pull from −1 to 0: recovers at rest, wears out when played.
LOWEST, HIGHEST = Way(0.0, 0.0, -1.0, 0.0), Way(1.0, 2.0, 0.0, 1.0)
