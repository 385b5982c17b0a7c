"""Last-switch-dependent arms.

P. Laforgue, G. Clerici, N. Cesa-Bianchi, R. Gilad-Bachrach (2022), A last switch dependent analysis of satiation and
seasonality in bandits, AISTATS, arXiv:2110.11819, Section 4.

Two arms with 0/1 rewards, as in the authors' code (github.com/GiuliaClerici/LSD_bandits, `gen_M_trickOG`). Their mean
depends on the decisions since their last play, and so these are recovering arms. One has mean 0.05; the other 0.06 when
it is played again at once, and 0.95 after a rest. The greedy oracle never lets it rest.
"""

from __future__ import annotations

import math

from rogue_bandits.model.dynamics.curves import Recovering
from rogue_bandits.model.priors import Matern
from rogue_bandits.model.rewards.bernoulli_logit import BernoulliLogit
from rogue_bandits.scenarios.scenario import Scenario
from rogue_bandits.types import Arm, Truth

LONGEST, HORIZON = 10, 3_300
ARM = Arm(Recovering(LONGEST, Matern(length=3.0, sd=2.0)), BernoulliLogit(1.0, 0.0), -5.0, 5.0)


def logit(p: float) -> float:
    """Return the theta at which the mean is p."""
    return math.log(p / (1.0 - p))


SCENARIOS = {
    "last-switch": Scenario(
        Truth(
            [ARM, ARM], [(logit(0.05),) * (LONGEST + 1), (logit(0.06), *(logit(0.95),) * LONGEST)], [0.0, 0.0]
        ),
        HORIZON,
        "Laforgue et al. 2022, arXiv:2110.11819, Sec. 4",
    )
}  # fmt: skip
