"""The rewards of one arm, of all people, with what came before each of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.history import Record
from rogue_bandits.types import Bools, Floats, Ints

FOLDS = 5
SHORTEST = 0.5  # half-life, in decisions
GRID = 14  # half-lives from the shortest to the longest, evenly spaced in the logarithm; no end comes after these
LONGEST = 4.0  # half-life, as a multiple of the length of the longest record: beyond, nothing tells it from no recovery


class Panel(NamedTuple):
    """Rewards sorted by person; `loads` has what the sendings before each reward weigh, for each half-life."""

    names: list[str]
    person: Ints  # [rows]
    at: Ints  # decision of the reward, from the person's first
    reward: Floats
    time: Floats  # decisions since the person's first, as a share of the longest record
    sendings: Floats  # before
    half_lives: Floats  # [grid]
    loads: Floats  # [grid, rows]: each earlier sending, halved once a half-life
    covariates: Floats  # [rows, covariates] of the level; the level is that at 0

    @property
    def people(self) -> int:
        """Return the number of people."""
        return len(self.names)


def panel_of(
    records: Mapping[str, Record],
    covariates: Mapping[str, Floats] | None = None,
    half_lives: Floats | None = None,
) -> Panel:
    """Return the panel of an arm's records, by person; covariates are [decisions, covariates] for each person.

    >>> panel = panel_of({"ann": Record(np.array([1.0, 1.0, 0.0, 1.0]), np.array([0.9, 0.6, np.nan, 0.7]))})
    >>> panel.sendings.tolist(), panel.at.tolist()
    ([0.0, 1.0, 2.0], [0, 1, 3])
    """
    longest = max(record.played.size for record in records.values())
    if half_lives is None:
        half_lives = grid_between(SHORTEST, LONGEST * max(longest, 1), endless=True)
    decay = 0.5 ** (1.0 / half_lives)
    parts = [rows_of(record, decay) for record in records.values()]
    sizes = [part[0].size for part in parts]
    at = np.concatenate([part[0] for part in parts])
    extra = np.zeros((at.size, 0))
    if covariates:
        extra = np.concatenate([covariates[name][part[0]] for name, part in zip(records, parts, strict=True)])
        extra = np.where(np.ptp(extra, axis=0) > 0.0, extra, 0.0)  # one value only: the level is that at this value
    return Panel(
        list(records),
        np.repeat(np.arange(len(sizes)), sizes),
        at,
        np.concatenate([part[1] for part in parts]),
        at / max(longest - 1, 1),
        np.concatenate([part[2] for part in parts]),
        half_lives,
        np.concatenate([part[3] for part in parts], axis=1),
        extra,
    )


def grid_between(shortest: float, longest: float, endless: bool) -> Floats:
    """Return half-lives evenly spaced in the logarithm, and infinity as the last if recovery may not happen.

    >>> grid_between(1.0, 2.0, endless=True)[[0, -2, -1]].tolist()
    [1.0, 2.0, inf]
    """
    finite = np.geomspace(shortest, longest, GRID)
    return np.append(finite, math.inf) if endless else finite


def rows_of(record: Record, decay: Floats) -> tuple[Ints, Floats, Floats, Floats]:
    """Return where rewards were seen, the rewards, the sendings before, and the loads [grid, rewards]."""
    seen = np.flatnonzero(~np.isnan(record.rewards))
    before = np.concatenate([[0.0], np.cumsum(record.played)])[:-1]
    return seen, record.rewards[seen], before[seen], loads_at(record.played, seen, decay)


def loads_at(played: Floats, seen: Sequence[int] | Ints, decay: Floats) -> Floats:
    """Return the load before each of these decisions: x' = decay·x + played, from 0, for each decay.

    >>> loads_at(np.array([1.0, 0.0, 1.0]), [0, 1, 2, 3], np.array([0.5])).tolist()
    [[0.0, 1.0, 0.5, 1.25]]
    """
    load, every = np.zeros(decay.size), np.zeros((played.size + 1, decay.size))
    for t, played_t in enumerate(played.tolist()):
        load = decay * load + played_t
        every[t + 1] = load
    return every[np.asarray(seen)].T.copy()


def part_of(panel: Panel, rows: Bools) -> Panel:
    """Return the panel of some of the rows; a person may be left without any."""
    return panel._replace(
        person=panel.person[rows],
        at=panel.at[rows],
        reward=panel.reward[rows],
        time=panel.time[rows],
        sendings=panel.sendings[rows],
        loads=panel.loads[:, rows],
        covariates=panel.covariates[rows],
    )


def folds_of(panel: Panel) -> Ints:
    """Return the fold of each reward: blocks of consecutive rewards of a person, staggered between people.

    Blocks, as rewards near in time are alike for reasons that no rung knows; staggered, so that every stretch of the
    study is seen in every fold.

    >>> records = {"ann": Record(np.ones(5), np.zeros(5)), "bob": Record(np.ones(5), np.zeros(5))}
    >>> folds_of(panel_of(records)).tolist()
    [0, 1, 2, 3, 4, 1, 2, 3, 4, 0]
    """
    sizes = np.bincount(panel.person, minlength=panel.people)
    place = np.arange(panel.person.size) - (np.cumsum(sizes) - sizes)[panel.person]
    return (FOLDS * place // sizes[panel.person] + panel.person) % FOLDS


def within_person_scale(values: Floats, panel: Panel) -> Floats:
    """Return the root mean square of deviations from the means of people, of each row of values [..., rows].

    It is infinite for values that never vary: they explain nothing.
    """
    _, start, sizes = np.unique(panel.person, return_index=True, return_counts=True)
    means = np.add.reduceat(values, start, axis=-1) / sizes
    scale = np.sqrt(np.mean((values - np.repeat(means, sizes, axis=-1)) ** 2, axis=-1))
    return np.where(scale > 1e-9, scale, math.inf)
