"""report.html: one page that needs no other file, no network and no knowledge of bandits."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from pydantic import BaseModel

from rogue_bandits.experiments.experiment import Experiment, Settings
from rogue_bandits.experiments.results import Oracles, Results
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.report.explanations import explanations
from rogue_bandits.report.figures import Plot
from rogue_bandits.report.gained import gained_html, gained_words, sensitivity_html
from rogue_bandits.report.styles import ORACLE, Style, style_of
from rogue_bandits.report.table import HEADINGS, lines, written
from rogue_bandits.report.whole import whole_page


def page(results: Results, drawn: Sequence[tuple[Plot, bytes]]) -> bytes:
    """The page, with the figures (as SVG) inside it."""
    s = results.settings
    words = {
        "about": escape(results.experiment.about),
        "reward": escape(results.unit.reward),
        "counted": counted_html(results),
        "notes": notes_html(results),
        "gained": gained_html(results) + sensitivity_html(results),
        "name": escape(results.experiment.name),
        "short": escape(in_short(results)),
        "over": f" over {s.replicates:,} replicates" if s.replicates > 1 else " (a single replicate has none)",
        "oracles": escape(oracle_words(results.oracles)),
        "table": policy_table(results),
        "figures": "\n".join(figure_html(plot, svg) for plot, svg in drawn),
        "explanations": "\n".join(
            f"<dt>{escape(e.name)} = {escape(e.value)}</dt><dd>{escape(e.words)}</dd>" for e in explanations(results)
        ) or "<dt>None</dt><dd>The policies of this run have no such settings.</dd>",
        "sweep": sweep_html(results),
        "settings": settings_html(s),
        "command": escape(command_line(results.experiment, s)),
        "seed": str(s.seed),
        "seconds": f"{results.seconds:.1f}",
    }  # fmt: skip
    return whole_page("page.html", results.experiment.title, words)


def oracle_words(oracles: Oracles) -> str:
    """Who the oracles are, and how far they can be trusted as a ceiling."""
    best = (
        "On average nothing does better."
        if oracles.is_exact
        else "It is the best plan that was found; it is proven that no plan averages more than "
        f"{oracles.optimal_upper:.4f}."
    )
    return (
        "“Oracle: best arm now” knows everything and always plays the arm that is best at that moment. It pays no heed "
        "to how arms wear out, so that it is no ceiling: a policy that happens to let arms rest may earn more. "
        "“Oracle: best plan” knows everything and thinks ahead: it lets an arm rest now where that pays later. "
        f"{best}"
    )


def in_short(results: Results) -> str:
    """The finding in one sentence: the best policy against random choices, or against the worst."""
    ranked = [line.row for line in lines(results)]
    best, other = ranked[0], "random" if "random" in ranked[1:] else ranked[-1]
    many = f" {results.unit.many}" if results.unit.many else ""
    lost = {row: written(results.policies[row].tracking_regret.last(), 1) + many for row in (best, other)}
    sentence = (
        "Compared with always playing the arm that is best at that moment, "
        f"{POLICIES[best].label} lost {lost[best]} of expected {results.unit.reward} "
        f"over {results.settings.horizon:,} decisions"
    )
    sentence += f", and {POLICIES[other].label} {lost[other]}." if other != best else "."
    return " ".join([sentence, *gained_words(results)])


def notes_html(results: Results) -> str:
    """What a reader must know of the people."""
    return "".join(f"<p>{escape(note)}</p>" for note in results.experiment.notes(results.settings))


def counted_html(results: Results) -> str:
    """In what the numbers of the table are."""
    unit = results.unit
    return f" Of {escape(unit.reward)}, the table counts {escape(unit.many)}s." if unit.many else ""


def command_line(experiment: Experiment, settings: Settings) -> str:
    """The command that does this again: what every run should state, and what differs from the defaults."""
    default = experiment.settings()  # type: ignore[call-arg]  # each experiment's own settings have defaults for all
    words = [f"rogue reproduce {experiment.name}"]
    words += [f"--{name} {getattr(settings, name)}" for name in ("horizon", "replicates", "seed")]
    words += [
        f"--{name} {getattr(settings, name)!r}"
        for name in ("upsilon", "xi", "variation")
        if getattr(settings, name) != getattr(default, name)
    ]
    words += [
        f"--{name.replace('_', '-')} {getattr(settings, name)}"
        for name in experiment.options
        if getattr(settings, name) != getattr(default, name)
    ]
    words += [f"--policy {row}" for row in settings.policies if settings.policies != default.policies]
    return " ".join(words)


def policy_table(results: Results) -> str:
    """The table of the policies, each with a piece of its curve."""
    head = "".join(f'<th class="n" scope="col">{escape(heading)}</th>' for heading in HEADINGS[2:])
    body = [
        f'<tr><td class="swatch">{swatch(style_of(line.row))}</td><td>{escape(line.policy)}'
        f"<small>{escape(POLICIES[line.row].about)}</small></td>{numbers(line[2:])}</tr>"
        for line in lines(results)
    ]
    body += [
        f'<tr class="oracle"><td class="swatch">{swatch(ORACLE)}</td><td>{escape(words)}</td>'
        f"{numbers(['', '', f'{level:.4f}', ''])}</tr>"
        for words, level in results.oracles.levels().items()
    ]
    head = f'<thead><tr><th></th><th scope="col">{HEADINGS.policy}</th>{head}</tr></thead>'
    return f"<table>{head}<tbody>\n" + "\n".join(body) + "\n</tbody></table>"


def sweep_html(results: Results) -> str:
    """What D-UCB and SW-UCB lose by what they are told of Υ; nothing where neither was run."""
    told = results.sweep
    if not told.tracking_regret:
        return ""
    rows = [
        [POLICIES[row].label, *(written(estimate, 1) for estimate in estimates)]
        for row, estimates in told.tracking_regret.items()
    ]
    words = (
        "Tracking regret by the number of changes Υ that they are told to expect. Their lines in the table above say "
        "as much about the choice of Υ as about the policies."
    )
    return f"<h3>How much depends on Υ</h3><p>{words}</p>" + plain_table(
        ["", *(f"Υ = {upsilon:,.0f}" for upsilon in told.upsilon)], rows
    )


def numbers(cells: Iterable[str]) -> str:
    """Cells that are set to the right."""
    return "".join(f'<td class="n">{escape(cell)}</td>' for cell in cells)


def swatch(style: Style) -> str:
    """A piece of a curve, to find it in the figures."""
    dashes = [] if isinstance(style.dash, str) else [f"{part * style.width:g}" for part in style.dash[1]]
    return (
        f'<svg width="46" height="12" aria-hidden="true"><line x1="0" x2="46" y1="7" y2="7" stroke="{style.colour}" '
        f'stroke-width="{style.width * 1.3:g}" stroke-dasharray="{" ".join(dashes)}"/></svg>'
    )


def figure_html(plot: Plot, svg: bytes) -> str:
    """A figure with its caption. As an image its names cannot clash with those of other figures."""
    source = base64.b64encode(svg).decode()
    who = ", ".join(POLICIES[row].label for row in plot.rows)
    alt = f"{plot.title}: {plot.axis}, against the number of decisions, for {who}. The table has the values at the end."
    image = f'<img alt="{escape(alt)}" src="data:image/svg+xml;base64,{source}">'
    return f"<figure>{image}<figcaption><strong>{escape(plot.title)}.</strong> {plot.note}</figcaption></figure>"


def settings_html(settings: Settings) -> str:
    """Every setting: single values in one table, each list of parts (arms) in one of its own."""
    values = {name: getattr(settings, name) for name in type(settings).model_fields}
    parts = {name: value for name, value in values.items() if is_parts(value)}
    rows = [[name, shown(value)] for name, value in values.items() if name not in parts]
    tables = [plain_table(["setting", "value"], rows)]
    for name, items in parts.items():
        fields = list(type(items[0]).model_fields)
        rows = [[str(k), *(shown(getattr(item, field)) for field in fields)] for k, item in enumerate(items)]
        tables.append(plain_table([name, *fields], rows))
    return "\n<p></p>\n".join(tables)


def is_parts(value: Any) -> bool:
    """Is this a list of things that have settings themselves?"""
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], BaseModel)


def shown(value: Any) -> str:
    """A value as a reader wants it."""
    if value is None:
        return "default"
    return (
        ", ".join(map(str, value))
        if isinstance(value, tuple)
        else f"{value:,}"
        if isinstance(value, int)
        else str(value)
    )


def plain_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of words."""
    heads = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "\n".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>\n{body}\n</tbody></table>"
