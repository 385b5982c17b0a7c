"""Turn the rows of a table into a cohort. What can be mended is noted; what cannot raises an error."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.families import family_of, guess, is_possible
from rogue_bandits.estimate.families.agent import AGENT
from rogue_bandits.estimate.families.contract import Family
from rogue_bandits.estimate.families.exponential import BINOMIAL, LOGIT
from rogue_bandits.estimate.history import Cohort, History
from rogue_bandits.estimate.notes import count, guess_words, notes_on_constant, notes_on_few, notes_on_rows
from rogue_bandits.estimate.table import Rows, Table
from rogue_bandits.types import Bools, Floats

MOST_CELLS = 40_000_000  # decisions × arms: two numbers each stay far below 2 GB


class Scaling(NamedTuple):
    """How rewards are read: divided by `scale`, clipped to [0, 1] or not, of which family (None: guessed)."""

    scale: float = 1.0
    clip: bool = False
    family: str | None = None
    trials: float = 0.0


def assemble(table: Table, scaling: Scaling) -> Cohort:
    """Return the cohort of a table, with notes; a ValueError names the row and the column of what is wrong."""
    was_sorted = in_order(table.rows)
    table = table._replace(rows=by_person(table.rows))
    raise_on_duplicates(table)
    raise_on_too_many_decisions(table)
    if not table.arms:
        column = table.columns["arm"]
        raise ValueError(f"{table.file}, column '{column}': no arm was ever played, every decision is a rest")
    family = checked_family(table, scaling)
    reward, outside = scaled(table, scaling, family)
    guessed = [] if scaling.family else [guess_words(family)]
    notes = [*guessed, *table.notes, *notes_on_rows(table, was_sorted, scaling.scale, outside)]
    people = histories(table, reward)
    cohort = Cohort(
        table.file, table.columns["reward"], scaling.scale, table.arms, people, notes, family.name, scaling.trials
    )
    return cohort._replace(notes=[*notes, *notes_on_few(cohort), *notes_on_constant(cohort)])


def checked_family(table: Table, scaling: Scaling) -> Family:
    """Return the family that was asked for, or else the one that the rewards suggest."""
    name = scaling.family
    if name is None:
        reward = used_rewards(table) / scaling.scale
        if scaling.clip or scaling.scale != 1.0:  # rewards are meant to be shares
            name = LOGIT.name if is_possible(LOGIT, np.clip(reward, 0.0, 1.0)).all() else AGENT.name
        else:
            name = guess(reward)
    family = family_of(name)
    if scaling.clip and family is not AGENT and scaling.family:
        raise ValueError(f"--clip counts rewards outside [0, 1] as 0 or 1, which the {name} family does not need")
    if (family is BINOMIAL) != (scaling.trials > 0.0):
        raise ValueError(f"--trials {scaling.trials:g}: the binomial family needs a number of trials, others have none")
    return family


def used_rewards(table: Table) -> Floats:
    """Return the rewards that were seen after an arm, as they are in the file."""
    return table.rows.reward[(table.rows.arm >= 0) & ~np.isnan(table.rows.reward)]


def histories(table: Table, reward: Floats) -> dict[str, History]:
    """Return the history of each person, from rows that are sorted."""
    rows, people, begin = table.rows, {}, 0
    for end in np.append(np.flatnonzero(np.diff(rows.person)) + 1, rows.person.size):
        part = slice(begin, int(end))
        sent, decision = rows.arm[part] >= 0, rows.decision[part] - rows.decision[begin]
        people[table.people[rows.person[begin]]] = History(
            int(rows.decision[begin]),
            int(decision[-1]) + 1,
            decision[sent],
            rows.arm[part][sent],
            reward[part][sent],
        )
        begin = int(end)
    return people


def in_order(rows: Rows) -> bool:
    """Return whether each person's decisions rise down the file."""
    order = np.argsort(rows.person, kind="stable")
    same = np.diff(rows.person[order]) == 0
    return bool(np.all(np.diff(rows.decision[order])[same] >= 0))


def by_person(rows: Rows) -> Rows:
    """Return the rows by person, then by decision."""
    order = np.lexsort((rows.decision, rows.person))
    return Rows._make(column[order] for column in rows)


def raise_on_duplicates(table: Table) -> None:
    """Raise a ValueError where a person has a decision twice."""
    rows = table.rows
    again = (np.diff(rows.person) == 0) & (np.diff(rows.decision) == 0)
    if again.any():
        at = int(np.argmax(again))
        one, two = sorted(rows.row[at : at + 2])
        others = int(again.sum()) - 1
        more = f" ({others:,} more like this)" if others else ""
        raise ValueError(
            f"{table.file}, row {two}, column '{table.columns['decision']}': person "
            f"'{table.people[rows.person[at]]}' has decision {rows.decision[at]} already, in row {one}{more}"
        )


def raise_on_too_many_decisions(table: Table) -> None:
    """Raise a ValueError where gaps would fill the memory: times in seconds are no numbers of decisions."""
    rows = table.rows
    gaps = np.where(np.diff(rows.person) == 0, np.diff(rows.decision), 1)
    if max(len(table.arms), 1) * (int(gaps.sum()) + 1) > MOST_CELLS:
        at = int(np.argmax(gaps))
        raise ValueError(
            f"{table.file}, row {rows.row[at + 1]}, column '{table.columns['decision']}': "
            f"{rows.decision[at + 1]} comes {gaps[at]:,} after {rows.decision[at]}, and each decision between counts "
            "as a rest: that is more than fits in memory. Number the decisions of a person 0, 1, 2, …"
        )


def scaled(table: Table, scaling: Scaling, family: Family) -> tuple[Floats, Bools]:
    """Return the scaled rewards and which were clipped; what is impossible in the family raises a ValueError."""
    reward = table.rows.reward / scaling.scale
    outside = (table.rows.arm >= 0) & ~np.isnan(reward) & ~is_possible(family, reward, scaling.trials)
    if outside.any() and not scaling.clip:
        raise ValueError(out_of_range(table, scaling, family, outside))
    return np.clip(reward, 0.0, 1.0) if scaling.clip else reward, outside


def out_of_range(table: Table, scaling: Scaling, family: Family, outside: Bools) -> str:
    """Return the words for impossible rewards: the first of them, how many more, and what can be done."""
    rows, others, scale = table.rows, int(outside.sum()) - 1, scaling.scale
    at = int(np.flatnonzero(outside)[np.argmin(rows.row[outside])])
    divided = f", divided by {scale:g}, is {rows.reward[at] / scale:.4g} and" if scale != 1.0 else ""
    where = f"{table.file}, row {rows.row[at]}, column '{table.columns['reward']}': reward {rows.reward[at]:g}{divided}"
    if family is not AGENT:
        more = f", and so must {count(others, 'more', 'more')}" if others else ""
        trials = f", {scaling.trials:g}" if scaling.trials else ""
        return f"{where} must be {family.words}{trials} ({family.name} family){more}. Without --family it is guessed"
    more = f" {count(others, 'more is', 'more are')} outside." if others else ""
    largest = float(np.nanmax(rows.reward[rows.arm >= 0]))
    fits = f"--reward-scale {largest:g} divides by the largest, " if rows.reward[outside].min() >= 0.0 else ""
    return f"{where} must be from 0 to 1.{more} {fits}--clip counts those outside as 0 or 1"
