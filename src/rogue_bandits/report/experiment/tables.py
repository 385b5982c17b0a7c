"""The tables of an experiment, for the terminal and for the page: policies, gains, sensitivity."""

from __future__ import annotations

import math
from typing import NamedTuple

from rich.table import Table

from rogue_bandits.experiments.experiment import Unit
from rogue_bandits.experiments.results import Estimate, Gain, Results
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.report.terminal import plain_table
from rogue_bandits.wording import counted

NO_BREAK = "\N{NO-BREAK SPACE}"
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class PolicyLine(NamedTuple):
    """A row of the table of policies, as text."""

    id: str
    policy: str
    share: str
    optimal_gap: str
    tracking_regret: str
    average_reward: str
    expected_reward: str
    microseconds: str


HEADINGS = PolicyLine(
    "",
    "policy",
    "share of best plan",
    "optimal gap",
    "tracking regret",
    "average reward",
    "expected reward",
    "µs a decision",
)


def policy_lines(results: Results) -> list[PolicyLine]:
    """Return a row for each policy, the smallest optimal gap first."""
    lines = []
    for name in results.best_first():
        result, share = results.policies[name], results.share(name)
        regret, gap = with_stderr(result.tracking_regret.last(), 1), with_stderr(result.optimal_gap.last(), 1)
        reward, expected = (with_stderr(c.last(), 4) for c in (result.average_reward, result.expected_reward))
        microseconds = f"{result.microseconds_per_decision:.2f}"
        part = "" if share is None else percent(share)
        lines.append(PolicyLine(name, POLICIES[name].label, part, gap, regret, reward, expected, microseconds))
    return lines


def percent(share: Estimate) -> str:
    """Return a share with its standard error, if it has one.

    >>> percent(Estimate(0.98912, 0.0004)).replace(NO_BREAK, " ")
    '98.91 ± 0.04 %'
    """
    stderr = None if share.stderr is None else 100.0 * share.stderr
    return f"{with_stderr(Estimate(100.0 * share.mean, stderr), 2)}{NO_BREAK}%"


def with_stderr(estimate: Estimate, digits: int) -> str:
    """Return a mean with its standard error, if it has one.

    >>> with_stderr(Estimate(1417.24, 2.2), 1).replace(NO_BREAK, " "), with_stderr(Estimate(0.62, None), 4)
    ('1,417.2 ± 2.2', '0.6200')
    """
    mean = f"{estimate.mean:,.{digits}f}"
    return mean if estimate.stderr is None else f"{mean}{NO_BREAK}±{NO_BREAK}{estimate.stderr:,.{digits}f}"


def short_number(value: float) -> str:
    """Return a number of any magnitude in few characters.

    >>> short_number(4621.2), short_number(2.23e15), short_number(float("inf")), short_number(3.2e-6)
    ('4,621', '2.2·10¹⁵', 'infinite', '3.2·10⁻⁶')
    """
    if math.isinf(value):
        return "infinite"
    if value == 0.0 or 1e-3 <= abs(value) < 1e6:
        return f"{value:,.0f}" if abs(value) >= 100.0 else f"{value:.4g}"
    digits, power = f"{value:.1e}".split("e")
    return f"{digits}·10{str(int(power)).translate(SUPERSCRIPTS)}"


def terminal_table(results: Results) -> Table:
    """Return the table of policies for a terminal of 80 columns, without the computing times."""
    s, unit = results.settings, results.unit
    people = len(next(iter(results.policies.values())).expected)
    who = f"{people:,} people, " if people > 1 else ""
    size = f"{counted(s.replicates, 'replicate')} of {counted(s.horizon, 'decision')}"
    caption = "± one standard error; " if s.replicates > 1 else ""
    caption += "share: gain over random choices, in percent of what the best plan gains over them; optimal gap: loss "
    caption += "against the best plan; tracking regret: loss against the best arm of each moment; less is better"
    caption += "; expected reward: the mean of the means of the arms played, without the randomness of rewards"
    caption += f"; in {unit.many}s of {unit.reward}" if unit.many else ""
    rows = (shown(narrow(line)) for line in policy_lines(results))
    title = f"{results.experiment.description(s).title}: {who}{size}"
    table = plain_table(shown(HEADINGS), rows, collapse_padding=True, title=title, caption=caption)
    table.add_section()
    for label, level in results.oracles.levels().items():
        table.add_row(label, "", "", "", f"{level:.4f}")
    return table


