"""What is written about an experiment that was run: numbers, figures, one page."""

from __future__ import annotations

from pathlib import Path

from rogue_bandits.checkpoint import write_whole
from rogue_bandits.experiments.results import Results
from rogue_bandits.report.data import curves_csv, summary_json, sweep_csv
from rogue_bandits.report.figures import FIGURES, figure, image, plots
from rogue_bandits.report.page import page


def write_report(results: Results, folder: Path) -> list[Path]:
    """Write summary.json, curves.csv, sweep.csv, the figures and report.html; their paths, in this order."""
    files = {"summary.json": summary_json(results), "curves.csv": curves_csv(results), "sweep.csv": sweep_csv(results)}
    drawn = []
    for plot in plots(results):
        fig = figure(plot, results)
        files[f"{plot.name}.png"], files[f"{plot.name}.svg"] = image(fig, "png"), image(fig, "svg")
        drawn.append((plot, files[f"{plot.name}.svg"]))
    files["report.html"] = page(results, drawn)
    for name in FIGURES:  # of an earlier run, with other policies
        for kind in ("png", "svg"):
            if f"{name}.{kind}" not in files:
                (folder / f"{name}.{kind}").unlink(missing_ok=True)
    return [write_whole(folder / name, content) for name, content in files.items()]
