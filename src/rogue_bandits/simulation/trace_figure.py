"""A trace as a figure: how a policy did on average, and what it did with one person."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from rogue_bandits.compile.laws import stack
from rogue_bandits.model.dynamics.clipped_affine import mean_now, move
from rogue_bandits.model.numbers import checked_whole
from rogue_bandits.model.rewards.weighted import arms_and_states
from rogue_bandits.plotting import RC, draw_grid
from rogue_bandits.simulation.frames import arm_names
from rogue_bandits.types import Floats, Ints

if TYPE_CHECKING:
    from rogue_bandits.simulation.trace import Trace

COLOURS = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"  # of Okabe and Ito
POINTS = 200  # of a curve
MOST_BELOW = 4  # arms for which a second legend has room; more are named above alone


def trace_figure(trace: Trace, person: int, last: int) -> Figure:
    """Draw three panels about all people above one about a person."""
    people, horizon = trace.arm.shape
    person, last = checked_whole(person, "plot, person", 0), min(checked_whole(last, "plot, last", 1), horizon)
    if person >= people:
        raise ValueError(f"plot, person {person} must be from 0 to {people - 1}")
    with mpl.rc_context(RC):
        fig = Figure(figsize=(10.0, 6.4), layout="constrained")
        halves: Any = fig.subfigures(2, 1, height_ratios=(1.0, 1.05))
        above, below = halves
        reward, regret, plays = above.subplots(1, 3)
        draw_reward(reward, trace)
        draw_band(regret, trace.tracking_regret(), COLOURS[0], "this policy")
        regret.set_title("Tracking regret", loc="left")
        draw_plays(plays, trace)
        for axes in (reward, regret, plays):
            axes.set_xlabel("decision")
            axes.set_xlim(0, horizon)
            draw_grid(axes)
        draw_person(below.subplots(), trace, person, last)
        crowd = f"{people:,} people, band: two standard errors" if people > 1 else "one person"
        fig.suptitle(f"{trace.policy!r}: {crowd}", x=0.01, ha="left", fontsize=11.0)
    return fig


def draw_reward(axes: Any, trace: Trace) -> None:
    """Draw the average reward to date, its expectation, and that of the best arm at the same states."""
    draw_band(axes, trace.average_reward(), COLOURS[5], "rewards")
    plays = np.cumsum(trace.arm >= 0, axis=1, dtype=np.int64)
    expected, oracle = (to_date(means, plays) for means in (trace.mean, trace.myopic))
    draw_band(axes, expected, COLOURS[0], "expected")
    draw_band(axes, oracle, "#444444", "expected, best arm\nat the same states", dash="--")
    axes.set_title("Average reward to date", loc="left")
    late = np.nanmean(trace.average_reward()[:, trace.arm.shape[1] // 20 :], axis=0)
    lo, hi = min(np.nanmin(late), np.nanmin(oracle)), max(np.nanmax(late), np.nanmax(oracle))
    axes.set_ylim(lo - 0.15 * (hi - lo) - 1e-9, hi + 0.3 * (hi - lo) + 1e-9)  # the first averages vary too much for it
    axes.legend(loc="upper right", frameon=False, ncols=2, fontsize=7.5)


def to_date(means: Floats, plays: Ints) -> Floats:
    """Return the average of expected rewards to date; nan before the first play."""
    total = np.nancumsum(means, axis=1)
    average: Floats = np.divide(total, plays, out=np.full(total.shape, np.nan), where=plays > 0)
    return average


def draw_band(axes: Any, averages: Floats, colour: str, label: str, dash: str = "-") -> None:
    """Draw a mean over people with a band of two standard errors."""
    at = shown(averages.shape[1])
    some = averages[:, at]
    n = np.maximum(np.count_nonzero(~np.isnan(some), axis=0), 1)
    middle = np.where(n > 0, np.nansum(some, axis=0) / n, np.nan)
    axes.plot(at, middle, color=colour, ls=dash, lw=1.5, label=label)
    if len(some) > 1:
        error = 2.0 * np.sqrt(np.nansum((some - middle) ** 2, axis=0) / np.maximum(n - 1, 1) / n)
        axes.fill_between(at, middle - error, middle + error, color=colour, alpha=0.18, lw=0)


def draw_plays(axes: Any, trace: Trace) -> None:
    """Draw the share of people who play each arm, in stretches of decisions."""
    edges = np.linspace(0, trace.arm.shape[1], min(41, trace.arm.shape[1] + 1)).astype(int)
    names, drawn = arm_names(trace), drawn_arms(trace)
    for place, k in enumerate([*drawn, *([-1] if (trace.arm < 0).any() else [])]):
        share = [np.mean(trace.arm[:, a:b] == k) for a, b in pairwise(edges)]
        name, colour = (names[k], COLOURS[place % len(COLOURS)]) if k >= 0 else ("rest", "#8A8A8A")
        axes.stairs(share, edges, baseline=None, color=colour, lw=1.5, label=name)
    axes.set_ylim(0.0, 1.0)
    title = "Share of decisions for each arm" if len(drawn) == len(names) else f"The {len(drawn)} most played arms"
    axes.set_title(title, loc="left")
    axes.legend(frameon=False, fontsize=7.5, ncols=2)


def draw_person(axes: Any, trace: Trace, person: int, last: int) -> None:
    """Draw the mean of every arm at its state, with dots where it was played."""
    horizon, names = trace.arm.shape[1], arm_names(trace)
    first = horizon - last
    means, at = means_along(trace, person)[first:], np.arange(first, horizon)
    for colour, k in zip(COLOURS, drawn_arms(trace), strict=False):
        axes.plot(at, means[:, k], color=colour, lw=1.0, alpha=0.8)
        played = trace.arm[person, first:] == k
        axes.plot(
            at[played], means[played, k], "o", color=colour, ms=5.0, mec="white", mew=0.6, zorder=3, label=names[k]
        )
    rests = trace.arm[person, first:] < 0
    if rests.any():
        axes.plot(at[rests], np.full(rests.sum(), means.min()), "|", color="#8A8A8A", ms=9.0, label="rest")
    axes.set_xlim(first - 0.5, horizon - 0.5)
    axes.set_xlabel("decision")
    axes.set_title(
        f"Mean reward of each arm, dots where it was played: person {person}, last {last} decisions", loc="left"
    )
    axes.margins(y=0.12)
    if len(names) <= MOST_BELOW:
        axes.legend(frameon=False, fontsize=7.5, ncols=len(names) + 1, loc="upper right", bbox_to_anchor=(1.0, 1.14))
    draw_grid(axes)


def means_along(trace: Trace, person: int) -> Floats:
    """Return the mean of every arm at each decision of a person: [decisions, arms]."""
    listed, theta, x = arms_and_states(trace.truth)
    arms, x = stack(listed), x.copy()
    means = np.empty((trace.arm.shape[1], theta.size))
    for t, arm in enumerate(trace.arm[person].tolist()):
        means[t] = [mean_now(arms, theta, x, k) for k in range(theta.size)]
        move(arms, x, arm)
    return means


def drawn_arms(trace: Trace) -> list[int]:
    """Return the arms that have a curve: all, or the most played, as many as there are colours."""
    plays = np.bincount(trace.arm[trace.arm >= 0].astype(np.int64), minlength=len(trace.truth.arms))
    return sorted(np.argsort(-plays, kind="stable")[: len(COLOURS)].tolist())


def shown(horizon: int) -> Ints:
    """Return the decisions at which a curve is drawn."""
    return np.unique(np.linspace(0, horizon - 1, POINTS).astype(np.int64))
