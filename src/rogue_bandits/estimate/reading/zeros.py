"""Rewards of 0 that may say that nothing was recorded."""

from __future__ import annotations

import numpy as np

from rogue_bandits.estimate.reading.numbers import NumberOptions
from rogue_bandits.types import Floats
from rogue_bandits.wording import counted, plain

MANY_VALUES = 50  # different rewards above 0, from which they are measurements
MANY_ZEROS = 0.25  # of the rewards, from which 0 is taken to be real: seconds of use, or of brushing
NEAR_ZERO = 0.1  # of the median of the rewards above 0
RARELY = 0.5  # rewards as near to 0 for each that is 0


def notes_on_zeros(column: str, rewards: Floats, options: NumberOptions) -> list[str]:
    """Return a note on rewards of 0 far below all others, such as steps of a day on which a tracker was not worn.

    Only of rewards with many values, as 0 is the end of a short scale, and of few zeros: many are mostly real. Whoever
    says that no number stands for a missing value has answered already.
    """
    reward = rewards[~np.isnan(rewards)]
    above, zeros = reward[reward > 0.0], int(np.count_nonzero(reward == 0.0))
    if options.are_all_real() or not 0 < zeros < MANY_ZEROS * reward.size:
        return []
    if reward.min() < 0.0 or np.unique(above).size < MANY_VALUES:
        return []
    if np.count_nonzero(above < NEAR_ZERO * np.median(above)) > RARELY * zeros:
        return []
    return [
        f"{counted(zeros, 'reward is', 'rewards are')} 0, and hardly any is near 0 beside (half of the others are "
        f"above {plain(float(np.median(above)))}). If 0 in '{column}' may say that nothing was recorded, such as a "
        "tracker that was not worn, add --missing 0."
    ]
