"""Turn the rows of a table into a cohort. Repairs are noted for the reader; other faults raise an error."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.gaps import notes_on_gaps
from rogue_bandits.estimate.history import WARNING, Cohort, History
from rogue_bandits.estimate.ladder.families import AGENT, BINOMIAL, LOGIT, Family, family_of, possible
from rogue_bandits.estimate.notes import notes_on_covariates, notes_on_direction, notes_on_records, notes_on_rows
from rogue_bandits.estimate.reading.repeats import Again, raise_on_decisions_again
from rogue_bandits.estimate.table import Rows, Table
from rogue_bandits.types import Bools, Floats
from rogue_bandits.wording import counted, plain

MANY_TWICE = 10  # decisions with two rows, from which they are no slips of somebody's hand
MOST_CELLS = 40_000_000  # decisions × arms: two numbers each stay far below 2 GB


class Scaling(NamedTuple):
    """How rewards are read: divided by `scale`, clipped to [0, 1] or not, of which family (None: guessed)."""

    scale: float = 1.0
    clip: bool = False
    family: str | None = None
    trials: float = 0.0


def assemble(table: Table, scaling: Scaling) -> Cohort:
    """Return the cohort of a table, with notes; a ValueError names the row and the column of what is wrong."""
    order = np.lexsort((table.rows.decision, table.rows.person))
    table = table._replace(rows=Rows._make(column[order] for column in table.rows))
    raise_on_bad_decisions(table)
    if not table.arms:
        column = table.columns["arm"]
        raise ValueError(f"{table.file}, column '{column}': no arm was ever played, every decision is a rest")
    family = checked_family(table, scaling)
    reward, outside = scaled(table, scaling, family)
    notes = [*table.notes, *notes_on_rows(table, scaling.scale, outside), *notes_on_gaps(table)]
    notes += notes_on_silence(table, scaling, reward)
    people, name = histories(table, reward), table.columns["reward"]
    how = family.name, scaling.trials, table.covariates, table.coding, table.a_week
    cohort = Cohort(table.file, name, scaling.scale, table.arms, people, notes, *how)
    return cohort._replace(
        notes=[*notes, *notes_on_direction(cohort), *notes_on_records(cohort), *notes_on_covariates(cohort)]
    )


def raise_on_bad_decisions(table: Table) -> None:
    """Raise a ValueError if a person has a decision twice, or so many that rests would fill the memory."""
    rows, column = table.rows, table.columns.get("decision") or table.columns["time"]
    steps = np.where(np.diff(rows.person) == 0, np.diff(rows.decision), 1)
    twice = []
    for at in np.flatnonzero(steps == 0).tolist():
        one, two = sorted(rows.row[at : at + 2].tolist())
        twice.append(Again(two, one, table.people[rows.person[at]], f"decision {rows.decision[at]}"))
    hint = ". Numbers that begin anew, each week or day, must be counted through; or name dates with --time"
    raise_on_decisions_again(table.file, column, twice, hint if len(twice) >= MANY_TWICE else "")
    if max(len(table.arms), 1) * (int(steps.sum()) + 1) > MOST_CELLS:  # times in seconds are no numbers of decisions
        at = int(np.argmax(steps))
        raise ValueError(
            f"{table.file}, row {rows.row[at + 1]}, column '{column}': "
            f"{rows.decision[at + 1]} comes {steps[at]:,} after {rows.decision[at]}, and each decision between counts "
            "as a rest: that is more than fits in memory. Number the decisions of a person 0, 1, 2, …"
        )


def checked_family(table: Table, scaling: Scaling) -> Family:
    """Return the family that was asked for, or else the one that the rewards suggest."""
    name = scaling.family
    if name is None:
        reward = table.rows.reward[(table.rows.arm >= 0) & ~np.isnan(table.rows.reward)] / scaling.scale
        if scaling.clip or scaling.scale != 1.0:  # rewards are meant to be shares
            name = LOGIT.name if LOGIT.accepts(np.clip(reward, 0.0, 1.0), 0.0).all() else AGENT.name
        else:
            name = possible(reward)[0]
    family = family_of(name)
    if scaling.clip and family is not AGENT and scaling.family:
        raise ValueError(f"--clip counts rewards outside [0, 1] as 0 or 1, which the {name} family does not need")
    if family is BINOMIAL and not scaling.trials:
        raise ValueError("--family binomial needs --trials, the largest possible count")
    if family is not BINOMIAL and scaling.trials:
        raise ValueError(f"--trials {scaling.trials:g} is for --family binomial only, and the family is {name}")
    return family


def scaled(table: Table, scaling: Scaling, family: Family) -> tuple[Floats, Bools]:
    """Return the scaled rewards and which were clipped; what is impossible in the family raises a ValueError."""
    reward = table.rows.reward / scaling.scale
    outside = (table.rows.arm >= 0) & ~np.isnan(reward) & ~family.accepts(reward, scaling.trials)
    if outside.any() and not scaling.clip:
        raise ValueError(out_of_range(table, scaling, family, outside))
    return np.clip(reward, 0.0, 1.0) if scaling.clip else reward, outside


def out_of_range(table: Table, scaling: Scaling, family: Family, outside: Bools) -> str:
    """Return the message on impossible rewards: the first of them, how many more, and what can be done."""
    rows, others, scale = table.rows, int(outside.sum()) - 1, scaling.scale
    at = int(np.flatnonzero(outside)[np.argmin(rows.row[outside])])
    divided = f", divided by {plain(scale)}, is {plain(rows.reward[at] / scale, 4)} and" if scale != 1.0 else ""
    place = f"{table.file}, row {rows.row[at]}, column '{table.columns['reward']}'"
    where = f"{place}: reward {plain(rows.reward[at])}{divided}"
    if family is not AGENT:
        more = f"; {counted(others, 'more is', 'more are')} not" if others else ""
        trials = f", {plain(scaling.trials)}" if scaling.trials else ""
        words = f"rewards of the {family.name} family are {family.words}{trials}"
        return f"{where} is impossible: {words}{more}. Without --family it is guessed"
    more = f" {counted(others, 'more is', 'more are')} outside." if others else ""
    largest = float(np.nanmax(rows.reward[rows.arm >= 0]))
    fits = f"--reward-scale {plain(largest, 12)} divides by the largest, " if rows.reward[outside].min() >= 0.0 else ""
    return f"{where} must be from 0 to 1.{more} {fits}--clip counts those outside as 0 or 1"


def notes_on_silence(table: Table, scaling: Scaling, reward: Floats) -> list[str]:
    """Return a warning if the family that was asked for cannot have the rewards that follow a rest."""
    if scaling.family is None:
        return []
    rests = (table.rows.arm < 0) & table.rows.available & ~np.isnan(reward)
    odd = rests & ~family_of(scaling.family).accepts(reward, scaling.trials)
    if not odd.any():
        return []
    example = f"{plain(table.rows.reward[odd][0])} in row {table.rows.row[odd][0]}"
    return [
        f"{WARNING}{counted(int(odd.sum()), 'reward')} after a rest, such as {example}, cannot be of the "
        f"{scaling.family} family: sending is not compared with silence."
    ]


def histories(table: Table, reward: Floats) -> dict[str, History]:
    """Return the history of each person, from sorted rows."""
    rows, people = table.rows, {}
    ends = [0, *(np.flatnonzero(np.diff(rows.person)) + 1).tolist(), rows.person.size]
    for begin, end in pairwise(ends):
        mine, first = slice(begin, end), int(rows.decision[begin])
        at = rows.decision[mine] - first
        known = rows.available[mine], rows.probability[mine], rows.covariates[mine]
        history = History(first, int(at[-1]) + 1, at, rows.arm[mine], reward[mine], *known)
        people[table.people[rows.person[begin]]] = history
    return people
