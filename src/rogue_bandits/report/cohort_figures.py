"""The figures of a cohort: how each arm wears out and recovers, and each person's states over time."""

from __future__ import annotations

import math
from itertools import islice
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from rogue_bandits.cohort.files import People
from rogue_bandits.cohort.fitted import ArmFit
from rogue_bandits.cohort.terms import level, path, reward_at, states, terms_of
from rogue_bandits.report.cohort_words import reward
from rogue_bandits.report.figures import RC
from rogue_bandits.types import Floats

COLOURS = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
GREY = "#8A8A8A"
THIN_LINES = 60  # people drawn behind the median
MOST_PANELS = 6  # arms drawn for a person
SHORTEST, LONGEST = 8, 60  # decisions on the axis of wear-out and recovery


class Course(NamedTuple):
    """Mean rewards of people: [people, decisions]."""

    wearing: Floats
    recovering: Floats


def arm_figure(people: People, arm: str) -> Figure | None:
    """Wear-out, then recovery, of all people with enough data; None where there are none."""
    fits = [arms[arm] for arms in people.fitted.people.values() if arm in arms and arms[arm].enough]
    if not fits:
        return None
    course = course_of(fits, people.cohort.scale)
    colour = colour_of(people, arm)
    with mpl.rc_context(RC):
        fig = Figure(figsize=(7.2, 2.9), layout="constrained")
        left, right = fig.subplots(1, 2, sharey=True)
        for axes, curves, words in (
            (left, course.wearing, "sendings in a row, from fresh"),
            (right, course.recovering, "decisions of rest, from worn out"),
        ):
            draw_course(axes, curves, colour)
            axes.set_xlabel(words)
            dress(axes, people.cohort.scale)
        left.set_ylim(0.0, 1.04 * max(float(course.wearing.max()), float(course.recovering.max())))
        left.set_title("wearing out", loc="left", size=9.5)
        right.set_title("recovery", loc="left", size=9.5)
        left.set_ylabel(f"mean {people.cohort.reward}" if people.cohort.reward != "reward" else "mean reward")
    return fig


def course_of(fits: list[ArmFit], scale: float) -> Course:
    """Played without end from the resting level, then at rest from the worn-out one."""
    waits = [terms.recovery for terms in map(terms_of, fits) if math.isfinite(terms.recovery)]
    length = int(np.clip(4 * np.quantile(waits, 0.75), SHORTEST, LONGEST)) + 1 if waits else SHORTEST
    both = [
        [
            [
                scale * reward_at(fit, x)
                for x in islice(path(fit.dynamics, level(fit.dynamics, before, fit.x0), now), length)
            ]
            for fit in fits
        ]
        for before, now in ((0.0, 1.0), (1.0, 0.0))
    ]
    return Course(np.array(both[0]), np.array(both[1]))


def draw_course(axes: Any, curves: Floats, colour: str) -> None:
    """People as thin lines, the middle half as a band, the median on top."""
    x = np.arange(curves.shape[1])
    for curve in curves[:: math.ceil(len(curves) / THIN_LINES)]:
        axes.plot(x, curve, color=GREY, lw=0.5, alpha=0.45)
    lo, middle, hi = np.quantile(curves, [0.25, 0.5, 0.75], axis=0)
    axes.fill_between(x, lo, hi, color=colour, alpha=0.22, lw=0)
    axes.plot(x, middle, color=colour, lw=2.2)
    axes.set_xlim(0, x[-1])


def person_figure(people: People, person: str) -> Figure:
    """The fitted state of each arm over time, under the rewards that followed it."""
    fits, history, scale = people.fitted.people[person], people.cohort.people[person], people.cohort.scale
    most = sorted(fits, key=lambda arm: -fits[arm].n)[:MOST_PANELS]
    shown = [arm for arm in fits if arm in most]
    with mpl.rc_context(RC):
        height = 0.55 + 1.15 * len(shown)
        fig = Figure(figsize=(7.2, height))
        # By hand: a layout that is worked out takes longer than all the rest, for each of many people.
        fig.subplots_adjust(left=0.08, right=0.99, bottom=0.42 / height, top=1.0 - 0.2 / height, hspace=0.3)
        panels = fig.subplots(len(shown), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
        for axes, arm in zip(panels, shown, strict=True):
            record = history.record(people.cohort.arms.index(arm))
            x = history.first + np.arange(history.length + 1)
            colour = colour_of(people, arm) if fits[arm].enough else GREY
            line = scale * np.array(states(fits[arm], record.played.tolist()))
            axes.plot(x, line, color=colour, lw=1.2, ls="-" if fits[arm].enough else (0, (4, 2)))
            axes.plot(x[:-1], scale * record.rewards, ls="", marker="o", ms=3.2, mfc="none", mew=0.9, color="#222222")
            axes.set_title(arm if fits[arm].enough else f"{arm}: not enough data", loc="left", size=8.5, pad=2)
            dress(axes, scale)
        panels[0].set_ylim(-0.03 * scale, 1.05 * scale)
        panels[0].set_xlim(history.first - 0.5, history.first + history.length + 0.5)
        panels[-1].set_xlabel("decision", labelpad=1)
    return fig


def colour_of(people: People, arm: str) -> str:
    """The same colour for an arm in all figures."""
    return COLOURS[people.cohort.arms.index(arm) % len(COLOURS)]


def dress(axes: Any, scale: float) -> None:
    """Whole decisions, rewards as they are written elsewhere, a faint grid."""
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4))
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda value, _: reward(value, max(scale, 10.0)) if scale > 10.0 else f"{value:g}")
    )
    axes.grid(axis="y", color="#E4E4E4", lw=0.6)
    axes.set_axisbelow(True)
