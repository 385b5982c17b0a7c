"""report.html of an experiment, and the overview of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rogue_bandits.experiments.experiment import Unit
from rogue_bandits.experiments.results import Oracles, Results
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.report.experiment.figures import Plot, figure, plots
from rogue_bandits.report.experiment.settings import command_line, explanations, settings_tables
from rogue_bandits.report.experiment.styles import ORACLE, Style, style_of
from rogue_bandits.report.experiment.tables import (
    HEADINGS,
    PolicyLine,
    gain_rows,
    gain_sentence,
    policy_lines,
    sensitivity_caption,
    sensitivity_headings,
    sensitivity_rows,
    with_stderr,
)
from rogue_bandits.report.html import data_uri, render
from rogue_bandits.report.plotting import image


class PolicyRow(NamedTuple):
    """A row of the table of policies; an oracle has no description."""

    style: Style
    label: str
    about: str
    numbers: Sequence[str]


class FigureContent(NamedTuple):
    """A figure of the page."""

    source: str
    alt: str
    title: str
    note: str


class ExperimentContent(NamedTuple):
    """What the templates show of an experiment."""

    name: str
    title: str
    about: str
    notes: list[str]
    in_short: str
    unit: Unit
    headings: PolicyLine
    rows: list[PolicyRow]
    figures: list[FigureContent]
    gain_sentence: str
    gain_policy: str
    gains: list[list[str]]
    sensitivity_caption: str
    sensitivity_headings: list[str]
    sensitivity_rows: list[list[str]]


def page(results: Results, svgs: Mapping[Plot, bytes]) -> bytes:
    """The page of an experiment, with its figures (as SVG) inside."""
    s, e = results.settings, results.experiment
    upsilon = [f"Υ = {upsilon:,.0f}" for upsilon in results.sweep.upsilon]
    return render(
        "experiment.html",
        title=e.title,
        e=content(results, svgs),
        stderr_note=f" over {s.replicates:,} replicates" if s.replicates > 1 else " (a single replicate has none)",
        plan_note=plan_note(results.oracles),
        explanations=explanations(results),
        sweep_headings=["", *upsilon],
        sweep_rows=[
            [POLICIES[name].label, *(with_stderr(estimate, 1) for estimate in estimates)]
            for name, estimates in results.sweep.tracking_regret.items()
        ],
        settings_tables=settings_tables(s),
        command=command_line(e, s),
        seed=s.seed,
        seconds=f"{results.seconds:.1f}",
    )


def overview_page(every: Sequence[Results]) -> bytes:
    """One page on several experiments, with links to the page of each."""
    experiments = [content(r, {plot: image(figure(plot, r), "svg") for plot in plots(r)}) for r in every]
    seconds = f"{sum(results.seconds for results in every):.0f}"
    return render("overview.html", title="The paper's experiments", experiments=experiments, seconds=seconds)


def content(results: Results, svgs: Mapping[Plot, bytes]) -> ExperimentContent:
    """What the templates show of an experiment."""
    e = results.experiment
    return ExperimentContent(
        e.name,
        e.title,
        e.about,
        e.notes(results.settings),
        in_short(results),
        results.unit,
        HEADINGS,
        [
            *(
                PolicyRow(style_of(line.id), line.policy, POLICIES[line.id].about, line[2:])
                for line in policy_lines(results)
            ),
            *(
                PolicyRow(ORACLE, label, "", ["", "", f"{level:.4f}", ""])
                for label, level in results.oracles.levels().items()
            ),
        ],
        [FigureContent(data_uri(svg, "svg"), alt_text(plot), plot.title, plot.note) for plot, svg in svgs.items()],
        gain_sentence(results),
        POLICIES[results.gained.row].label if results.gained else "",
        gain_rows(results),
        sensitivity_caption(results),
        sensitivity_headings(results),
        sensitivity_rows(results),
    )


def in_short(results: Results) -> str:
    """The result in one sentence: the best policy compared with random choices, or with the worst."""
    ranked = [line.id for line in policy_lines(results)]
    best, other = ranked[0], "random" if "random" in ranked[1:] else ranked[-1]
    many = f" {results.unit.many}" if results.unit.many else ""
    lost = {name: with_stderr(results.policies[name].tracking_regret.last(), 1) + many for name in (best, other)}
    sentence = (
        "Compared with always playing the arm that is best at that moment, "
        f"{POLICIES[best].label} lost {lost[best]} of expected {results.unit.reward} "
        f"over {results.settings.horizon:,} decisions"
    )
    sentence += f", and {POLICIES[other].label} lost {lost[other]}." if other != best else "."
    return f"{sentence} {gain_sentence(results)}".rstrip()


def plan_note(oracles: Oracles) -> str:
    """Whether the best plan is proven to be optimal."""
    if oracles.is_exact:
        return "No policy can have a higher expected average."
    return f"It is the best plan found. No plan can average more than {oracles.optimal_upper:.4f}, which is proven."


def alt_text(plot: Plot) -> str:
    """The figure in words, for those who cannot see it."""
    who = ", ".join(POLICIES[name].label for name in plot.rows)
    return f"{plot.title}: {plot.axis}, by decision, for {who}. The table has the final values."
