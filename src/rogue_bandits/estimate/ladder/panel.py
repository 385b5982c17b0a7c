"""The rewards of one arm, of all people, with what came before each of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.history import Record
from rogue_bandits.types import Floats, Ints

FOLDS = 5
SHORTEST = 0.5  # half-life, in decisions
GRID = 15  # half-lives, at equal steps of prior probability; the last of all is infinite
FINE, FEW = 64, 200  # half-lives and people from which the prior is computed
NO_CAP = np.array([math.inf])  # of the loads
LONGEST = 4.0  # half-life, as a multiple of the length of the longest record: beyond, it is called endless


class Grid(NamedTuple):
    """Points at which an arm is fitted: the half-life and the cap of the loads at each."""

    half_lives: Floats
    caps: Floats

    @property
    def decays(self) -> Floats:
        """Return the share of a load that is left one decision later."""
        return 0.5 ** (1.0 / self.half_lives)


def grid_of(half_lives: Floats, caps: Floats) -> Grid:
    """Return the grid of all half-lives for the first cap, then all for the next.

    >>> grid_of(np.array([1.0, 4.0]), np.array([2.0, 3.0]))
    Grid(half_lives=array([1., 4., 1., 4.]), caps=array([2., 2., 3., 3.]))
    """
    return Grid(np.tile(half_lives, caps.size), np.repeat(caps, half_lives.size))


class Panel(NamedTuple):
    """Rewards sorted by person; `loads` has what the sendings before each reward weigh, at each point of a grid.

    The grid has all half-lives for the first cap of the loads, then all for the next. Most arms have no cap.
    """

    names: list[str]
    person: Ints  # [rows]
    at: Ints  # decision of the reward, from the person's first
    reward: Floats
    time: Floats  # decisions since the person's first, as a share of the longest record
    sendings: Floats  # before
    longest: int  # decisions of the longest record
    half_lives: Floats  # [half-lives]
    before: Floats  # [half-lives]: prior probability of a shorter half-life
    loads: Floats  # [grid, rows]: each earlier sending, halved once a half-life
    covariates: Floats  # [rows, covariates] of the level; the level is that at 0
    caps: Floats = NO_CAP  # of loads, each as probable before the data

    @property
    def people(self) -> int:
        """Return the number of people."""
        return len(self.names)

    @property
    def grid(self) -> Grid:
        """Return the half-life and the cap of each point of the grid."""
        return grid_of(self.half_lives, self.caps)


class Axis(NamedTuple):
    """Half-lives, the last infinite, with the prior probability of a shorter one."""

    half_lives: Floats
    before: Floats

    def at(self, before: Floats) -> Floats:
        """Return the half-lives at prior probabilities of a shorter one."""
        return half_life_at(np.interp(before, self.before, np.arange(self.before.size)), self.half_lives)


def half_life_at(place: Floats, half_lives: Floats) -> Floats:
    """Return half-lives between points of a grid, interpolated in log(1 + c / half-life), which is 0 at infinity.

    >>> half_life_at(np.array([0.0, 1.0, 2.0]), np.array([0.5, 4.0, math.inf])).round(9).tolist()
    [0.5, 4.0, inf]
    """
    c = float(half_lives[np.isfinite(half_lives)].max())
    rate = np.interp(place, np.arange(half_lives.size), np.log1p(c / half_lives))
    with np.errstate(divide="ignore"):
        return c / np.expm1(rate)


def axis_of(records: Mapping[str, Record]) -> Axis:
    """Return the prior of half-lives: even along the curve that the loads describe as the half-life grows.

    Loads are taken as deviations from the means of people, divided by their length: directions on a sphere. Half-lives
    whose loads point nearly the same way can hardly be told apart, and weigh little, such as all that are longer than
    the study. The prior of a slope is flat in the same units: together this is the reference prior of the two.
    """
    longest = max(max(record.played.size for record in records.values()), 2)
    rate = np.linspace(math.log1p(longest / SHORTEST), 0.0, FINE)
    with np.errstate(divide="ignore"):
        half_lives = longest / np.expm1(rate)
    half_lives[0] = SHORTEST
    some = dict(list(records.items())[:FEW])
    person, at = rows_of(some)
    loads = deviations(loads_of(some, person, at, 0.5 ** (1.0 / half_lives)), person)
    length = np.sqrt((loads**2).sum(1, keepdims=True))
    direction = loads / np.maximum(length, 1e-9)
    steps = np.sqrt((np.diff(direction, axis=0) ** 2).sum(1)) + 1e-6
    along = np.concatenate([[0.0], np.cumsum(steps)])
    return Axis(half_lives, along / along[-1])


def panel_of(
    records: Mapping[str, Record],
    covariates: Mapping[str, Floats] | None = None,
    half_lives: Floats | None = None,
    before: Floats | None = None,
    caps: Floats = NO_CAP,
) -> Panel:
    """Return the panel of an arm's records, by person; covariates are [decisions, covariates] for each person.

    >>> panel = panel_of({"ann": Record(np.array([1.0, 1.0, 0.0, 1.0]), np.array([0.9, 0.6, np.nan, 0.7]))})
    >>> panel.sendings.tolist(), panel.at.tolist()
    ([0.0, 1.0, 2.0], [0, 1, 3])
    """
    longest = max(record.played.size for record in records.values())
    if before is None:
        before = np.linspace(0.0, 1.0, GRID if half_lives is None else half_lives.size)
    if half_lives is None:
        half_lives = axis_of(records).at(before)
    person, at = rows_of(records)
    grid = grid_of(half_lives, caps)
    loads = loads_of(records, person, at, np.append(grid.decays, 1.0), np.append(grid.caps, math.inf))
    extra = np.zeros((at.size, 0))
    if covariates:
        each = np.split(at, np.cumsum(np.bincount(person, minlength=len(records)))[:-1])
        extra = np.concatenate([covariates[name][mine] for name, mine in zip(records, each, strict=True)])
        extra = np.where(np.ptp(extra, axis=0) > 0.0, extra, 0.0)  # one value only: the level is that at this value
    return Panel(
        list(records),
        person,
        at,
        np.concatenate([record.seen() for record in records.values()]),
        at / max(longest - 1, 1),
        loads[-1],
        longest,
        half_lives,
        before,
        loads[:-1],
        extra,
        caps,
    )


def rows_of(records: Mapping[str, Record]) -> tuple[Ints, Ints]:
    """Return the person and the decision of each reward that was seen."""
    seen = [np.flatnonzero(~np.isnan(record.rewards)) for record in records.values()]
    return np.repeat(np.arange(len(seen)), [each.size for each in seen]), np.concatenate(seen)


def next_load(load: Floats, sent: Floats | float, decay: Floats, cap: Floats) -> Floats:
    """Return the load one decision later: load' = min(decay·load + sent, cap).

    >>> next_load(np.array([1.0, 1.0]), 1.0, np.array([0.5, 0.5]), np.array([math.inf, 1.2])).tolist()
    [1.5, 1.2]
    """
    return np.minimum(decay * load + sent, cap)


def loads_of(records: Mapping[str, Record], person: Ints, at: Ints, decay: Floats, cap: Floats = NO_CAP) -> Floats:
    """Return the load before each of these decisions, from 0, [decays, rows]; `cap` is of each decay, or one of all.

    >>> one = {"ann": Record(np.array([1.0, 0.0, 1.0]), np.zeros(3))}
    >>> loads_of(one, np.zeros(4, dtype=np.int64), np.arange(4), np.array([0.5])).tolist()
    [[0.0, 1.0, 0.5, 1.25]]
    """
    longest = max(record.played.size for record in records.values())
    played = np.zeros((longest + 1, len(records)))
    for i, record in enumerate(records.values()):
        played[: record.played.size, i] = record.played
    order = np.argsort(at, kind="stable")
    ends = np.searchsorted(at[order], np.arange(longest + 2))
    load, found = np.zeros((decay.size, len(records))), np.zeros((decay.size, at.size))
    for t in range(longest + 1):
        rows = order[ends[t] : ends[t + 1]]
        found[:, rows] = load[:, person[rows]]
        load = next_load(load, played[t], decay[:, None], cap[:, None])
    return found


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
    scale = np.sqrt(np.mean(deviations(values, panel.person) ** 2, axis=-1))
    return np.where(scale > 1e-9, scale, math.inf)


def deviations(values: Floats, person: Ints) -> Floats:
    """Return values [..., rows] less the means of their people."""
    _, start, sizes = np.unique(person, return_index=True, return_counts=True)
    means = np.add.reduceat(values, start, axis=-1) / sizes
    return values - np.repeat(means, sizes, axis=-1)
