"""report.html of an experiment, and the overview of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rogue_bandits.experiments.experiment import POLICY_SETTINGS, Experiment, Settings
from rogue_bandits.experiments.results import Results
from rogue_bandits.plotting import image
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.policies.settings import VARIATION_PER_DECISION, changes_of
from rogue_bandits.report.experiment.deployed import deployed_table
from rogue_bandits.report.experiment.figures import Plot, figure, plots
from rogue_bandits.report.experiment.styles import ORACLE, style_of
from rogue_bandits.report.experiment.tables import (
    HEADINGS,
    gain_sentence,
    policy_lines,
    sensitivity_table,
    with_interval,
    with_stderr,
)
from rogue_bandits.report.html import data_uri, render
from rogue_bandits.types import Problem, start


def page(results: Results, svgs: Mapping[Plot, bytes]) -> bytes:
    """Return the page of an experiment, with its figures (as SVG) inside."""
    s, e = results.settings, results.experiment
    sweep = [
        [POLICIES[name].label, *(with_stderr(estimate, 1) for estimate in estimates)]
        for name, estimates in results.sweep.tracking_regret.items()
    ]
    return render(
        "experiment.html",
        title=e.description(s).title,
        e=content(results, svgs),
        settings=s,
        oracles=results.oracles,
        baselines=baseline_settings(results),
        sweep_headings=["", *(f"Υ = {upsilon:,.0f}" for upsilon in results.sweep.upsilon)],
        sweep_rows=sweep,
        settings_tables=settings_tables(s),
        command=command_line(e, s),
        seconds=f"{results.seconds:.1f}",
    )


def overview_page(every: Sequence[Results]) -> bytes:
    """Return one page on several experiments, with links to the page of each."""
    experiments = [content(r, {plot: image(figure(plot, r), "svg") for plot in plots(r)}) for r in every]
    seconds = f"{sum(results.seconds for results in every):.0f}"
    return render("overview.html", title="The paper's experiments", experiments=experiments, seconds=seconds)


def content(results: Results, svgs: Mapping[Plot, bytes]) -> dict[str, Any]:
    """Return what both pages show of an experiment."""
    e, gained = results.experiment, results.gained.over if results.gained else {}
    rows = [
        {"style": style_of(line.id), "label": line.policy, "about": POLICIES[line.id].about, "numbers": line[2:]}
        for line in policy_lines(results)
    ]
    rows += [
        {"style": ORACLE, "label": label, "about": "", "numbers": ["", "", "", "", f"{level:.4f}", ""]}
        for label, level in results.oracles.levels().items()
    ]
    return {
        "name": e.name,
        "title": e.description(results.settings).title,
        "about": e.description(results.settings).about,
        "notes": e.notes(results.settings),
        "in_short": in_short(results),
        "unit": results.unit,
        "headings": HEADINGS,
        "rows": rows,
        "figures": [
            {"plot": plot, "who": ", ".join(POLICIES[row].label for row in plot.rows), "source": data_uri(svg, "svg")}
            for plot, svg in svgs.items()
        ],
        "gain_sentence": gain_sentence(results),
        "gain_policy": POLICIES[results.gained.row].label if results.gained else "",
        "gains": [[POLICIES[name].label, with_interval(gain, results.unit)] for name, gain in gained.items()],
        "sensitivity": sensitivity_table(results),
        "deployed": deployed_table(results),
    }


def in_short(results: Results) -> str:
    """Return the result in one sentence: the best policy compared with random choices, or with the worst.

    Of people who are fits it is what policies gain that learn, beside what they gain if they are given the fits.
    """
    if results.deployed is not None and not results.deployed.trial_days and (lived := deployed_table(results)):
        return lived.sentence
    ranked = results.best_first()
    best, other = ranked[0], "random" if "random" in ranked[1:] else ranked[-1]
    many = f" {results.unit.many}" if results.unit.many else ""
    lost = {name: with_stderr(results.policies[name].optimal_gap.last(), 1) + many for name in (best, other)}
    sentence = (
        f"Compared with the best plan, {POLICIES[best].label} lost {lost[best]} of expected {results.unit.reward} "
        f"over {results.settings.horizon:,} decisions"
    )
    sentence += f", and {POLICIES[other].label} lost {lost[other]}." if other != best else "."
    return f"{sentence} {gain_sentence(results)}".rstrip()


def baseline_settings(results: Results) -> dict[str, Any]:
    """Return the settings that the paper does not state, of the policies of this run, and what follows from them."""
    s = results.settings
    problem = Problem(tuple(results.experiment.truths(s)[0].arms), s.horizon)
    found: dict[str, Any] = {}
    if {"d-ucb", "sw-ucb"} & set(s.policies):
        found["upsilon"] = f"{changes_of('d-ucb', s.upsilon, s.horizon):,.1f}"
        found["gamma"] = f"{start(s.policy('d-ucb'), problem, 1).shared.gamma:.4f}"
        found["window"] = f"{start(s.policy('sw-ucb'), problem, 1).shared.window:,}"
    if "rexp3" in s.policies:
        found["variation"] = f"{VARIATION_PER_DECISION * s.horizon if s.variation is None else s.variation:,.1f}"
        found["batch"] = f"{start(s.policy('rexp3'), problem, 1).shared.batch:,}"
        found["variation_per_decision"] = VARIATION_PER_DECISION
    if any("eta" in POLICIES[name].settings for name in s.policies):
        found["eta"] = f"{s.eta:g}"
    return found


def settings_tables(settings: Settings) -> list[tuple[list[str], list[list[str]]]]:
    """Return headings and rows: one table of single values that were used, and one for each list of parts."""
    values = {name: value for name, value in settings.model_dump(mode="json").items() if name not in settings.unused()}
    parts = {
        name: value
        for name, value in values.items()
        if isinstance(value, list) and value and isinstance(value[0], dict)
    }
    tables = [(["setting", "value"], [[name, value_text(values[name])] for name in values if name not in parts])]
    for name, items in parts.items():
        rows = [[str(k), *map(value_text, item.values())] for k, item in enumerate(items)]
        tables.append(([name, *items[0]], rows))
    return tables


def value_text(value: Any) -> str:
    """Return a value as text."""
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "default" if value is None else f"{value:,}" if isinstance(value, int) else str(value)


def command_line(experiment: Experiment, settings: Settings) -> str:
    """Return the command that repeats the run: its size and seed, and what differs from the defaults."""
    default = experiment.settings()  # type: ignore[call-arg]  # each experiment's own settings have defaults for all
    words = [f"rogue reproduce {experiment.name}"]
    words += [f"--{name} {getattr(settings, name)}" for name in ("horizon", "replicates", "seed")]
    words += [
        f"--{name.replace('_', '-')} {getattr(settings, name)}"
        for name in (*POLICY_SETTINGS, *experiment.options)
        if getattr(settings, name) != getattr(default, name)
    ]
    words += [f"--policy {name}" for name in settings.policies if settings.policies != default.policies]
    return " ".join(words)
