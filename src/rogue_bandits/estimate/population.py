"""Fitted people as a Population: each with the dynamics fitted to them, and with the past that they had."""

from __future__ import annotations

from typing import Any

import numpy as np

from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.history import History
from rogue_bandits.online.population import Population


def population_from_people(people: People, policy: Any, seed: int = 0) -> tuple[Population, list[str]]:
    """Return a population of those people of a people.json of whom every arm was fitted, and their names in its order.

    `people` is what `people_from_json` reads. Each person goes on where the file ends: what they got and what followed
    has been recorded. Names are returned in the order of the population's numbers.
    """
    arms = people.cohort.arms
    names = [name for name, fits in people.fitted.people.items() if set(fits) >= set(arms)]
    if not names:
        raise ValueError(f"'{people.cohort.file}' has nobody of whom all of the arms {', '.join(arms)} were fitted")
    population = Population(
        [[people.fitted.people[name][arm].arm(arm) for arm in arms] for name in names], policy, seed=seed
    )
    _relive(population, [people.cohort.people[name] for name in names])
    return population, names


def _relive(population: Population, histories: list[History]) -> None:
    """Record the decisions of everybody, one by one; people whose history is shorter have fewer."""
    longest = max(history.length for history in histories)
    arm, reward = np.full((len(histories), longest), -1), np.full((len(histories), longest), np.nan)
    for row, history in enumerate(histories):
        arm[row, history.at], reward[row, history.at] = history.arm, history.reward
    length = np.array([history.length for history in histories])
    for number in range(longest):
        there = np.flatnonzero(number < length)
        played = there[arm[there, number] >= 0]
        population.record(played, arm[played, number], reward[played, number])
        population.rest(there[arm[there, number] < 0])
