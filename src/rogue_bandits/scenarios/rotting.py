"""Rotting arms: J. Seznec and others (2019), Rotting bandits are no harder than stochastic ones, arXiv:1811.11043.

The arms of its two figures, as in the authors' code (SMPyBandits, the scripts that reproduce Figures 1 and 2): normal
noise of variance 1, and means that fall once, from +mu to −mu.
"""

from __future__ import annotations

from rogue_bandits.model.dynamics.curves import Rotting
from rogue_bandits.model.priors import Matern
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.model.validation import curve_length
from rogue_bandits.policies.fewa import FEWA
from rogue_bandits.policies.wswa import WSWA
from rogue_bandits.scenarios.scenario import Scenario
from rogue_bandits.types import Arm, Truth

PAPER = "Seznec et al. 2019, arXiv:1811.11043, {}"
BASELINES = (FEWA(alpha=0.06), WSWA(alpha=0.002), WSWA(alpha=0.02), WSWA(alpha=0.2))


def steps(mus: tuple[float, ...], drop: int, horizon: int, width: int, sd: float, cites: str) -> Scenario:
    """Return arms with mean mu for their first `drop` plays and −mu after them.

    `sd` of the prior is the scale of the means. Learners know nothing else of them, and not that there is one step.
    """
    d = Rotting(horizon, width, Matern(length=4.0, sd=sd))
    arm = Arm(d, Gaussian(1.0, 0.0, 1.0), -12.0, 12.0)
    cells = range(curve_length(d))
    curves = [tuple(mu if i * width < drop else -mu for i in cells) for mu in mus]
    return Scenario(Truth([arm] * len(mus), curves, [0.0] * len(mus)), horizon, PAPER.format(cites), BASELINES)


SCENARIOS = {
    f"rotting-step-{mu}": steps((mu, 0.0), 2_500, 10_000, 250, 0.5, f"Fig. 1, two arms, L/2 = {mu}")
    for mu in (0.1, 0.25, 0.5)
} | {
    "rotting-ten": steps(
        (0.0, *(0.001 * 10.0 ** (i / 2) for i in range(9))), 1_000, 25_000, 500, 3.0, "Fig. 2, ten arms"
    ),
}  # fmt: skip
