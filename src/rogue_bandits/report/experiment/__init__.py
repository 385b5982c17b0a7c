"""Reports on experiments: numbers, figures and one page for each, and an overview of several."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rogue_bandits.checkpoint import write_atomic
from rogue_bandits.experiments.results import Results
from rogue_bandits.plotting import image
from rogue_bandits.report.experiment.data import curves_table, summary_json, sweep_table
from rogue_bandits.report.experiment.figures import FIGURES, figure, plots
from rogue_bandits.report.experiment.page import overview_page, page
from rogue_bandits.report.table_file import as_files


def write_report(results: Results, folder: Path, kind: str = "csv") -> list[Path]:
    """Write summary.json, the tables curves and sweep (`kind`: csv or parquet), the figures and report.html.

    Returns their paths in this order.
    """
    files = {"summary.json": summary_json(results)}
    files |= as_files({"curves": curves_table(results), "sweep": sweep_table(results)}, kind, folder)
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
