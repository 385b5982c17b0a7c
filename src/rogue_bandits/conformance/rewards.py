"""The reward family: is its law a law, log-concave, and do all other laws agree with it?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from rogue_bandits.conformance.finding import Fault
from rogue_bandits.conformance.integrals import adds_up, chances, kinks_of
from rogue_bandits.model.probe import evaluate, has_law, overrides_law
from rogue_bandits.model.rewards.expectations import effective_support
from rogue_bandits.types import Arm, draw, information, kl, kl_and_slopes, loglik, mean, support

PLACES = (0.02, 0.35, 0.7, 0.98)  # inside of the box, so that differences stay inside too
STRATA = 100
KINKY = 1e-2  # a sum that is off by less may be a law's, added up badly
Point = tuple[float, float]


def points(arm: Arm) -> list[Point]:
    """Where in the box the laws are tried."""
    d = arm.dynamics
    thetas = [arm.theta_lo + p * (arm.theta_hi - arm.theta_lo) for p in PLACES]
    return [(theta, d.lo + p * (d.hi - d.lo)) for theta in thetas for p in PLACES]


def at(point: Point) -> str:
    """A point in words."""
    return f"theta {point[0]:g} and x {point[1]:g}"


def step_of(arm: Arm) -> Point:
    """The steps of differences: along theta, along x."""
    d = arm.dynamics
    return 5e-3 * (arm.theta_hi - arm.theta_lo), 5e-3 * (d.hi - d.lo)


def some_rewards(arm: Arm, point: Point) -> list[float]:
    """A few rewards inside of the support; where it has no end, of the family's own `effective_support`, or none."""
    f, (lo, hi, whole) = arm.rewards, support(arm.rewards)
    if not math.isfinite(hi - lo):
        if not overrides_law(effective_support, f):
            return []
        lo, _, hi = evaluate(effective_support, f, *point)
    inside = np.linspace(lo, hi, 7)[1:-1]
    return [float(r) for r in (np.unique(np.round(inside)) if whole else inside)]


def no_number(arm: Arm) -> Iterator[Fault]:
    """Loglik is a number: asked before all else, as other laws may be worked out from it and break with it."""
    for point in points(arm):
        for r in some_rewards(arm, point):
            evaluate(loglik, arm.rewards, *point, r)
    yield from ()


def wrong_mass(arm: Arm) -> Iterator[Fault]:
    """Probabilities sum up to 1."""
    for point in points(arm):
        c = chances(arm.rewards, *point)
        if not adds_up(c):
            total = c.probability.sum()
            words = f"at {at(point)} it integrates to {total:.6g}, not 1"
            if abs(total - 1.0) < KINKY and not support(arm.rewards)[2]:
                words += "; so it looks, too, where the density has a kink that the law `kinks` does not name"
            yield Fault("loglik", "rewards have a probability law whose log-density is loglik", words)


def not_log_concave(arm: Arm) -> Iterator[Fault]:
    """On a log scale no density has a dent."""
    for point in points(arm):
        c = chances(arm.rewards, *point)
        seen = np.isfinite(c.log_density) & (c.probability > 1e-14)
        r, value = c.rewards[seen], c.log_density[seen]
        share = (r[1:-1] - r[:-2]) / (r[2:] - r[:-2])
        dent = (1.0 - share) * value[:-2] + share * value[2:] - value[1:-1]
        if dent.size and dent.max() > 1e-7 * (1.0 + np.abs(value).max()):
            k = int(dent.argmax())
            words = f"at {at(point)} it has a dent at r {r[k + 1]:g}, between {r[k]:g} and {r[k + 2]:g}"
            yield Fault("loglik", "Assumption 2, rewards are log-concave", words)


def wrong_mean(arm: Arm) -> Iterator[Fault]:
    """The mean is that of the law."""
    for point in points(arm):
        c = chances(arm.rewards, *point)
        told, exact = evaluate(mean, arm.rewards, *point), float(c.probability @ c.rewards)
        spread = math.sqrt(max(0.0, float(c.probability @ (c.rewards - exact) ** 2)))
        if adds_up(c) and abs(told - exact) > 1e-5 * (spread + 1e-3 * abs(exact)):
            yield Fault(
                "mean", "mean is the expected reward", f"at {at(point)} it is {told:.6g}, by loglik {exact:.6g}"
            )


def not_monotone(arm: Arm) -> Iterator[Fault]:
    """The search for the upper bound relies on it."""
    grid = np.array([evaluate(mean, arm.rewards, *point) for point in points(arm)]).reshape(len(PLACES), len(PLACES))
    slack = 1e-9 * (np.ptp(grid) + abs(grid).max())
    for axis, name, values in ((0, "theta at a fixed x", grid.T), (1, "x at a fixed theta", grid)):
        for row in values:
            if np.diff(row).min() < -slack and np.diff(row).max() > slack:
                words = f"along {name} it goes {', '.join(f'{v:.4g}' for v in row)}"
                yield Fault(
                    "mean", f"the mean is monotone in {('theta', 'x')[axis]}, as the upper bound's search needs", words
                )


