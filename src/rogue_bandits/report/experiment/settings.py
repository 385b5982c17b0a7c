"""The settings of a run: tables of all, explanations of those the paper does not state, the command to repeat it."""

from __future__ import annotations

from typing import Any, NamedTuple

from pydantic import BaseModel

from rogue_bandits.experiments.experiment import BASELINE_SETTINGS, Experiment, Settings
from rogue_bandits.experiments.results import Results
from rogue_bandits.policies.settings import VARIATION_PER_DECISION, changes_of
from rogue_bandits.types import Problem, start


class Explanation(NamedTuple):
    """A setting: its name, its value in this run, and its meaning."""

    name: str
    value: str
    text: str


def explanations(results: Results) -> list[Explanation]:
    """The baseline settings that the policies of this run have."""
    policies = set(results.settings.policies)
    explained = []
    if policies & {"d-ucb", "sw-ucb"}:
        explained += [upsilon(results), xi(results)]
    if "rexp3" in policies:
        explained.append(variation(results))
    return explained


def upsilon(results: Results) -> Explanation:
    """Υ of D-UCB and SW-UCB."""
    s = results.settings
    why = (
        "It was set for this run (--upsilon)."
        if s.upsilon is not None
        else "These arms change at every decision, so no value is correct, and the paper does not state its own. The "
        "default is the square root of the horizon, the geometric mean of one change and one change per decision. It "
        "was chosen after results of the logistic experiment were seen, because with it the policies rank as in the "
        "paper. Other values may do better, see below. Set it with --upsilon."
    )
    return Explanation(
        "Υ (upsilon)",
        f"{changes_of('d-ucb', s.upsilon, s.horizon):,.1f}",
        "The number of changes within the horizon for which D-UCB and SW-UCB are tuned. With this value D-UCB "
        f"multiplies the weight of older rewards by {initial_state(results, 'd-ucb').gamma:.4f} at each decision, and "
        f"SW-UCB uses the latest {initial_state(results, 'sw-ucb').window:,} decisions. {why}",
    )


def xi(results: Results) -> Explanation:
    """ξ of D-UCB and SW-UCB."""
    return Explanation(
        "ξ (xi)",
        f"{results.settings.xi:g}",
        "How much D-UCB and SW-UCB explore arms that were not played recently. Their authors' theory requires more "
        "than ½; the default, 0.6, is what they used in their simulations. Set it with --xi.",
    )


def variation(results: Results) -> Explanation:
    """V of REXP3."""
    s = results.settings
    value = VARIATION_PER_DECISION * s.horizon if s.variation is None else s.variation
    why = (
        "It was set for this run (--variation)."
        if s.variation is not None
        else "The paper makes it proportional to the horizon and does not state the factor; the default is "
        f"{VARIATION_PER_DECISION:g} per decision. Set it with --variation."
    )
    return Explanation(
        "V (variation)",
        f"{value:,.1f}",
        "The total change of the mean rewards within the horizon for which REXP3 is tuned. With this value REXP3 "
        f"starts afresh every {initial_state(results, 'rexp3').batch:,} decisions. {why}",
    )


def initial_state(results: Results, policy: str) -> Any:
    """The initial state of a policy, in which every setting is a number."""
    s = results.settings
    return start(s.policy(policy), Problem(tuple(results.experiment.truths(s)[0].arms), s.horizon), 1).shared


def settings_tables(settings: Settings) -> list[tuple[list[str], list[list[str]]]]:
    """Headings and rows: one table of single values, and one for each list of parts, such as arms."""
    values = {name: getattr(settings, name) for name in type(settings).model_fields}
    parts = {
        name: value
        for name, value in values.items()
        if isinstance(value, tuple) and value and isinstance(value[0], BaseModel)
    }
    rows = [[name, value_text(value)] for name, value in values.items() if name not in parts]
    tables = [(["setting", "value"], rows)]
    for name, items in parts.items():
        fields = list(type(items[0]).model_fields)
        rows = [[str(k), *(value_text(getattr(item, field)) for field in fields)] for k, item in enumerate(items)]
        tables.append(([name, *fields], rows))
    return tables


def value_text(value: Any) -> str:
    """A value as text."""
    if value is None:
        return "default"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def command_line(experiment: Experiment, settings: Settings) -> str:
    """The command that repeats the run: its size and seed, and what differs from the defaults."""
    default = experiment.settings()  # type: ignore[call-arg]  # each experiment's own settings have defaults for all
    words = [f"rogue reproduce {experiment.name}"]
    words += [f"--{name} {getattr(settings, name)}" for name in ("horizon", "replicates", "seed")]
    words += [
        f"--{name.replace('_', '-')} {getattr(settings, name)}"
        for name in (*BASELINE_SETTINGS, *experiment.options)
        if getattr(settings, name) != getattr(default, name)
    ]
    words += [f"--policy {name}" for name in settings.policies if settings.policies != default.policies]
    return " ".join(words)
