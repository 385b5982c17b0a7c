"""The figure of theory: the bounds, the largest possible regret and the simulated regret, on log axes."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from rogue_bandits.experiments.theory import Bounds, Theory, bounds_at
from rogue_bandits.plotting import RC, draw_grid
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.report.experiment.figures import AXES, INCHES, Band, band, draw_band, write_titles
from rogue_bandits.report.experiment.styles import DASHED, DOTTED, SOLID, Label, Style, label_ends, style_of
from rogue_bandits.report.experiment.tables import short_number
from rogue_bandits.wording import counted

POSSIBLE = Style("#444444", SOLID, "", 0.8)
PROVED = {
    "theorem_3": ("Theorem 3, ROGUE-UCB", Style("#CC79A7", DASHED, "", 1.8)),
    "corollary_2": ("Corollary 2, ROGUE-UCB", Style("#E69F00", DOTTED, "", 2.2)),
}
LEAST = 0.01  # the lower end of the log axis


def theory_figure(theory: Theory) -> Figure:
    """Draw the figure."""
    s = theory.results.settings
    proved = [bounds_at(theory, int(t)) for t in np.unique(np.geomspace(1, s.horizon, 60).astype(np.int64))]
    top = 30.0 * max(b.theorem_3 if np.isfinite(b.theorem_3) else b.corollary_2 for b in proved)
    with mpl.rc_context(RC):
        fig = Figure(figsize=INCHES)
        axes = fig.add_axes(AXES)
        axes.set(xscale="log", yscale="log", xlim=(1, max(s.horizon, 2)), ylim=(LEAST, top))
        labels = [*draw_proved(axes, proved, top), *draw_simulated(axes, theory)]
        write_text(axes, theory)
        label_ends(axes, labels)
    return fig


def draw_proved(axes: Any, proved: list[Bounds], top: float) -> list[Label]:
    """Draw the bounds and the largest possible regret, with grey above it; an infinite bound is left out."""
    decisions, possible = [b.decisions for b in proved], [b.possible for b in proved]
    axes.fill_between(decisions, possible, top, color="#EFEFEF", lw=0, zorder=0)
    labels = []
    for name, (label, style) in {"possible": ("largest possible regret", POSSIBLE), **PROVED}.items():
        values = [getattr(b, name) for b in proved]
        if np.isfinite(values[-1]):
            axes.plot(decisions, values, color=style.colour, ls=style.dash, lw=style.width, zorder=3)
            labels.append(Label(label, values[-1], style))
    return labels


def draw_simulated(axes: Any, theory: Theory) -> list[Label]:
    """Draw the simulated regret of each policy, with bands."""
    labels = []
    for place, (row, result) in enumerate(theory.results.policies.items()):
        b = band(result.tracking_regret, result.decisions)
        shown = b.mean > LEAST
        if shown.any():
            visible = Band(b.decision[shown] + 1.0, b.mean[shown], b.stderr[shown])
            draw_band(axes, visible, style_of(row), (place + 1) / 5, LEAST)
        labels.append(Label(POLICIES[row].label, max(b.mean[-1], LEAST), style_of(row)))
    return labels


def write_text(axes: Any, theory: Theory) -> None:
    """Write the title, the axis, what the grey area means, and at which horizons the bounds leave it."""
    n = theory.results.settings.replicates
    title = "tracking regret (expected reward lost against the best arm at that moment), bounds and simulation"
    subtitle = f"lines with markers: simulated, mean of {counted(n, 'replicate')}"
    write_titles(axes, title, subtitle + ("; bands: ± one standard error" if n > 1 else ""))
    axes.set_xlabel("number of decisions")
    lines = ["Grey: above the largest possible regret (vacuous)"]
    for name, (label, _) in PROVED.items():
        onset = getattr(theory.onset, name)
        leaves = "does not leave it" if onset is None else f"leaves it after {short_number(onset)} decisions"
        lines.append(f"{label.split(',')[0]} {leaves}")
    axes.text(
        0.03, 0.66, "\n".join(lines), transform=axes.transAxes, size=8.5, color="#555555", va="center", linespacing=1.5
    )
    draw_grid(axes)
