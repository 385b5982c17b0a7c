"""The truths that are simulated."""

from __future__ import annotations

import rogue_bandits as rb
from rogue_bandits.experiments.logistic.settings import LogisticSettings, truths

LOGISTIC = truths(LogisticSettings())[0]

# The same arms with other thetas: a policy that considers every theta possible prefers the worse arm.
MISLEADING = LOGISTIC._replace(theta=[0.9, 0.1])

# Arms of the other families that wear out and recover.
NORMAL = rb.Truth(
    [rb.Arm(arm.dynamics, rb.Gaussian(theta_weight=1.0, state_weight=2.0, sd=0.5)) for arm in LOGISTIC.arms],
    LOGISTIC.theta,
    LOGISTIC.x0,
)
AGENT = rb.Arm(rb.ClippedAffine(decay=0.8, pull=-0.25, drift=0.16), rb.LaplaceAgent(), theta_lo=0.01, theta_hi=1.0)
AGENTS = rb.Truth([AGENT, AGENT], theta=[0.1, 0.2], x0=[0.5, 0.5])

# Two coins that never change, heads with probability 0.50 and 0.55.
STILL = rb.ClippedAffine(decay=0.0, pull=0.0, drift=0.0, lo=0.0, hi=0.0)
COIN = rb.Arm(STILL, rb.BernoulliLogit(1.0, 1.0), theta_lo=-2.0, theta_hi=2.0)
COINS = rb.Truth([COIN, COIN], theta=[0.0, 0.2], x0=[0.0, 0.0])
