"""One page on several experiments: what each found, its main figures, and where the rest is."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from rogue_bandits.checkpoint import write_whole
from rogue_bandits.experiments.results import Results
from rogue_bandits.report.figures import figure, image, plots
from rogue_bandits.report.gained import gained_html, sensitivity_html
from rogue_bandits.report.page import figure_html, in_short, notes_html, policy_table
from rogue_bandits.report.whole import whole_page


def write_both(every: Sequence[Results], folder: Path) -> Path:
    """Write report.html; each experiment's own files are in a folder of its name beside it."""
    words = {
        "experiments": "\n".join(section(results) for results in every),
        "seconds": f"{sum(results.seconds for results in every):.0f}",
    }
    return write_whole(folder / "report.html", whole_page("both.html", "The paper's experiments", words))


def section(results: Results) -> str:
    """One experiment: the finding, the table, the four figures, what is gained."""
    e = results.experiment
    drawn = "\n".join(figure_html(plot, image(figure(plot, results), "svg")) for plot in plots(results))
    unit = escape(results.unit.of("Rewards"))
    counted = f"<p>{unit} of {escape(results.unit.reward)}.</p>" if results.unit.many else ""
    return (
        f'<section id="{escape(e.name)}"><h2>{escape(e.title)}</h2>\n<p>{escape(e.about)}</p>{notes_html(results)}\n'
        f'<p class="short"><strong>In short.</strong> {escape(in_short(results))}</p>\n'
        f'{counted}<div class="wide">{policy_table(results)}</div>\n{drawn}\n'
        f"{gained_html(results)}{sensitivity_html(results)}\n"
        f'<p><a href="{escape(e.name)}/report.html">All about it</a>: what each column means, all settings, and the '
        "command that runs it again.</p></section>"
    )
