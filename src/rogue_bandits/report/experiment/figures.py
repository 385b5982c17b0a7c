"""Loss against the best plan, and the paper's figures: tracking regret and average expected reward.

Each is drawn for all policies and for ROGUE policies only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, StrMethodFormatter

from rogue_bandits.experiments.experiment import Unit
from rogue_bandits.experiments.results import Curve, PolicyResult, Results
from rogue_bandits.plotting import RC, draw_grid
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.report.experiment.styles import BOLD, ORACLE, Label, Style, label_ends, style_of
from rogue_bandits.types import Floats

INCHES = 7.2, 4.0  # two columns of a journal
AXES = 0.075, 0.12, 0.595, 0.75  # left, bottom, width, height; the rest is for labels
MARKERS = 6  # on each curve
FIGURES = "gap", "regret", "reward", "gap_rogue", "regret_rogue", "reward_rogue"


class Plot(NamedTuple):
    """One figure: its file name, the curve it shows, and the policies."""

    name: str
    title: str
    axis: str
    note: str
    curve: Callable[[PolicyResult], Curve]
    rows: tuple[str, ...]  # ids of policies
    from_share: float = 0.0  # of the horizon
    has_oracles: bool = False


class Band(NamedTuple):
    """The part of a curve that is shown, with its standard errors."""

    decision: Floats
    mean: Floats
    stderr: Floats


def plots(results: Results) -> list[Plot]:
    """Return the figures to draw; without a ROGUE policy, three."""
    every = tuple(results.policies)
    rogue = tuple(row for row in every if POLICIES[row].is_rogue)
    unit = results.unit
    drawn = [
        plot
        for suffix, whose, rows in (("", "all policies", every), ("_rogue", "ROGUE policies only", rogue))
        for plot in (make(unit, suffix, whose, rows) for make in (gap_plot, regret_plot, reward_plot))
    ]
    return [plot for plot in drawn if plot.rows]


def gap_plot(unit: Unit, suffix: str, whose: str, rows: tuple[str, ...]) -> Plot:
    """Return the figure of the loss against the best plan."""
    return Plot(
        name=f"gap{suffix}",
        title=f"Loss against the best plan, {whose}",
        axis=unit.of(f"expected {unit.reward} lost against the best plan, which knows everything"),
        note="Lower is better. A curve that flattens has come level with the best plan; a straight line keeps losing "
        "at the same rate.",
        curve=lambda result: result.optimal_gap,
        rows=rows,
    )


def regret_plot(unit: Unit, suffix: str, whose: str, rows: tuple[str, ...]) -> Plot:
    """Return the figure of tracking regret."""
    return Plot(
        name=f"regret{suffix}",
        title=f"Tracking regret, {whose}",
        axis=unit.of(f"tracking regret (expected {unit.reward} lost against the best arm at that moment)"),
        note="Where a curve flattens, the policy plays the arm that is best at the moment. A policy that plans does "
        "not: it lets that arm rest where this pays later.",
        curve=lambda result: result.tracking_regret,
        rows=rows,
    )


def reward_plot(unit: Unit, suffix: str, whose: str, rows: tuple[str, ...]) -> Plot:
    """Return that of expected reward, without the first decisions, whose average varies too much for the scale.

    The means of the arms played, not the rewards drawn: the oracles' levels are expectations.
    """
    return Plot(
        name=f"reward{suffix}",
        title=f"Average expected {unit.reward} to date, {whose}",
        axis=unit.of(f"average expected {unit.reward} to date"),
        note="Higher is better. Thin lines are oracles, which know the true state of every arm. All are expectations, "
        "without the randomness of the rewards.",
        curve=lambda result: result.expected_reward,
        rows=rows,
        from_share=0.02,
        has_oracles=True,
    )


def figure(plot: Plot, results: Results) -> Figure:
    """Draw one figure."""
    with mpl.rc_context(RC):
        fig = Figure(figsize=INCHES)
        axes = fig.add_axes(AXES)
        bands = {row: shown_band(plot, results.policies[row]) for row in plot.rows}
        for place, row in enumerate(plot.rows):
            draw_band(axes, bands[row], style_of(row), (place + 1) / (len(plot.rows) + 1))
        labels = [Label(POLICIES[row].label, bands[row].mean[-1], style_of(row)) for row in plot.rows]
        oracles = results.oracles.levels() if plot.has_oracles else {}
        levels = [Label(f"{label}, {level:.4f}", level, ORACLE) for label, level in oracles.items()]
        for level in levels:
            axes.axhline(level.y, color=ORACLE.colour, ls=ORACLE.dash, lw=ORACLE.width, zorder=2)
        axes.set_xlim(0, results.settings.horizon)
        axes.set_ylim(limits(list(bands.values()), [level.y for level in levels]))
        write_axes(axes, plot, results)
        label_ends(axes, labels + levels)
    return fig


def band(curve: Curve, decisions: Sequence[int]) -> Band:
    """Return a curve as arrays; the standard errors of a single replicate are 0."""
    return Band(
        np.array(decisions, dtype=np.float64), np.array(curve.mean), np.array(curve.stderr or [0.0] * len(decisions))
    )


def shown_band(plot: Plot, result: PolicyResult) -> Band:
    """Return the part of a policy's curve that the figure shows."""
    whole = band(plot.curve(result), result.decisions)
    shown = whole.decision >= plot.from_share * whole.decision[-1]
    return Band._make(values[shown] for values in whole)


def draw_band(axes: Any, b: Band, style: Style, shift: float, least: float = -np.inf) -> None:
    """Draw the mean, its band of ± one standard error, and markers at even distances, shifted off those of others."""
    parts = (np.arange(MARKERS) + shift) / MARKERS
    places = b.decision[-1] * parts if axes.get_xscale() == "linear" else b.decision[-1] ** parts
    marked = np.minimum(np.searchsorted(b.decision, places), b.decision.size - 1)
    axes.plot(
        b.decision, b.mean, color=style.colour, ls=style.dash, lw=style.width, marker=style.marker, ms=4.5,
        markevery=np.unique(marked).tolist(), zorder=4 if style.width == BOLD else 3,
    )  # fmt: skip
    lo = np.maximum(b.mean - b.stderr, least)
    axes.fill_between(b.decision, lo, b.mean + b.stderr, color=style.colour, alpha=0.2, lw=0)


def limits(bands: list[Band], levels: list[float]) -> tuple[float, float]:
    """Return a range that contains all bands and levels, with a margin; never empty."""
    lo = min([float((b.mean - b.stderr).min()) for b in bands] + levels)
    hi = max([float((b.mean + b.stderr).max()) for b in bands] + levels)
    margin = 0.03 * (hi - lo) or 0.01
    return lo - margin, hi + margin


def write_axes(axes: Any, plot: Plot, results: Results) -> None:
    """Write the titles and format the axes."""
    n = results.settings.replicates
    subtitle = f"mean of {n:,} replicates; bands: ± one standard error" if n > 1 else "one replicate"
    if plot.from_share * results.settings.horizon > 1.0:
        subtitle += f"; without the first {plot.from_share:.0%} of decisions"
    write_titles(axes, plot.axis, subtitle)
    axes.set_xlabel("decision")
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    if axes.get_ylim()[1] > 1000.0:
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    draw_grid(axes)


def write_titles(axes: Any, title: str, subtitle: str) -> None:
    """Write a title and a subtitle above the axes."""
    x, y, _, height = AXES
    axes.figure.text(x, y + height + 0.08, title, size=9.5, color="#222222")
    axes.figure.text(x, y + height + 0.03, subtitle, size=8.0, color="#555555")
