"""Checks of a reward family: loglik is a log-concave distribution, and all other laws agree with it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from rogue_bandits.conformance.finding import Check, Fault
from rogue_bandits.conformance.integrals import adds_up, distribution, kinks_of
from rogue_bandits.model.probe import evaluate, has_law, overrides_law
from rogue_bandits.model.protocols import Model
from rogue_bandits.model.rewards.expectations import effective_support
from rogue_bandits.types import Arm, draw, information, kl, kl_and_slopes, loglik, mean, support

PLACES = (0.02, 0.35, 0.7, 0.98)  # shares of the box, so that differences stay inside
STRATA = 100
HALVINGS = 5  # of the steps of differences
KINKY = 1e-2  # an integral that is off by less may be due to a kink
Point = tuple[float, float]


def points(arm: Arm) -> list[Point]:
    """Return the points of the box at which laws are evaluated."""
    d = arm.dynamics
    thetas = [arm.theta_lo + p * (arm.theta_hi - arm.theta_lo) for p in PLACES]
    return [(theta, d.lo + p * (d.hi - d.lo)) for theta in thetas for p in PLACES]


def at(point: Point) -> str:
    """Format a point."""
    return f"theta {point[0]:g} and x {point[1]:g}"


def step_of(arm: Arm) -> Point:
    """Return the steps of differences: along theta, along x."""
    d = arm.dynamics
    return 5e-3 * (arm.theta_hi - arm.theta_lo), 5e-3 * (d.hi - d.lo)


def _some_rewards(arm: Arm, point: Point) -> list[float]:
    """Return a few rewards inside of the support, or of the effective support where it is unbounded."""
    f, (lo, hi, whole) = arm.rewards, support(arm.rewards)
    if not math.isfinite(hi - lo):
        if not overrides_law(effective_support, f):
            return []
        lo, _, hi = evaluate(effective_support, f, *point)
    inside = np.linspace(lo, hi, 7)[1:-1]
    return [float(r) for r in (np.unique(np.round(inside)) if whole else inside)]


def no_number(arm: Arm) -> Iterator[Fault]:
    """Check that loglik is finite, before the laws that may be computed from it."""
    for point in points(arm):
        for r in _some_rewards(arm, point):
            evaluate(loglik, arm.rewards, *point, r)
    yield from ()


def wrong_mass(arm: Arm) -> Iterator[Fault]:
    """Check that probabilities integrate to 1."""
    for point in points(arm):
        c = distribution(arm.rewards, *point)
        if not adds_up(c):
            total = c.probability.sum()
            words = f"at {at(point)} it integrates to {total:.6g}, not 1"
            if abs(total - 1.0) < KINKY and not support(arm.rewards)[2]:
                words += "; so it looks, too, where the density has a kink that the law `kinks` does not name"
            yield Fault("loglik", "rewards have a probability law whose log-density is loglik", words)


def not_log_concave(arm: Arm) -> Iterator[Fault]:
    """Check that loglik is concave in r."""
    for point in points(arm):
        c = distribution(arm.rewards, *point)
        seen = np.isfinite(c.log_density) & (c.probability > 1e-14)
        r, value = c.rewards[seen], c.log_density[seen]
        share = (r[1:-1] - r[:-2]) / (r[2:] - r[:-2])
        dent = (1.0 - share) * value[:-2] + share * value[2:] - value[1:-1]
        if dent.size and dent.max() > 1e-7 * (1.0 + np.abs(value).max()):
            k = int(dent.argmax())
            words = f"at {at(point)} it has a dent at r {r[k + 1]:g}, between {r[k]:g} and {r[k + 2]:g}"
            yield Fault("loglik", "Assumption 2, rewards are log-concave", words)


def wrong_mean(arm: Arm) -> Iterator[Fault]:
    """Check that the mean is that of loglik."""
    for point in points(arm):
        c = distribution(arm.rewards, *point)
        value, exact = evaluate(mean, arm.rewards, *point), float(c.probability @ c.rewards)
        spread = math.sqrt(max(0.0, float(c.probability @ (c.rewards - exact) ** 2)))
        if adds_up(c) and abs(value - exact) > 1e-5 * (spread + 1e-3 * abs(exact)):
            yield Fault(
                "mean", "mean is the expected reward", f"at {at(point)} it is {value:.6g}, by loglik {exact:.6g}"
            )


def not_monotone(arm: Arm) -> Iterator[Fault]:
    """Check that the mean is monotone, which the search for the upper bound relies on."""
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
    """Check that KL is the expected log-ratio, at least 0, and 0 between equals."""
    f, places = arm.rewards, points(arm)
    for p, q in [(p, q) for p in places[::6] for q in places[1::7]] + [(p, p) for p in places]:
        value = evaluate(kl, f, *p, *q)
        pair = f"from {at(p)} to {at(q)} it is {value:.6g}"
        if value < 0.0 or (p == q and value > 1e-9):
            yield Fault("kl", "KL is at least 0, and 0 between equals", pair)
            continue
        if p == q:  # every log-ratio is 0
            continue
        c = distribution(f, *p, kinks_of(f, *q))
        if not (adds_up(c) and adds_up(distribution(f, *q))):
            continue
        keep = c.probability > 0.0
        weight, at_p = c.probability[keep], c.log_density[keep]
        at_p = np.where(np.isnan(at_p), np.log(weight), at_p)  # a point mass has no density
        at_q = np.array([evaluate(loglik, f, *q, float(r)) for r in c.rewards[keep]])
        exact = float(weight @ (at_p - at_q))
        if abs(value - exact) > 1e-5 * (exact + 1e-3):
            yield Fault("kl", "KL is the expected log-ratio of loglik", f"{pair}, by loglik {exact:.6g}")


def wrong_slopes(arm: Arm) -> Iterator[Fault]:
    """Check `kl_and_slopes` against kl and its differences, whose steps are halved until they agree."""
    f, (h, k), places = arm.rewards, step_of(arm), points(arm)
    for p, (theta, x) in zip(places, reversed(places), strict=True):
        value, level = evaluate(kl_and_slopes, f, *p, theta, x), evaluate(kl, f, *p, theta, x)
        for a, b in ((h * 0.5**n, k * 0.5**n) for n in range(HALVINGS)):
            across = evaluate(kl, f, *p, theta + a, x) - evaluate(kl, f, *p, theta - a, x)
            along = evaluate(kl, f, *p, theta, x + b) - evaluate(kl, f, *p, theta, x - b)
            exact = (level, across / (2.0 * a), along / (2.0 * b) if b else value[2])
            if all(abs(v - e) <= 0.02 * abs(e) + 1e-3 * (1.0 + level) for v, e in zip(value, exact, strict=True)):
                break
        else:
            given, by_kl = (", ".join(f"{number:.4g}" for number in numbers) for numbers in (value, exact))
            words = f"from {at(p)} to {at((theta, x))} it is ({given}), by differences of kl ({by_kl})"
            yield Fault("kl_and_slopes", "it is kl with its slopes by the second theta and x", words)


def _curvature(f: Model, theta: float, x: float, h: float, k: float) -> tuple[float, float, float]:
    """Return the curvature of kl at equality, by differences: theta-theta, theta-x, x-x; the last two 0 if k is."""

    def around(a: float, b: float) -> float:
        return float(evaluate(kl, f, theta, x, theta + a, x + b) + evaluate(kl, f, theta, x, theta - a, x - b))

    tt = around(h, 0.0) / h**2
    return (tt, (around(h, k) - around(h, -k)) / (4.0 * h * k), around(0.0, k) / k**2) if k else (tt, 0.0, 0.0)


def _agree(value: tuple[float, float, float], exact: tuple[float, float, float]) -> bool:
    """Return whether two information matrices agree to 5 % of their size."""
    size = (abs(exact[0]), math.sqrt(abs(exact[0] * exact[2])), abs(exact[2]))
    return all(abs(a - b) <= 0.05 * s + 1e-9 for a, b, s in zip(value, exact, size, strict=True))


def wrong_information(arm: Arm) -> Iterator[Fault]:
    """Check that information is the curvature of kl at equality.

    The error of a difference is of the order of its step at a kink of the density, and of its square elsewhere. Steps
    are halved, and the error of first order extrapolated, until the law agrees or rounding errors take over.
    """
    f, (h, k) = arm.rewards, step_of(arm)
    for theta, x in points(arm):
        value = evaluate(information, f, theta, x)
        wide = _curvature(f, theta, x, h, k)
        for halvings in range(1, HALVINGS + 1):
            narrow = _curvature(f, theta, x, h * 0.5**halvings, k * 0.5**halvings)
            tt, tx, xx = (2.0 * b - a for a, b in zip(wide, narrow, strict=True))
            exact = (tt, tx, xx) if k else (tt, value[1], value[2])
            if _agree(value, exact):
                break
            wide = narrow
        else:
            words = f"at {at((theta, x))} it is ({value[0]:.4g}, {value[1]:.4g}, {value[2]:.4g}), "
            words += f"the curvature of kl ({exact[0]:.4g}, {exact[1]:.4g}, {exact[2]:.4g})"
            yield Fault("information", "information is the curvature of kl", words)


def wrong_draws(arm: Arm) -> Iterator[Fault]:
    """Check that draws stay in the support, increase with u, and follow loglik."""
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
        c = distribution(f, *point)
        share = np.searchsorted(np.sort(drawn), c.ends, side="right") / STRATA
        far = np.abs(share - c.at_most)
        if (adds_up(c) and far.max() > 1.5 / STRATA) or np.diff(drawn).min() < -1e-12:
            k = int(far.argmax())
            words = f"at {at(point)} a share of {share[k]:.4g} of the draws is at most {c.ends[k]:g}, "
            yield Fault("draw", "draws follow the law, and rise with u", words + f"by loglik {c.at_most[k]:.4g}")


# Each relies on those before it: loglik comes first.
CHECKS: tuple[Check, ...] = (
    no_number, wrong_mass, not_log_concave, wrong_draws, wrong_mean, not_monotone, wrong_kl, wrong_slopes,
    wrong_information,
)  # fmt: skip


def laws_needed(f: Model) -> list[Any]:
    """Return the laws that are missing, without which nothing can be checked."""
    return [law for law in (support, mean, loglik, kl, kl_and_slopes, information, draw) if not has_law(law, f)]
