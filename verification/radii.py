"""All radii beside each other: coverage for adaptive plays, width, and the regret of ROGUE-UCB with each."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

import rogue_bandits as rb
from rogue_bandits.belief.radius import caps, largest_kl, rule_for
from rogue_bandits.plotting import RC, draw_grid, image
from rogue_bandits.types import Floats
from verification.estimates import Interval, share
from verification.experiments import health_traces
from verification.finding import Finding
from verification.inside import ALPHA, LIKELIHOOD, NUMBERS, PROVEN, RADII, ROUNDING, asked
from verification.scenarios import AGENTS, LOGISTIC
from verification.variants import with_error

HORIZON = {"logistic": 1_000, "agent": 1_000, "decay 1, at bounds": 150}  # an arm of decay 1 keeps every reward
FEWER = {"logistic": 1, "agent": 8, "decay 1, at bounds": 4}  # arms that forget x0 slowly cost more, reward by reward
COUNTS = tuple(2**k for k in range(3, 17))
LONG = 20_000
DAYS = 1_000  # days, of the second experiment

# At the bounds of the box: decay 1, so that x0 is never forgotten, and theta and x0 at an end of their range.
NEVER = rb.ClippedAffine(decay=1.0, pull=-0.02, drift=0.01)
AT_BOUNDS = rb.Truth(
    [rb.Arm(NEVER, rb.BernoulliLogit(2.0, 2.0), -1.0, 1.0), rb.Arm(NEVER, rb.BernoulliLogit(2.0, 2.0), -1.0, 1.0)],
    theta=[-1.0, 0.0],
    x0=[0.0, 1.0],
)
TRUTHS = {"logistic": LOGISTIC, "agent": AGENTS, "decay 1, at bounds": AT_BOUNDS}
POLICIES: dict[str, Any] = {
    "random": rb.Random(),
    "tuned-rogue-ucb": rb.TunedRogueUCB(),
    "tuned-rogue-ucb-corrected": rb.TunedRogueUCB(variant="corrected"),
    "rogue-ucb, likelihood ratio": rb.RogueUCB(radius=rb.LikelihoodRatioRadius(ALPHA)),
    "epsilon-rogue": rb.EpsilonRogue(),
}
# Theorem 1's radius, the default of rogue-ucb, excludes nothing: its plays depend on no reward.
POLICIES |= {name: spec() for name, spec in rb.POLICIES.items() if name not in POLICIES and name != "rogue-ucb"}
PLANS = "plan-ts", "index-ts", "plan-ucb"
NO_PLAN = ("decay 1, at bounds",)  # plans need arms that recover
BITES, VACUOUS = 0.25, 0.01  # multiples of the radius


def coverage_of_radii(people: int, seed: int) -> Finding:
    """Check how often the truth is inside at every reward of an arm at once, under the plays of each policy."""
    rows, holds = [], True
    for world, truth in TRUTHS.items():
        for name, policy in POLICIES.items():
            if name in PLANS and world in NO_PLAN:
                continue
            trace = rb.simulate(truth, policy, HORIZON[world], max(8, people // FEWER[world]), seed, workers=-1)
            found = {radius: held(needed.ravel()) for radius, needed in zip(RADII, asked(trace).needed.T, strict=True)}
            holds = holds and all(found[radius].coverage.hi >= 1.0 - ALPHA for radius in PROVEN)
            holds = holds and found[LIKELIHOOD].needed >= BITES and found["Theorem 1"].needed <= VACUOUS
            rows.append(
                (
                    world,
                    name,
                    f"{trace.arm.shape[0]:,}",
                    *(f"{one.coverage.value:.3f} ({one.needed:.2g})" for one in found.values()),
                )
            )
    return Finding(
        "Coverage of all radii at all times at once, for adaptive plays",
        "Whether the true (theta, x0) is inside the region of an arm after every one of its rewards, α = "
        f"{ALPHA:g} for each arm, {HORIZON['agent']:,} decisions ({HORIZON['decay 1, at bounds']} with decay 1), "
        "people of two arms each. Proven for adaptive plays at all times at once: adaptive, Hellinger and "
        "likelihood ratio; Theorem 1's radius grows with log t. Nothing is proven for the tuned ones. Arms with decay "
        "1 never forget x0; their theta and x0 are at bounds. In brackets: the multiple of the radius (of log L(fit) − "
        f"log L for the likelihood ratio) that would have covered {1.0 - ALPHA:.0%}, 1 if the radius is just right. "
        f"Criterion: no 99 % interval of the coverage of a proven radius is below {1.0 - ALPHA:g}; the likelihood "
        f"ratio needs at least {BITES:g} of its radius, and Theorem 1 at most {VACUOUS:g}: a coverage of 1 alone could "
        "not fail.",
        ("arms", "plays of", "people", *RADII),
        rows,
        "The proven radii hold under the plays of every policy. The tuned radius does not." if holds else "Not so.",
        holds,
    )


class Held(NamedTuple):
    """How often a radius held, and the multiple of it that would have held for 1 − ALPHA of all arms."""

    coverage: Interval
    needed: float


def held(needed: Floats) -> Held:
    """Return the coverage of a radius, from the multiple that each arm needs.

    >>> held(np.array([0.1, 0.2, 0.3, 2.0])).coverage.value
    0.75
    """
    return Held(share(int((needed <= 1.0 + ROUNDING).sum()), needed.size), float(np.quantile(needed, 1.0 - ALPHA)))


def width_of_radii(people: int, seed: int) -> Finding:
    """Measure the upper bound minus the mean at the fit, by the number of rewards."""
    trace = rb.simulate(LOGISTIC, rb.Random(), 2 * COUNTS[-1] + 4_096, people, seed, workers=-1)
    found = asked(trace, COUNTS)
    width, largest = np.nanmean(found.width, axis=0), np.nanmean(found.largest, axis=0)
    numbers = np.array([[radius_of(radius, n) for radius in NUMBERS.values()] for n in COUNTS])
    radius = np.column_stack([numbers, np.nanmean(found.beta, axis=0) / COUNTS])
    rows = [
        (f"{n:,}", *(f"{w:.4f}" for w in width[c]), f"{largest[c]:.4f}") for c, n in enumerate(COUNTS) if c % 2 == 1
    ]
    useful = {
        radius: next((n for c, n in enumerate(COUNTS) if width[c, m] < 0.5 * largest[c]), None)
        for m, radius in enumerate(RADII)
    }
    said = ", ".join(f"{radius} {n:,}" if n else f"{radius} not by {COUNTS[-1]:,}" for radius, n in useful.items())
    return Finding(
        "The width of all radii",
        f"Upper bound minus mean at the fit of the first arm of Table 1, random plays, {people} people. The last "
        "column is that of a radius which excludes nothing.",
        ("rewards", *RADII, "no radius"),
        rows,
        f"Rewards from which the width is below half of that without a radius: {said}.",
        bool(width[-1, -1] < width[-1, 1]) and bool(width[-1, -1] < width[-1, 2]),
        {"radii-width.png": width_figure(radius, width, largest)},
    )


def radius_of(radius: Any, n: int) -> float:
    """Return the largest mean divergence inside, of arm 0 after n of 2n decisions.

    The tuned radius depends on the point. Where the divergence is quadratic, its n²S is 2·n·divergence, so that
    n·divergence ≤ b·√(n²S) is n·divergence ≤ 2·b².
    """
    cap, b = caps(rule_for(radius, LOGISTIC.arms[0]), float(n), math.log(2.0 * n))
    return min(cap, 2.0 * b * b) / n


def width_figure(radius: Floats, width: Floats, largest: Floats) -> bytes:
    """Draw the radii, and the widths of the upper bounds that they lead to, by the number of rewards on log axes."""
    with mpl.rc_context(RC):
        fig = Figure(figsize=(10.0, 4.4), layout="constrained")
        left, right = fig.subplots(1, 2)
        most = largest_kl(LOGISTIC.arms[0])
        left.axhline(most, color="#999999", lw=6.0, alpha=0.5, label="largest divergence there is")
        right.plot(COUNTS, largest, color="#999999", lw=6.0, alpha=0.5, label="no radius")
        for m, name in enumerate(RADII):
            style = "--" if name.startswith("tuned") else "-"
            left.plot(COUNTS, radius[:, m], style, lw=1.6, label=name)
            right.plot(COUNTS, width[:, m], style, lw=1.6, label=name)
        left.set_title("Radius: largest mean divergence inside", loc="left")
        right.set_title("Width: upper bound − mean at the fit", loc="left")
        left.legend(frameon=False, fontsize=8)
        for axes in (left, right):
            axes.set(xscale="log", yscale="log", xlabel="rewards of the arm")
            draw_grid(axes)
        return image(fig, "png", 150)


def regret_of_radii(people: int, people_of_health: int, seed: int) -> Finding:
    """Compare the regret of ROGUE-UCB with every radius in both experiments, and say whose radius excludes nothing."""
    policies: dict[str, Any] = {
        f"rogue-ucb, {name}": rb.RogueUCB(radius=radius)
        for name, radius in RADII.items()
        if not name.startswith("tuned")
    }
    policies |= {name: policy for name, policy in POLICIES.items() if "tuned" in name or name == "epsilon-rogue"}
    blind = rb.RogueUCB(scale=1e9)
    plays = rb.simulate(LOGISTIC, blind, LONG, people, seed, workers=-1).arm
    health = [trace.arm for trace in health_traces(blind, DAYS, people_of_health, seed)]
    rows, same = [], []
    for name, policy in policies.items():
        trace = rb.simulate(LOGISTIC, policy, LONG, people, seed, workers=-1)
        here = float((trace.arm == plays).all(axis=1).mean())
        traces = health_traces(policy, DAYS, people_of_health, seed)
        there = float(np.mean([(one.arm == other).all() for one, other in zip(traces, health, strict=True)]))
        lost = np.array([one.tracking_regret()[0, -1] for one in traces])
        if max(here, there) == 1.0:
            same.append(name)
        rows.append((
            name, with_error(trace.tracking_regret()[:, -1]), f"{here:.0%}", with_error(lost), f"{there:.0%}",
        ))  # fmt: skip
    return Finding(
        "Regret with every radius, and radii that exclude nothing",
        f"Tracking regret in the logistic experiment ({LONG:,} decisions, {people} people) and in that on physical "
        f"activity ({DAYS:,} days, {people_of_health} people). “As without a radius” is the share of "
        "people whose every play is that of a policy that considers all of the box possible for ever: there the radius "
        "excludes nothing that matters, nothing is learned, and its regret says nothing about learning.",
        ("policy", "logistic", "as without a radius", "physical activity", "as without a radius "),
        rows,
        f"Learn nothing in one of the experiments: {', '.join(same) or 'none'}.",
        f"rogue-ucb, {list(RADII)[-1]}" not in same and "rogue-ucb, Theorem 1" in same,
    )
