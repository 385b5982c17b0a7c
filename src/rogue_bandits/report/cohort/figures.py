"""The figures of a cohort: wear-out and recovery of each arm, and the states of each person over time."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from rogue_bandits.estimate.families.contract import curve_at, trajectory
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.fitted import ArmFit
from rogue_bandits.estimate.summary import mean_rewards
from rogue_bandits.plotting import RC, draw_grid
from rogue_bandits.report.cohort.words import reward
from rogue_bandits.types import Floats, Ints

COLOURS = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
GREY = "#8A8A8A"
THIN_LINES = 60  # people drawn behind the median
MOST_PANELS = 6  # arms drawn for a person
LONGEST = 60  # decisions on the axis of wear-out and recovery


class Course(NamedTuple):
    """Mean rewards [people, decisions], and the number of decisions that each person's data cover."""

    rewards: Floats
    observed: Ints


def arm_figure(people: People, arm: str) -> Figure | None:
    """Draw wear-out and recovery of all people with enough data, as far as the data go; None if there are none."""
    who = [person for person, arms in people.fitted.people.items() if arm in arms and arms[arm].enough]
    if not who:
        return None
    fits, observed = [people.fitted.people[p][arm] for p in who], [people.summary(p, arm).observed for p in who]
    scale = people.cohort.scale
    wearing = course_of(fits, [o.highest for o in observed], [o.sendings for o in observed], 1.0, scale)
    recovering = course_of(fits, [o.lowest for o in observed], [o.rests for o in observed], 0.0, scale)
    with mpl.rc_context(RC):
        fig = Figure(figsize=(7.2, 2.9), layout="constrained")
        left, right = fig.subplots(1, 2, sharey=True)
        draw_course(left, wearing, colour_of(people, arm), "never sent twice in a row")
        draw_course(right, recovering, colour_of(people, arm), "never sent again after a rest")
        for axes, title, label in (
            (left, "wear-out", "consecutive sendings, from the freshest state"),
            (right, "recovery", "decisions at rest, from the most worn state"),
        ):
            axes.set_title(title, loc="left", size=9.5)
            axes.set_xlabel(label)
            format_axes(axes, people.size())
        ends = np.concatenate([wearing.rewards.ravel(), recovering.rewards.ravel(), [0.0]])
        left.set_ylim(1.04 * float(ends.min()), 1.04 * float(ends.max()))
        left.set_ylabel(f"mean {people.cohort.reward}")
    return fig


def course_of(fits: list[ArmFit], starts: list[float], observed: list[int], played: float, scale: float) -> Course:
    """Return mean rewards when the arm is played at every decision (1) or at none (0), from these states."""
    plays = np.full(min(max(observed), LONGEST), played)
    curves = [scale * mean_rewards(fit, start, plays) for fit, start in zip(fits, starts, strict=True)]
    return Course(np.array(curves), np.minimum(observed, LONGEST))


def draw_course(axes: Any, course: Course, colour: str, empty: str) -> None:
    """Draw people as thin lines as far as their data go, and quartiles and the median as far as the data of half do."""
    x = np.arange(course.rewards.shape[1])
    if x.size == 1:
        axes.text(0.5, 0.5, empty, transform=axes.transAxes, ha="center", color=GREY)
        return
    step = math.ceil(len(course.observed) / THIN_LINES)
    for curve, n in zip(course.rewards[::step], course.observed[::step], strict=True):
        axes.plot(x[: n + 1], curve[: n + 1], color=GREY, lw=0.5, alpha=0.45)
    end = int(np.sort(course.observed)[len(course.observed) // 2]) + 1  # as far as the data of half of the people
    lo, middle, hi = np.quantile(course.rewards[:, :end], [0.25, 0.5, 0.75], axis=0)
    axes.fill_between(x[:end], lo, hi, color=colour, alpha=0.22, lw=0)
    axes.plot(x[:end], middle, color=colour, lw=2.2, marker="o" if end == 1 else "")
    axes.set_xlim(0, x[-1])


def person_figure(people: People, person: str) -> Figure:
    """Draw the fitted curve of each arm over time, and the observed rewards."""
    fits, history, scale = people.fitted.people[person], people.cohort.people[person], people.cohort.scale
    most = sorted(fits, key=lambda arm: -fits[arm].n)[:MOST_PANELS]
    shown = [arm for arm in fits if arm in most]
    with mpl.rc_context(RC):
        height = 0.55 + 1.15 * len(shown)
        fig = Figure(figsize=(7.2, height))
        # Explicit margins: automatic layout takes longer than all the rest of the figure.
        fig.subplots_adjust(left=0.1, right=0.99, bottom=0.42 / height, top=1.0 - 0.2 / height, hspace=0.3)
        panels = fig.subplots(len(shown), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
        for axes, arm in zip(panels, shown, strict=True):
            record = history.record(people.cohort.arms.index(arm))
            x = history.first + np.arange(history.length + 1)
            colour = colour_of(people, arm) if fits[arm].enough else GREY
            fit = fits[arm]
            x_t = trajectory(fit.dynamics, fit.x0, record.played)
            line = scale * np.array([curve_at(fit.rewards, fit.theta, state) for state in x_t])
            axes.plot(x, line, color=colour, lw=1.2, ls="-" if fits[arm].enough else (0, (4, 2)))
            axes.plot(x[:-1], scale * record.rewards, ls="", marker="o", ms=3.2, mfc="none", mew=0.9, color="#222222")
            axes.set_title(arm if fits[arm].enough else f"{arm}: not enough data", loc="left", size=8.5, pad=2)
            format_axes(axes, people.size())
        lo, hi = people.reward_range()
        panels[0].set_ylim(lo - 0.03 * (hi - lo), hi + 0.05 * (hi - lo))
        panels[0].set_xlim(history.first - 0.5, history.first + history.length + 0.5)
        panels[-1].set_xlabel("decision", labelpad=1)
        fig.supylabel(people.cohort.reward, x=0.004, size=9)
    return fig


def colour_of(people: People, arm: str) -> str:
    """Return the colour of an arm, the same in all figures."""
    return COLOURS[people.cohort.arms.index(arm) % len(COLOURS)]


def format_axes(axes: Any, scale: float) -> None:
    """Set integer decisions, rewards formatted as in the text, and a grid."""
    axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
    axes.yaxis.set_major_locator(MaxNLocator(nbins=4))
    axes.yaxis.set_major_formatter(
        FuncFormatter(lambda value, _: reward(value, scale) if scale > 10.0 else f"{value:g}")
    )
    draw_grid(axes)
