"""Trial, fit, deploy: the table and the sentence on what a study may expect."""

from __future__ import annotations

from typing import NamedTuple

from rogue_bandits.experiments.experiment import Unit
from rogue_bandits.experiments.results import Deployed, Gain, Results
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.report.experiment.tables import NO_BREAK, difference

HEADINGS = {
    "true": "true dynamics known",
    "fitted-own": "fitted to each person’s trial",
    "fitted-pooled": "fitted, pooled over people",
    "learned": "learned online",
    "paper": "the paper’s way: people are the fits",
}
ENOUGH_PEOPLE = 12  # in a trial, below which the table is a demonstration only


class DeployedTable(NamedTuple):
    """Gains over D-UCB by policy (rows) and origin of the dynamics (columns), as text."""

    title: str
    sentence: str
    caption: str
    headings: list[str]
    rows: list[list[str]]


def deployed_table(results: Results) -> DeployedTable | None:
    """Return the table of the deployment, if the experiment has one with D-UCB."""
    deployed, unit = results.deployed, results.unit
    if deployed is None or deployed.reference not in deployed.columns["true"]:
        return None
    shown = {column: words for column, words in HEADINGS.items() if column in deployed.columns}
    shown |= {} if deployed.trial_days else {"true": "true parameters given"}
    order = sorted(deployed.columns["true"], key=lambda row: -deployed.columns["true"][row].reward.mean)
    rows = [
        [POLICIES[row].label, *(cell(deployed, column, row, unit) for column in shown)]
        for row in order
        if row != deployed.reference
    ]
    over = "; ".join(f"over {POLICIES[row].label} {with_error(gain, unit)}" for row, gain in deployed.ceiling.items())
    trial = (
        f" The trial lasted {deployed.trial_days} days with messages at random. The last column does not happen: there "
        "the people who are simulated are the fits themselves."
    )  # fmt: skip
    caption = (
        f"{unit.first_word} {unit.each} gained over {POLICIES[deployed.reference].label}, which needs no "
        f"dynamics, by where a policy’s dynamics come from; expected rewards, {deployed.people} people, ± one standard "
        f"error over people.{trial if deployed.trial_days else ''} The best arm of every moment, played by an oracle, "
        f"gains {over}"
    )
    title = "Trial, fit, deploy" if deployed.trial_days else "Parameters given, or learned online"
    return DeployedTable(title, sentence(deployed, unit), caption, ["", *shown.values()], rows)


def cell(deployed: Deployed, column: str, row: str, unit: Unit) -> str:
    """Return a gain over D-UCB with its standard error; a dash where the policy does not exist."""
    policy = deployed.columns[column].get(row)
    return "–" if policy is None or policy.over_d_ucb is None else with_error(policy.over_d_ucb, unit)


def with_error(gain: Gain, unit: Unit) -> str:
    """Return a gain with its standard error.

    >>> with_error(Gain(0.012, 0.002, 0.008, 0.016), Unit(14.0, "steps", "thousand")).replace(NO_BREAK, " ")
    '+12 ± 2'
    """
    return f"{difference(gain.mean, unit)}{NO_BREAK}±{NO_BREAK}{difference(gain.stderr, unit).lstrip('+')}"


def few_people(deployed: Deployed) -> str:
    """Return that a trial of a handful of people shows nothing more, and how to simulate a larger one."""
    if deployed.people >= ENOUGH_PEOPLE:
        return ""
    return (
        f" {deployed.people} people are too few to show more than how this is done; a trial of 30 is simulated by "
        "rogue reproduce health --deployed 30."
    )


def sentence(deployed: Deployed, unit: Unit) -> str:
    """Return what a study may expect: the best policy with a model in each column, compared with D-UCB."""

    def best(column: str) -> str:
        rows = {
            row: policy.over_d_ucb
            for row, policy in deployed.columns[column].items()
            if POLICIES[row].is_rogue and policy.over_d_ucb is not None
        }
        if not rows:
            return "nothing known"
        row = max(rows, key=lambda row: rows[row].mean)
        return f"{with_error(rows[row], unit)} ({POLICIES[row].label})"

    if not deployed.trial_days:
        return (
            f"In {unit.reward} {unit.each} compared with {POLICIES[deployed.reference].label}, the best policy with a "
            f"model of wear-out, selected afterwards for each number, gains {best('true')} if it is given the true "
            f"parameters, and {best('learned')} if it has to learn them online. A study can achieve the latter at most."
        )
    return (
        f"What a study may expect, in {unit.reward} {unit.each} compared with D-UCB, of the best policy with a model "
        f"of wear-out, selected afterwards for each number: {best('true')} if the true dynamics were known; "
        f"{best('fitted-own')} with dynamics fitted to a trial of {deployed.trial_days} days of the same people, "
        f"{best('fitted-pooled')} with fits pooled over people; {best('learned')} if they are learned online. "
        f"Simulating from the fits, as the paper does, would have predicted {best('paper')}.{few_people(deployed)}"
    )
