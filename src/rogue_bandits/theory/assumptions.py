"""The constants of the paper's assumptions and theorems, computed from the model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from rogue_bandits.model.constants import (
    FAILS,
    algorithm_constants,
    c_f,
    confidence_constants,
    corners,
    diameter_box,
    diameter_state,
    lipschitz_mean,
    lipschitz_parameters,
    lipschitz_reward,
    scaled_radius,
    sub_gaussian,
)
from rogue_bandits.model.numbers import checked_alpha
from rogue_bandits.model.validation import checked_arm, checked_arms
from rogue_bandits.types import Arm, mean


class Constants(NamedTuple):
    """The constants of an arm. They are derived beside each family's laws, in `model/`."""

    L_f: float  # Lipschitz constant of log p(r | theta, x) in (theta, x)  [Assumption 3]
    L_g: float  # Lipschitz constant of the mean reward in (theta, x)  [Assumption 3]
    L_p: float  # Lipschitz constant of log-likelihood ratios in the reward  [Assumption 4]
    sigma: float  # sub-Gaussian parameter of 1-Lipschitz functions of a reward  [Assumption 4]
    diam_state: float  # the largest |x|  [Lemma 2]
    diam_box: float  # the largest norm of (theta, x)
    c_f: float  # c_f(d_x, d_theta) at d_x = d_theta = 1  [Theorem 1]


def constants(arm: Arm) -> Constants:
    """Return the constants of an arm; a TypeError names an assumption that has no constant for its family.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> rb.theory.constants(arm)
    Constants(L_f=0.527..., L_g=0.180..., L_p=1.0, sigma=0.5, diam_state=1.0, diam_box=1.414..., c_f=186.87...)
    """
    arm = checked_arm(arm)
    f = arm.rewards
    return Constants(
        L_f=lipschitz_parameters(f, arm),
        L_g=lipschitz_mean(f, arm),
        L_p=lipschitz_reward(f, arm),
        sigma=sub_gaussian(f),
        diam_state=diameter_state(arm),
        diam_box=diameter_box(arm),
        c_f=c_f(arm),
    )


def confidence_factor(arm: Arm, alpha: float) -> float:
    """Return B(alpha) = c_f/√log(1/alpha) + L_p·sigma·√2.  [Corollary 1]

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> round(rb.theory.confidence_factor(arm, alpha=0.05), 2)
    108.68
    """
    log_inverse = math.log(1.0 / checked_alpha(alpha, "theory"))
    return scaled_radius(confidence_constants(checked_arm(arm)), log_inverse) / math.sqrt(log_inverse)


def radius_factor(arm: Arm, t: float) -> float:
    """Return A(t) = B(t⁻⁴), the factor of √(4 log t / n) in Algorithm 1; infinite at t = 1.  [Theorem 3]

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> round(rb.theory.radius_factor(arm, t=20_000), 2)
    30.4
    """
    if not t >= 1.0:
        raise ValueError(f"radius_factor, t {t} must be 1 or more")
    log_t, of = math.log(t), algorithm_constants(checked_arm(arm))
    return scaled_radius(of, log_t) / math.sqrt(FAILS * log_t) if t > 1.0 else math.inf


def largest_gap(arms: Sequence[Arm]) -> float:
    """Return the largest mean of any arm less the smallest, over all (theta, x): the largest regret of one decision.

    Proposition 2 has L_g·diam(X × Θ) instead, which holds only if all arms share one g. Means are monotone, so the
    extremes are at corners of the boxes.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> round(rb.theory.largest_gap([arm, arm]), 4)
    0.2311
    """
    means = [mean(arm.rewards, theta, x) for arm in checked_arms(arms) for theta, x in corners(arm)]
    return max(means) - min(means)
