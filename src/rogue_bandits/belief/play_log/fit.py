"""The maximum-likelihood (theta, x0) of a play log, with a certificate (docs/decisions/0014)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rogue_bandits.belief.play_log.boxes import close_box, most_promising, one_box, point_in_box, split_box
from rogue_bandits.belief.play_log.concave import top_in_box
from rogue_bandits.belief.play_log.evidence import PlayLog
from rogue_bandits.belief.play_log.local_fit import play_log_loglik
from rogue_bandits.belief.play_log.pattern_search import search_fit
from rogue_bandits.belief.play_log.trajectory import BY_X0, trajectory, trajectory_box
from rogue_bandits.compile.laws import inlined, law, overwrite
from rogue_bandits.model.dynamics.enclosure import AffineForm, new_form
from rogue_bandits.model.protocols import LinearPredictor, Model
from rogue_bandits.model.rewards.exponential import Exponential, eta_range
from rogue_bandits.types import Arm, Floats

GOOD_ENOUGH = 1e-7  # of log-likelihood


@law
def play_log_best(f: Any, arm: Any, s: PlayLog, theta: float, x0: Floats, evaluations: int) -> tuple[float, float]:
    """Return the best theta and the gap of the log-likelihood, and write x0 in place; both start from the last fit."""


@play_log_best.register(tuple)
def found_by_search(f: Model, arm: Arm, s: PlayLog, theta: float, x0: Floats, evaluations: int) -> tuple[float, float]:
    """Return the fit found by search, without a proof."""
    return search_fit(arm, s, theta, x0), math.inf


@play_log_best.register(Exponential)
def proven(f: LinearPredictor, arm: Arm, s: PlayLog, theta: float, x0: Floats, evaluations: int) -> tuple[float, float]:
    """Fit by branch and bound: boxes of x0 by decreasing bound, with states linear in x0 up to a margin.

    A box on which states are linear is closed at once, as its maximum is found. Others are split at a kink.
    """
    n, d = x0.size, arm.dynamics
    _, all_lo, all_hi = point_in_box(arm, theta, x0)
    lo, hi = all_lo[1:], all_hi[1:]
    seen, rows = np.empty(s.early.shape[0] + 1), np.empty((s.early.shape[0] + 1, BY_X0 + n))
    boxes, form = one_box(lo, hi, evaluations + 1), new_form(n)
    p, p_lo, p_hi, at = np.empty(1 + n), np.empty(1 + n), np.empty(1 + n), np.empty(n)
    trajectory(d, s, x0, seen)
    best = play_log_loglik(arm, s, theta, seen)
    ceiling = best
    for _ in range(evaluations):
        b = most_promising(boxes)
        if b < 0 or boxes.bound[b] <= best + GOOD_ENOUGH:
            break
        trajectory_box(d, s, boxes.lo[b], boxes.hi[b], form, rows)
        p[0], p_lo[0], p_hi[0] = theta, arm.theta_lo, arm.theta_hi
        for k in range(n):
            p_lo[1 + k], p_hi[1 + k] = -form.half[k], form.half[k]
            p[1 + k] = min(max(x0[k] - form.middle[k], -form.half[k]), form.half[k])
        _, bound = top_in_box(f, s, rows, eta_range(f, arm), p_lo, p_hi, best + GOOD_ENOUGH, p)
        for k in range(n):
            at[k] = min(max(form.middle[k] + p[1 + k], boxes.lo[b, k]), boxes.hi[b, k])
        trajectory(d, s, at, seen)
        value = play_log_loglik(arm, s, p[0], seen)
        if value > best:
            best, theta = value, p[0]
            overwrite(x0, at)
        bound = min(bound, boxes.bound[b]) if not math.isnan(bound) else boxes.bound[b]
        if bound <= best + GOOD_ENOUGH:
            ceiling = max(ceiling, bound)
            close_box(boxes, b)
        else:
            across = largest_in_margin(form, lo, hi)
            split_box(boxes, b, bound, across, form.cut[across])
    b = most_promising(boxes)
    return theta, max(0.0, max(ceiling, boxes.bound[b] if b >= 0 else best) - best)


@inlined
def largest_in_margin(form: AffineForm, lo: Floats, hi: Floats) -> int:
    """Return the component of x0 with the largest share in the margin; among equals, the widest."""
    across, most = 0, -1.0
    for k in range(form.half.size):
        wide = form.half[k] / (hi[k] - lo[k]) if hi[k] > lo[k] else 0.0
        share = form.margin_share[k] + 1e-9 * wide if wide > 0.0 else -0.5
        if share > most:
            across, most = k, share
    return across
