"""Proof by branch and bound over boxes of (theta, x0) that no point of a region has a mean of a given level.

The normalised divergence is at least the divergence over the cap of the radius. On a box a lower bound of the
divergence is the sum over rewards, each at the point of the box that is closest to the fit. With few rewards the cap is
what bounds a region, and a few boxes suffice; where it does not, nothing is proven.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rogue_bandits.belief.evidence import X_FIT, count, early_line
from rogue_bandits.belief.radius import caps
from rogue_bandits.belief.region import Region, rounding, settled_divergence_from_fit
from rogue_bandits.compile.laws import inlined, law, overwrite, routine
from rogue_bandits.model.dynamics.clipped_affine import clip, state_on_line
from rogue_bandits.model.protocols import LinearPredictor
from rogue_bandits.model.rewards.exponential import Exponential, natural
from rogue_bandits.model.rewards.laplace_agent import LaplaceAgent, inside, scale_kl, shift_kl
from rogue_bandits.types import Floats, coordinate, kl, mean, theta_at

MOST_BOXES = 48


@law
def least_kl_in_box(
    f: Any, thetas: tuple[float, float], states: tuple[float, float], theta2: float, x2: float
) -> float:
    """Return a lower bound of kl from (theta, x) to (theta2, x2) over thetas and states, each from low to high."""


least_kl_in_box.register(tuple)(lambda f, thetas, states, theta2, x2: 0.0)  # the trivial lower bound


@least_kl_in_box.register(Exponential)
def exponential_least_kl_in_box(
    f: LinearPredictor, thetas: tuple[float, float], states: tuple[float, float], theta2: float, x2: float
) -> float:
    """Return kl at the corner whose eta is closest to eta2; 0 if corners lie on both sides, as eta is linear."""
    eta2, least, above, below = natural(f, theta2, x2), np.inf, False, False
    theta, x = thetas[0], states[0]
    for theta_k in thetas:
        for x_k in states:
            away = natural(f, theta_k, x_k) - eta2
            above, below = above or away >= 0.0, below or away <= 0.0
            if abs(away) < least:
                least, theta, x = abs(away), theta_k, x_k
    return 0.0 if above and below else kl(f, theta, x, theta2, x2)


@least_kl_in_box.register(LaplaceAgent)
def laplace_agent_least_kl_in_box(
    f: LaplaceAgent, thetas: tuple[float, float], states: tuple[float, float], theta2: float, x2: float
) -> float:
    """Return the least KL of the scales, at the nearest theta, plus the least KL of the shift, at the largest theta.

    The first is inside·scale_kl, and `inside` is concave in x, so that it is least at an end of the states.
    """
    theta = clip(theta2, thetas[0], thetas[1])
    scales = min(inside(theta, states[0]), inside(theta, states[1])) * scale_kl(theta, theta2)
    return scales + shift_kl(thetas[1], abs(clip(x2, states[0], states[1]) - x2), theta2)


@routine
def least_divergence_in_box(g: Region, box: Floats) -> float:
    """Return a lower bound of the divergence from the fit over a box."""
    f, c = g.arm.rewards, g.local_fit
    thetas = thetas_of(g, box)
    total = settled_divergence_from_fit(g, clip(c.theta, thetas[0], thetas[1]))[0]
    for i in range(g.seen.early.shape[0]):
        line = early_line(g.seen, i)
        a, b = state_on_line(line, box[2]), state_on_line(line, box[3])
        total += least_kl_in_box(f, thetas, (min(a, b), max(a, b)), c.theta, g.seen.early[i, X_FIT])
    return total


@inlined
def thetas_of(g: Region, box: Floats) -> tuple[float, float]:
    """Return the thetas of a box, from low to high; its first two numbers are their coordinates."""
    f = g.arm.rewards
    a, b = theta_at(f, box[0]), theta_at(f, box[1])
    return max(g.arm.theta_lo, min(a, b)), min(g.arm.theta_hi, max(a, b))


@inlined
def largest_mean_in_box(g: Region, box: Floats) -> float:
    """Return the largest mean of the next reward in a box: monotone in theta and in x0, so at a corner."""
    f, thetas = g.arm.rewards, thetas_of(g, box)
    a, b = state_on_line(g.line, box[2]), state_on_line(g.line, box[3])
    return max(mean(f, thetas[0], a), mean(f, thetas[0], b), mean(f, thetas[1], a), mean(f, thetas[1], b))


@inlined
def is_bounded_by_cap(g: Region) -> bool:
    """Return whether the cap, not the spread, bounds the region if the divergence is quadratic: half of its spread."""
    if count(g.seen) == 0.0:  # nothing does
        return False
    cap, b = caps(g.rule, count(g.seen), g.log_t)
    return cap <= 2.0 * b * b


@routine
def level_is_excluded(g: Region, level: float) -> bool:
    """Return whether every point with a mean of `level` or more is proven to be outside the region."""
    f, d = g.arm.rewards, g.arm.dynamics
    # The margin is for rounding errors.
    most = caps(g.rule, count(g.seen), g.log_t)[0] * (1.0 + 1e-9) + rounding(g)
    boxes, left = np.empty((MOST_BOXES + 1, 4)), 1
    boxes[0, 0], boxes[0, 1] = coordinate(f, g.arm.theta_lo), coordinate(f, g.arm.theta_hi)
    boxes[0, 2], boxes[0, 3] = d.lo, d.hi
    range_theta, range_x0 = abs(boxes[0, 1] - boxes[0, 0]), d.hi - d.lo
    for _ in range(MOST_BOXES):
        box = boxes[left - 1]
        if largest_mean_in_box(g, box) < level or least_divergence_in_box(g, box) > most:
            left -= 1
            if left == 0:
                return True
            continue
        # Halve the longer side; the two halves replace the box.
        side = 0 if abs(box[1] - box[0]) * range_x0 >= (box[3] - box[2]) * range_theta else 2
        middle = 0.5 * (box[side] + box[side + 1])
        overwrite(boxes[left], box)
        boxes[left - 1, side + 1] = middle
        boxes[left, side] = middle
        left += 1
    return False