def wrong_kl(arm: Arm) -> Iterator[Fault]:
    """KL is the expected log-ratio: at least 0, and 0 only between equals."""
    f, places = arm.rewards, points(arm)
    for p, q in [(p, q) for p in places[::6] for q in places[1::7]] + [(p, p) for p in places]:
        told = evaluate(kl, f, *p, *q)
        pair = f"from {at(p)} to {at(q)} it is {told:.6g}"
        if told < 0.0 or (p == q and told > 1e-9):
            yield Fault("kl", "KL is at least 0, and 0 between equals", pair)
            continue
        c = chances(f, *p, kinks_of(f, *q))
        if not (adds_up(c) and adds_up(chances(f, *q))):
            continue
        keep = c.probability > 0.0
        ratio = np.array(
            [evaluate(loglik, f, *p, float(r)) - evaluate(loglik, f, *q, float(r)) for r in c.rewards[keep]]
        )
        exact = float(c.probability[keep] @ ratio)
        if abs(told - exact) > 1e-5 * (exact + 1e-3):
            yield Fault("kl", "KL is the expected log-ratio of loglik", f"{pair}, by loglik {exact:.6g}")


def wrong_slopes(arm: Arm) -> Iterator[Fault]:
    """`kl_and_slopes` is kl, with what differences of it say."""
    f, (h, k), places = arm.rewards, step_of(arm), points(arm)
    for p, (theta, x) in zip(places, reversed(places), strict=True):
        told = evaluate(kl_and_slopes, f, *p, theta, x)
        exact = (
            evaluate(kl, f, *p, theta, x),
            (evaluate(kl, f, *p, theta + h, x) - evaluate(kl, f, *p, theta - h, x)) / (2.0 * h),
            (evaluate(kl, f, *p, theta, x + k) - evaluate(kl, f, *p, theta, x - k)) / (2.0 * k) if k else told[2],
        )
        far = [abs(a - b) / (0.02 * abs(b) + 1e-3 * (1.0 + exact[0])) for a, b in zip(told, exact, strict=True)]
        if max(far) > 1.0:
            said, by_kl = (", ".join(f"{value:.4g}" for value in values) for values in (told, exact))
            words = f"from {at(p)} to {at((theta, x))} it is ({said}), by differences of kl ({by_kl})"
            yield Fault("kl_and_slopes", "it is kl with its slopes by the second theta and x", words)


def curvature(f: Any, theta: float, x: float, h: float, k: float) -> tuple[float, float, float]:
    """That of kl at equality, by differences: theta-theta, theta-x and x-x; the latter 0 if k is."""

    def around(a: float, b: float) -> float:
        return evaluate(kl, f, theta, x, theta + a, x + b) + evaluate(kl, f, theta, x, theta - a, x - b)

    tt = around(h, 0.0) / h**2
    return (tt, (around(h, k) - around(h, -k)) / (4.0 * h * k), around(0.0, k) / k**2) if k else (tt, 0.0, 0.0)


def wrong_information(arm: Arm) -> Iterator[Fault]:
    """Information is the curvature of kl at equality."""
    f, (h, k) = arm.rewards, step_of(arm)
    for theta, x in points(arm):
        told = evaluate(information, f, theta, x)
        # Where the density has a kink the error is as the step: half of it tells how much that is.
        wide, narrow = curvature(f, theta, x, h, k), curvature(f, theta, x, 0.5 * h, 0.5 * k)
        tt, tx, xx = (2.0 * b - a for a, b in zip(wide, narrow, strict=True))
        if not k:
            tx, xx = told[1:]
        scale = (tt, math.sqrt(tt * xx), xx)
        if any(abs(a - b) > 0.05 * s + 1e-9 for a, b, s in zip(told, (tt, tx, xx), scale, strict=True)):
            words = f"at {at((theta, x))} it is ({told[0]:.4g}, {told[1]:.4g}, {told[2]:.4g}), "
            words += f"the curvature of kl ({tt:.4g}, {tx:.4g}, {xx:.4g})"
            yield Fault("information", "information is the curvature of kl", words)


def wrong_draws(arm: Arm) -> Iterator[Fault]:
    """Draws stay in the support, rise with u, and follow the law."""
    f = arm.rewards
    lo, hi, whole = support(f)
    u = (np.arange(STRATA) + 0.5) / STRATA
    for point in points(arm):
        drawn = np.array([evaluate(draw, f, *point, float(u_k)) for u_k in u])
        outside = (drawn < lo) | (drawn > hi) | (whole & (drawn != np.round(drawn)))
        if outside.any():
            k = int(outside.argmax())
            words = f"at {at(point)}, u {u[k]:g} it is {drawn[k]:g}, and the support is {lo:g} to {hi:g}"
            yield Fault("draw", "draws are rewards of the support", words + (", whole" if whole else ""))
            continue
        c = chances(f, *point)
        share = np.searchsorted(np.sort(drawn), c.ends, side="right") / STRATA
        far = np.abs(share - c.at_most)
        if (adds_up(c) and far.max() > 1.5 / STRATA) or np.diff(drawn).min() < -1e-12:
            k = int(far.argmax())
            words = f"at {at(point)} a share of {share[k]:.4g} of the draws is at most {c.ends[k]:g}, "
            yield Fault("draw", "draws follow the law, and rise with u", words + f"by loglik {c.at_most[k]:.4g}")


def laws_needed(f: Any) -> list[Any]:
    """The laws without which nothing can be checked."""
    return [law for law in (support, mean, loglik, kl, kl_and_slopes, information, draw) if not has_law(law, f)]
