"""The truths that everything is measured on."""

from __future__ import annotations

from rogue_bandits.experiments.logistic.settings import LogisticSettings, truths
from rogue_bandits.types import Truth

LOGISTIC = truths(LogisticSettings())[0]  # the paper's Table 1

# Five messages: the arms of Table 1 in turn, so that some differ in nothing but what is to be learned.
FIVE_ARMS = Truth(
    arms=[LOGISTIC.arms[k % 2] for k in range(5)],
    theta=[0.5, 0.7, 0.6, 0.4, 0.8],
    x0=[0.1, 0.3, 0.5, 0.7, 0.9],
)
