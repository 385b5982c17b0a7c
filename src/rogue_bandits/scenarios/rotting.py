"""Rotting arms, whose mean falls once.

J. Seznec and others (2019), Rotting bandits are no harder than stochastic ones, arXiv:1811.11043: the arms of its two
figures, as in the authors' code (SMPyBandits, the scripts that reproduce Figures 1 and 2): normal noise of variance 1,
and means that fall from +mu to −mu.

N. Levine, K. Crammer, S. Mannor (2017), Rotting bandits, NeurIPS, arXiv:1702.07274: the non-parametric case of its
simulations, normal noise of variance 0.2; one arm has mean 0.5, the other 1 for 7,500 plays and 0.4 after them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rogue_bandits.model.dynamics.curves import Rotting
from rogue_bandits.model.priors import Matern, Monotone, Steps
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.model.validation import curve_length
from rogue_bandits.policies.fewa import FEWA
from rogue_bandits.policies.wswa import WSWA
from rogue_bandits.scenarios.scenario import Scenario
from rogue_bandits.types import Arm, Truth

SEZNEC, LEVINE = "Seznec et al. 2019, arXiv:1811.11043, {}", "Levine et al. 2017, arXiv:1702.07274, {}"
BASELINES = (FEWA(alpha=0.06), WSWA(alpha=0.002), WSWA(alpha=0.02), WSWA(alpha=0.2))


def steps(
    means: Sequence[tuple[float, float]], drop: int, noise: float, horizon: int, width: int, sd: float, cites: str
) -> Scenario:
    """Return arms with the first of two means for their first `drop` plays and the second after them.

    `sd` of the prior is the scale of the means. Learners know nothing else of them, and not that there is one step;
    under the first of `priors` they know that there may be steps, under the second that means only fall.
    """
    d = Rotting(horizon, width, Matern(length=4.0, sd=sd))
    arm = Arm(d, Gaussian(1.0, 0.0, noise), -12.0, 12.0)
    cells = range(curve_length(d))
    curves = [tuple(before if i * width < drop else after for i in cells) for before, after in means]
    truth, priors = Truth([arm] * len(means), curves, [0.0] * len(means)), (Steps(rate=0.05, sd=sd), Monotone(d.prior))
    return Scenario(truth, horizon, cites, BASELINES, priors)


def opposite(*mus: float) -> list[tuple[float, float]]:
    """Return +mu and −mu for each."""
    return [(mu, -mu) for mu in mus]


SCENARIOS = {
    f"rotting-step-{mu}": steps(
        opposite(mu, 0.0), 2_500, 1.0, 10_000, 250, 0.5, SEZNEC.format(f"Fig. 1, two arms, L/2 = {mu}")
    )
    for mu in (0.1, 0.25, 0.5)
} | {
    "rotting-ten": steps(
        opposite(0.0, *(0.001 * 10.0 ** (i / 2) for i in range(9))), 1_000, 1.0, 25_000, 500, 3.0,
        SEZNEC.format("Fig. 2, ten arms"),
    ),
    "rotting-levine": steps(
        [(0.5, 0.5), (1.0, 0.4)], 7_500, math.sqrt(0.2), 30_000, 500, 0.5, LEVINE.format("Sec. 5, non-parametric case")
    ),
}  # fmt: skip
