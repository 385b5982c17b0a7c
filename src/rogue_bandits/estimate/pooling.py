"""Dynamics that all people of an arm share: a search over three unknowns, exact x0 and theta for each person inside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rogue_bandits.estimate.given import most_likely
from rogue_bandits.estimate.record import Record
from rogue_bandits.estimate.search import search, starts
from rogue_bandits.estimate.simplex import FLOOR, cost
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.types import Floats

SHARED = np.arange(3)  # decay, pull and drift
LOOKS, DESCENTS = 512, 10  # each costs as much as there are people, and more people make fewer valleys


class Crowd(NamedTuple):
    """The records of one arm, [people, decisions]; who has fewer decisions rests unseen at the end."""

    played: Floats
    rewards: Floats


def crowd_of(records: Sequence[Record]) -> Crowd:
    """People side by side.

    >>> crowd_of([Record(np.ones(2), np.array([0.5, 0.5])), Record(np.ones(1), np.array([0.25]))]).rewards
    array([[0.5 , 0.5 ],
           [0.25,  nan]])
    """
    shape = (len(records), max(record.played.size for record in records))
    crowd = Crowd(np.zeros(shape), np.full(shape, np.nan))
    for i, record in enumerate(records):
        crowd.played[i, : record.played.size] = record.played
        crowd.rewards[i, : record.rewards.size] = record.rewards
    return crowd


@cost.register(Crowd)
def crowd_cost(problem: Crowd, p: Floats) -> float:
    """−loglik of all people at the dynamics of p, each at their own best x0 and theta."""
    total = 0.0
    room = np.empty((problem.played.shape[1], 5))
    for person in range(problem.played.shape[0]):
        d = ClippedAffine(p[0], p[1], p[2], 0.0, 1.0)
        total -= most_likely(d, problem.played[person], problem.rewards[person], room)[2]
    return total


def best_shared(crowd: Crowd) -> ClippedAffine:
    """The dynamics that are most likely for all together.

    >>> wears_out = Record(np.ones(4), np.array([1.0, 0.75, 0.5, 0.25]))
    >>> stays_low = Record(np.ones(4), np.array([0.5, 0.25, 0.0, 0.0]))
    >>> d = best_shared(crowd_of([wears_out, stays_low]))
    >>> round(d.pull + d.drift, 6), round(d.decay, 6)
    (-0.25, 1.0)
    """
    p, _ = search(crowd, starts(LOOKS, SHARED), FLOOR, SHARED, DESCENTS)
    return ClippedAffine(float(p[0]), float(p[1]), float(p[2]))
