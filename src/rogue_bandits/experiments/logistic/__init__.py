"""The paper's logistic experiment: two arms with rewards 0 or 1 that wear out at different rates.  [Sec. 5.3]"""

from __future__ import annotations

from rogue_bandits.experiments.experiment import Experiment
from rogue_bandits.experiments.logistic.settings import LogisticSettings, truths

EXPERIMENT = Experiment(
    name="logistic",
    title="The logistic experiment",
    about=(
        "At each decision a policy plays one of two arms, for example sends one of two messages, which either works "
        "(reward 1) or not (reward 0). An arm wears out each time it is played and recovers while it rests. The policy "
        "sees only the rewards of the arms it plays, and must find out which arm is better at the moment."
    ),
    settings=LogisticSettings,
    truths=truths,
)
