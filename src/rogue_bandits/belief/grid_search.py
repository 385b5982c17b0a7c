"""The maximum-likelihood (theta, x0) of a family defined by its log-likelihood alone: samples, then Brent's method.

Between two kinks the likelihood is taken to have one maximum, or few, none narrower than the samples are apart. There
is no certificate.
"""

from __future__ import annotations

import math

from rogue_bandits.belief.evidence import ArmEvidence, loglik_of
from rogue_bandits.compile.laws import inlined, routine
from rogue_bandits.model.protocols import Model
from rogue_bandits.numerics.brent import MOST_TRIALS, has_converged, initialise, next_trial, updated
from rogue_bandits.types import Arm

THETA_SAMPLES = 17
X0_SAMPLES = 5
CLOSE = 1e-9


@routine
def best_theta_at(f: Model, arm: Arm, s: ArmEvidence, x0: float) -> tuple[float, float]:
    """Return the best theta at this x0, and its log-likelihood."""
    lo, hi = arm.theta_lo, arm.theta_hi
    width = (hi - lo) / (THETA_SAMPLES - 1)
    top, at = -math.inf, lo
    for j in range(THETA_SAMPLES):
        theta = min(lo + j * width, hi)
        value = loglik_of(f, s, theta, x0)
        if value > top:
            top, at = value, theta
    search = initialise(max(lo, at - width), min(hi, at + width), at, top, CLOSE * (hi - lo))
    for _ in range(MOST_TRIALS):
        if has_converged(search):
            break
        search = next_trial(search)
        search = updated(search, loglik_of(f, s, search.trial, x0))
    return search.x, search.fx


@routine
def best_point(f: Model, arm: Arm, s: ArmEvidence, x0: float) -> tuple[float, float]:
    """Return the best (theta, x0): on each strip, maximise over x0 with the best theta at each x0.

    Where no state depends on x0 it is the given one.
    """
    if not moves(s):
        return best_theta_at(f, arm, s, x0)[0], x0
    x0 = arm.dynamics.lo
    _, top = best_theta_at(f, arm, s, x0)
    for j in range(s.kinks.size - 1):
        x0_j, top_j = strip_best(f, arm, s, s.kinks[j], s.kinks[j + 1])
        if top_j > top:
            x0, top = x0_j, top_j
    return best_theta_at(f, arm, s, x0)[0], x0


@inlined
def moves(s: ArmEvidence) -> bool:
    """Return whether any state depends on x0."""
    for i in range(s.early.shape[0]):
        if s.early[i, 0] != 0.0:
            return True
    return False


@routine
def strip_best(f: Model, arm: Arm, s: ArmEvidence, lo: float, hi: float) -> tuple[float, float]:
    """Return the best x0 of a strip, and its log-likelihood."""
    width = (hi - lo) / (X0_SAMPLES - 1)
    top, at = -math.inf, lo
    for j in range(X0_SAMPLES):
        x0 = min(lo + j * width, hi)
        value = best_theta_at(f, arm, s, x0)[1]
        if value > top:
            top, at = value, x0
    search = initialise(max(lo, at - width), min(hi, at + width), at, top, CLOSE * (hi - lo))
    for _ in range(MOST_TRIALS):
        if has_converged(search):
            break
        search = next_trial(search)
        search = updated(search, best_theta_at(f, arm, s, search.trial)[1])
    return search.x, search.fx
