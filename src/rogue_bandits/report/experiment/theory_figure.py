"""The figure of theory: the bounds, the largest possible regret and the simulated regret, on log axes."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from rogue_bandits.experiments.theory import Bounds, Theory, bounds_at
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.report.experiment.figures import AXES, INCHES, Band, draw_band
from rogue_bandits.report.experiment.styles import DASHED, DOTTED, SOLID, Label, Style, label_ends, style_of
from rogue_bandits.report.experiment.tables import short_number
from rogue_bandits.report.plotting import RC, draw_grid

POSSIBLE = Style("#444444", SOLID, "", 0.8)
PROVED = {
    "theorem_3": ("Theorem 3, ROGUE-UCB", Style("#CC79A7", DASHED, "", 1.8)),
    "corollary_2": ("Corollary 2, ROGUE-UCB", Style("#E69F00", DOTTED, "", 2.2)),
}
LEAST = 0.01  # the lower end of the log axis


def theory_figure(theory: Theory) -> Figure:
    """Draw the figure."""
    s = theory.results.settings
    some = np.unique(np.geomspace(1, s.horizon, 60).astype(np.int64))
    proved = [bounds_at(theory, int(t)) for t in some]
    with mpl.rc_context(RC):
        fig = Figure(figsize=INCHES)
        axes = fig.add_axes(AXES)
        axes.set_xscale("log")
        axes.set_yscale("log")
        labels = [*draw_proved(axes, proved), *draw_simulated(axes, theory)]
        top = max(b.theorem_3 if np.isfinite(b.theorem_3) else b.corollary_2 for b in proved)
        axes.set_xlim(1, max(s.horizon, 2))
        axes.set_ylim(LEAST, 30.0 * top)
        shade_impossible(axes, proved, 30.0 * top)
        write_titles(axes, theory)
        write_onsets(axes, theory)
        label_ends(axes, labels)
    return fig


def draw_proved(axes: Any, proved: list[Bounds]) -> list[Label]:
    """Draw the bounds and the largest possible regret; an infinite bound is left out."""
    decisions = [b.decisions for b in proved]
    possible = [b.possible for b in proved]
    axes.plot(decisions, possible, color=POSSIBLE.colour, ls=POSSIBLE.dash, lw=POSSIBLE.width)
    labels = [Label("largest possible regret", possible[-1], POSSIBLE)]
    for name, (label, style) in PROVED.items():
        values = [getattr(b, name) for b in proved]
        if np.isfinite(values[-1]):
            axes.plot(decisions, values, color=style.colour, ls=style.dash, lw=style.width, zorder=3)
            labels.append(Label(label, values[-1], style))
    return labels


def draw_simulated(axes: Any, theory: Theory) -> list[Label]:
    """Draw the simulated regret of each policy, with bands."""
    labels = []
    for place, (row, result) in enumerate(theory.results.policies.items()):
        curve = result.tracking_regret
        decisions, mean = np.array(result.decisions, dtype=np.float64) + 1.0, np.array(curve.mean)
        stderr = np.zeros(mean.size) if curve.stderr is None else np.array(curve.stderr)
        seen = mean > LEAST
        if seen.any():
            draw_band(axes, Band(decisions[seen], mean[seen], stderr[seen]), style_of(row), (place + 1) / 5, LEAST)
        labels.append(Label(POLICIES[row].label, max(mean[-1], LEAST), style_of(row)))
    return labels


def shade_impossible(axes: Any, proved: list[Bounds], top: float) -> None:
    """Shade what lies above the largest possible regret: a bound in that area is vacuous."""
    axes.fill_between([b.decisions for b in proved], [b.possible for b in proved], top, color="#EFEFEF", lw=0, zorder=0)


def write_onsets(axes: Any, theory: Theory) -> None:
    """Write what the grey area means, and at which horizons the bounds leave it."""
    lines = ["Grey: above the largest possible regret (vacuous)"]
    for name, (label, _) in PROVED.items():
        onset = getattr(theory.onset, name)
        leaves = "does not leave it" if onset is None else f"leaves it after {short_number(onset)} decisions"
        lines.append(f"{label.split(',')[0]} {leaves}")
    axes.text(
        0.03, 0.66, "\n".join(lines), transform=axes.transAxes, size=8.5, color="#555555", va="center", linespacing=1.5
    )


def write_titles(axes: Any, theory: Theory) -> None:
    """The title and the axes."""
    s = theory.results.settings
    x, y, _, height = AXES
    title = "tracking regret (expected reward lost against the best arm at that moment), bounds and simulation"
    subtitle = f"lines with markers: simulated, mean of {s.replicates:,} replicates"
    subtitle += "; bands: ± one standard error" if s.replicates > 1 else ""
    axes.figure.text(x, y + height + 0.08, title, size=9.5, color="#222222")
    axes.figure.text(x, y + height + 0.03, subtitle, size=8.0, color="#555555")
    axes.set_xlabel("number of decisions")
    draw_grid(axes)
