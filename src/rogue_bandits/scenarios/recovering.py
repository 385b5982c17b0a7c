"""Recovering arms: C. Pike-Burke, S. Grünewälder (2019), Recovering bandits, NeurIPS, arXiv:1910.14354, Section 6.2.

Ten arms, delays up to 30, normal noise of variance 0.01, 1,000 decisions; the curves are drawn as in the authors' code
(github.com/ciarapb/recovering_bandits, setups/), with its seeds and its order of draws.
"""

from __future__ import annotations

import numpy as np

from rogue_bandits.model.dynamics.curves import Recovering
from rogue_bandits.model.priors import Monotone, SquaredExponential
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.policies.rgp import RGPTS, RGPUCB
from rogue_bandits.scenarios.scenario import Scenario
from rogue_bandits.types import Arm, Floats, Truth

ARMS, LONGEST, SD, HORIZON = 10, 30, 0.1, 1_000
PAPER = "Pike-Burke and Grünewälder 2019, arXiv:1910.14354, Sec. 6.2, {} arms"
BASELINES = (RGPUCB(), RGPTS(), RGPTS(depth=4))


def logistic_curves() -> Floats:
    """Return theta0 / (1 + exp(−theta1·(z − theta2))) at z = 0, …, 30 for each arm."""
    rng, z = np.random.RandomState(2374), np.arange(LONGEST + 1.0)
    top, steep, middle = rng.uniform(0.1, 1.0, ARMS), rng.uniform(0.1, 1.0, ARMS), rng.uniform(0.1, LONGEST, ARMS)
    curves: Floats = top[:, None] / (1.0 + np.exp(-steep[:, None] * (z - middle[:, None])))
    return curves


def gamma_curves() -> Floats:
    """Return theta2·y^theta0·exp(−theta1·y) with y = 31 − z, divided by its largest value over all y, for each arm."""
    rng, y = np.random.RandomState(6592), LONGEST + 1.0 - np.arange(LONGEST + 1.0)
    rate = rng.uniform(0.1, 0.8, ARMS)
    shape, top = rng.uniform(2.0 * rate, 20.0 * rate, ARMS), rng.uniform(0.1, 1.0, ARMS)
    at = (shape / rate)[:, None]  # where it is largest
    curves: Floats = top[:, None] * (y / at) ** shape[:, None] * np.exp(rate[:, None] * (at - y))
    return curves


def recovering(name: str, curves: Floats) -> Scenario:
    """Return ten arms with these curves and the authors' prior."""
    arm = Arm(Recovering(LONGEST, SquaredExponential(length=5.0, sd=1.0, mean=0.0)), Gaussian(1.0, 0.0, SD))
    truth = Truth([arm] * ARMS, [tuple(curve) for curve in curves.tolist()], [0.0] * ARMS)
    return Scenario(truth, HORIZON, PAPER.format(name), BASELINES, (Monotone(arm.dynamics.prior),))


SCENARIOS = {
    "recovering-logistic": recovering("logistic", logistic_curves()),
    "recovering-gamma": recovering("gamma", gamma_curves()),
}
