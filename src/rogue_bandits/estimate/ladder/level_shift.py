"""The shift of drawn log odds and log means by which mean rewards over the draws sum to what they should.

Laplace's method puts people at their modes, where fitted rewards about sum to the observed ones. Draws around these are
symmetric on the scale of the predictor, on which a small mean is convex: over the draws it is larger than at the mode,
by a third where people have six rewards each and one in thirty is a success. The posterior has no such excess. With a
flat prior of the mean level the expected score of that mean is 0, and the score of log odds and of log means is the sum
of rewards less their means.
"""

from __future__ import annotations

import numpy as np

from rogue_bandits.estimate.ladder.laws import Logit, Poisson, terms
from rogue_bandits.types import Floats

STEPS, LONGEST_STEP, SETTLED, TINY = 20, 1.0, 1e-6, 1e-300


def level_shift(law: Logit | Poisson, eta: Floats, total: float) -> float:
    """Return by how much to shift predictors [draws, rows] so that their mean rewards sum to a total over the rows.

    >>> eta = np.log([[0.01], [0.04]])
    >>> float(np.exp(eta + level_shift(Poisson(), eta, total=0.02)).mean().round(6))
    0.02
    """
    by, none = 0.0, np.zeros((1, 1))
    for _ in range(STEPS):
        found = terms(law, eta + by, none, np.zeros(1))  # of rewards of 0 the slope is less the mean
        excess, slope = -float(found.slope.mean(0).sum()) - total, float(found.information.mean(0).sum())
        step = float(np.clip(excess / max(slope, TINY), -LONGEST_STEP, LONGEST_STEP))
        by -= step
        if abs(step) < SETTLED:
            break
    return by