def narrow(line: PolicyLine) -> PolicyLine:
    """Return a row without the standard errors of the share and the reward, for which 80 columns have no room."""
    share, expected = (text.split(NO_BREAK)[0] for text in (line.share, line.expected_reward))
    return line._replace(share=share, expected_reward=expected)


def shown(line: PolicyLine) -> tuple[str, ...]:
    """Return the columns of a terminal: of the two rewards the expected one, as those of the oracles are."""
    return line.policy, line.share, line.optimal_gap, line.tracking_regret, line.expected_reward


def difference(value: float, unit: Unit) -> str:
    """Return a difference of rewards with its sign, in single units where tables count thousands.

    >>> difference(0.0123, Unit(14.0, "steps", "thousand")), difference(-0.0123, Unit()), difference(278.1, Unit())
    ('+12', '-0.0123', '+278')
    """
    digits = 4 if abs(value) < 10.0 else 1 if abs(value) < 100.0 else 0
    return f"{1_000.0 * value:+,.0f}" if unit.many else f"{value:+,.{digits}f}"


def with_interval(gain: Gain, unit: Unit) -> str:
    """Return a gain with its 95 % interval.

    >>> with_interval(Gain(0.012, 0.002, 0.008, 0.016), Unit(14.0, "steps", "thousand")).replace(NO_BREAK, " ")
    '+12 (95 %: +8 to +16)'
    """
    return f"{difference(gain.mean, unit)} (95{NO_BREAK}%: {difference(gain.lo, unit)} to {difference(gain.hi, unit)})"


def gain_sentence(results: Results) -> str:
    """Return the gain of the best ROGUE policy over the best other; empty where there is none."""
    if results.gained is None:
        return ""
    other, gain = next(iter(results.gained.over.items()))
    people = len(results.policies[other].expected)
    fits = results.deployed is not None and not results.deployed.trial_days
    given = ", which is given the true parameters," if fits else ""
    return (
        f"{results.unit.first_word} {results.unit.each} gained by {POLICIES[results.gained.row].label}{given} over "
        f"the best policy without a model of wear-out, {POLICIES[other].label}: "
        f"{with_interval(gain, results.unit)}, over {people:,} people."
    )


class SensitivityTable(NamedTuple):
    """The gains with other half-lives (rows) and noise (columns), as text."""

    caption: str
    headings: list[str]
    rows: list[list[str]]


def sensitivity_table(results: Results) -> SensitivityTable | None:
    """Return the sensitivity of the gain, if the experiment has one."""
    if results.sensitivity is None:
        return None
    people, replicates, cells = results.sensitivity
    unit = results.unit
    rows: dict[str, list[str]] = {}
    for cell in sorted(cells, key=lambda cell: cell.row, reverse=True):
        head = f"{POLICIES[cell.row].label}, half-lives × {cell.slower:g}"
        mean, error = difference(cell.gain.mean, unit), difference(cell.gain.stderr, unit).lstrip("+")
        text = f"{mean}{NO_BREAK}±{NO_BREAK}{error} over {POLICIES[cell.other].label}"
        rows.setdefault(head, [head]).append(text)
    caption = (
        f"{unit.first_word} {unit.each} gained over the best policy that is not ROGUE, for the first {people} "
        f"people with their half-lives and noise multiplied by a factor, {replicates} replicates; ± one standard error "
        "over people"
    )
    headings = ["", *(f"noise × {noisier:g}" for noisier in dict.fromkeys(cell.noisier for cell in cells))]
    return SensitivityTable(caption, headings, list(rows.values()))
