"""The figures of an arm: the ladder, the check of the model, and wear-out and recovery of the average person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from rogue_bandits.estimate.ladder.compare import CONSTANT, RUNGS
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.plotting import RC, draw_grid
from rogue_bandits.report.cohort.claims import SHORT
from rogue_bandits.report.cohort.margins import needed
from rogue_bandits.report.cohort.verdict import compared_with
from rogue_bandits.report.cohort.words import in_lines, reward
from rogue_bandits.wording import plain

COLOURS = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"
GREY = "#8A8A8A"
LINE = 26  # characters of a name beside an axis
SENDINGS, RESTS = "sendings", "rests"  # the parts of the course of an arm
COURSE = {SENDINGS: "sendings in a row, from a rested arm", RESTS: "decisions at rest after these"}
BINARY = {-0.5, 0.5, 1.5}  # edges of the histogram of rewards that are 0 or 1


def arm_figure(ladder: ArmLadder, colour: str, size: float, name: str) -> Figure:
    """Draw how much better than a constant each rung predicts, and observed rewards against the model's."""
    with mpl.rc_context(RC):
        fig = Figure(figsize=(7.2, 2.5), layout="constrained")
        left, right = fig.subplots(1, 2, width_ratios=(1.0, 1.15))
        draw_rungs(left, ladder, colour)
        draw_check(right, ladder, colour, size, name)
    return fig


def draw_rungs(axes: Any, ladder: ArmLadder, colour: str) -> None:
    """Draw the difference from the constant of each rung, with as many standard errors as make it clear."""
    clear = needed(ladder)
    shown = [rung for rung in RUNGS if rung != CONSTANT and rung in ladder.rungs]
    for y, rung in enumerate(reversed(shown)):
        row = compared_with(ladder, rung)
        chosen = rung == ladder.rung
        axes.errorbar(row.by, y, xerr=clear * row.error, fmt="o", ms=6 if chosen else 4, lw=1.6,
                      color=colour if chosen else GREY)  # fmt: skip
    axes.axvline(0.0, color="#1d1d1f", lw=0.9)
    axes.set_yticks(range(len(shown)), [SHORT[rung].replace(" and ", "\nand ") for rung in reversed(shown)])
    axes.set_ylim(-0.6, len(shown) - 0.4)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=4))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: plain(value)))
    axes.set_title("predicts better than a constant by", loc="left", size=9.5)
    axes.set_xlabel(f"log-likelihood a reward, ± {clear:.1f} standard errors")
    draw_grid(axes)


def draw_check(axes: Any, ladder: ArmLadder, colour: str, size: float, name: str) -> None:
    """Draw the histogram of the rewards, and that of rewards drawn from the model."""
    check = ladder.check
    edges = np.array(check.edges)
    middles, widths = 0.5 * (edges[1:] + edges[:-1]), np.diff(edges)
    low, mean, high = (np.array(row) for row in check.model)
    axes.bar(middles, check.observed, widths, color="#d9d9de", edgecolor="white", lw=0.4, label="observed")
    axes.errorbar(middles, mean, yerr=[np.maximum(mean - low, 0.0), np.maximum(high - mean, 0.0)], fmt="o", ms=2.6,
                  lw=1.0, color=colour, label="model, 95 %")  # fmt: skip
    axes.set_title("observed rewards and the model's", loc="left", size=9.5)
    axes.set_xlabel(cut(name, 2 * LINE))
    axes.set_ylabel("share")
    axes.legend(frameon=False, fontsize=7.5, loc="best")
    reward_axis(axes.xaxis, size)
    if set(check.edges) == BINARY:
        axes.set_xticks([0.0, 1.0])
    draw_grid(axes)


def course_figure(
    ladder: ArmLadder, colour: str, size: float, name: str, silence: float | None, parts: Sequence[str] = tuple(COURSE)
) -> Figure | None:
    """Draw the average person's reward over sendings and over rests, as far as the data go; None without wear-out.

    A dashed line is the mean reward after nothing was sent, where that was observed.
    """
    if not ladder.course:
        return None
    with mpl.rc_context(RC):
        fig = Figure(figsize=(7.2, 2.4), layout="constrained")
        panels = fig.subplots(1, len(parts), sharey=True, squeeze=False)[0]
        for axes, part in zip(panels, parts, strict=True):
            low, middle, high = np.array(ladder.course[part]).T
            x = np.arange(middle.size)
            axes.fill_between(x, low, high, color=colour, alpha=0.2, lw=0)
            axes.plot(x, middle, color=colour, lw=2.0)
            if silence is not None:
                axes.axhline(silence, color=GREY, lw=1.2, ls="--", label="nothing sent")
            axes.set_xlabel(COURSE[part])
            axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
            reward_axis(axes.yaxis, size)
            draw_grid(axes)
        panels[0].set_ylabel(in_lines(f"mean {name}", LINE))
        if silence is not None:
            panels[0].legend(frameon=False, fontsize=7.5, loc="best")
    return fig


def cut(name: str, most: int) -> str:
    """Return the first characters of a name that is too long.

    >>> cut("steps_of_the_day", 10), cut("steps", 10)
    ('steps_of_…', 'steps')
    """
    return name if len(name) <= most else f"{name[: most - 1].rstrip()}…"


def reward_axis(axis: Any, size: float) -> None:
    """Set labels of rewards as the text has them."""
    axis.set_major_locator(MaxNLocator(nbins=5))
    axis.set_major_formatter(FuncFormatter(lambda value, _: reward(value, size) if size > 10.0 else plain(value)))
