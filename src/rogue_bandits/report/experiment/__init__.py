"""Reports on experiments: numbers, figures and one page for each, and an overview of several."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rogue_bandits.checkpoint import write_atomic
from rogue_bandits.experiments.results import Results
from rogue_bandits.plotting import image
from rogue_bandits.report.experiment.data import curves_csv, summary_json, sweep_csv
from rogue_bandits.report.experiment.figures import FIGURES, figure, plots
from rogue_bandits.report.experiment.page import overview_page, page


def write_report(results: Results, folder: Path) -> list[Path]:
    """Write summary.json, curves.csv, sweep.csv, the figures and report.html; return their paths in this order."""
    files = {"summary.json": summary_json(results), "curves.csv": curves_csv(results), "sweep.csv": sweep_csv(results)}
    svgs = {}
    for plot in plots(results):
        fig = figure(plot, results)
        svgs[plot] = image(fig, "svg")
        files[f"{plot.name}.png"], files[f"{plot.name}.svg"] = image(fig, "png"), svgs[plot]
    files["report.html"] = page(results, svgs)
    for name in FIGURES:  # of an earlier run, with other policies
        for kind in ("png", "svg"):
            if f"{name}.{kind}" not in files:
                (folder / f"{name}.{kind}").unlink(missing_ok=True)
    return [write_atomic(folder / name, content) for name, content in files.items()]


def write_overview(every: Sequence[Results], folder: Path) -> Path:
    """Write report.html on several experiments; the files of each are in a subfolder with its name."""
    return write_atomic(folder / "report.html", overview_page(every))
