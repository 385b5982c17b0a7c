"""How much of what the best plan gains over random does planning reach when everything is known?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import rogue_bandits as rb
from rogue_bandits.compile.laws import kernel, pick
from rogue_bandits.experiments.health.cohort import drawn
from rogue_bandits.experiments.health.settings import HealthSettings
from rogue_bandits.model.dynamics.clipped_affine import mean_now
from rogue_bandits.model.problem import ArmTable, arm_table, move_person
from rogue_bandits.planning import myopic_plan
from rogue_bandits.planning.lookahead import DEPTH, lookahead, scratch_size
from rogue_bandits.planning.optimal import best_found
from rogue_bandits.planning.values import Values, relaxed_values, values_at
from rogue_bandits.planning.whittle import Indices, index_at, index_table
from rogue_bandits.types import Floats
from verification.finding import Finding
from verification.gains import NEAR
from verification.scenarios import LOGISTIC

RANDOM = 30  # replicates, for the average reward of random plays
LEAST, LEAST_TABULATED = 0.997, 0.995  # of the best plan's gain, by lookahead


class Averages(NamedTuple):
    """Average mean reward of a decision, for each person, and the proven bound on it."""

    random: Floats
    myopic: Floats
    largest_index: Floats
    tabulated: Floats  # lookahead with tables over theta, as policies use them
    lookahead: Floats  # with values at the true theta
    best: Floats
    upper: Floats

    def share(self, reached: Floats) -> float:
        """The share of the best plan's gain over random, of all people together."""
        return float((reached - self.random).sum() / (self.best - self.random).sum())


def planning(people: int, seed: int) -> Finding:
    """The shares of the myopic rule, the Whittle index and the relaxed lookahead, with tables over all thetas."""
    found = {
        "logistic, 20,000 decisions": averages([LOGISTIC], 20_000, seed),
        f"physical activity, {people} people, 1,000 decisions": averages(
            drawn(HealthSettings(people=people, people_as_of="0.1.0")), 1_000, seed
        ),
    }
    rows = [
        (
            name,
            *(f"{one.share(reached):.1%}" for reached in one[1:5]),
            f"{one.best.mean():.5f}",
            f"{one.upper.mean():.5f}",
        )
        for name, one in found.items()
    ]
    least = min(one.share(one.lookahead) for one in found.values())
    tabulated = min(one.share(one.tabulated) for one in found.values())
    return Finding(
        "Planning with everything known",
        "Theta and states are known. The share of (best plan − random) in expected reward, of the arm with the largest "
        f"mean now, of the largest Whittle index, and of {DEPTH} decisions of lookahead with relaxed values at their "
        "end: once with the tables over theta that policies use, once with values at the true theta. Asked for: the "
        f"latter reaches {LEAST:.1%}, the former {LEAST_TABULATED:.1%}.",
        (
            "experiment",
            "myopic",
            "index",
            "lookahead, tables",
            "lookahead",
            "best plan, average",
            "no plan has more than",
        ),
        rows,
        f"Lookahead reaches {least:.1%} or more of what the best plan found gains, with tables {tabulated:.1%}.",
        least >= LEAST and tabulated >= LEAST_TABULATED,
    )


def averages(truths: list[rb.Truth], horizon: int, seed: int) -> Averages:
    """Play each truth by each rule."""
    columns = []
    for number, truth in enumerate(truths):
        people, theta, x = [list(truth.arms)], np.array(truth.theta), np.array(truth.x0)
        table, best = arm_table(people), best_found(truth, horizon, NEAR)
        columns.append(
            (
                rb.simulate(truth, rb.Random(), horizon, RANDOM, (seed, 1, number)).mean.mean(),
                myopic_plan(truth, horizon).average,
                by_index(table, index_table(people), theta, x.copy(), horizon) / horizon,
                by_lookahead(table, relaxed_values(people), theta, x.copy(), horizon) / horizon,
                by_lookahead(table, values_at(pick(table.arms, 0), theta)[0], theta, x.copy(), horizon) / horizon,
                best.average,
                best.upper / horizon,
            )
        )
    return Averages(*np.array(columns).T)


@kernel
def by_lookahead(table: ArmTable, values: Values, theta: Floats, x: Floats, horizon: int) -> float:
    """Return the sum of means when lookahead decides; x is advanced."""
    scratch, total = np.empty(scratch_size(x.size, DEPTH)), np.empty(x.size)
    available, earned = np.ones(x.size, dtype=np.bool_), 0.0
    for _ in range(horizon):
        k = lookahead(table, values, 0, theta, x, available, DEPTH, scratch, total)
        earned += mean_now(pick(table.arms, 0), theta, x, k)
        move_person(table, 0, x, k)
    return earned


@kernel
def by_index(table: ArmTable, indices: Indices, theta: Floats, x: Floats, horizon: int) -> float:
    """Return the sum of means when the largest index decides; x is advanced."""
    earned = 0.0
    for _ in range(horizon):
        best, largest = 0, -np.inf
        for k in range(x.size):
            index = index_at(table, indices, 0, k, theta[k], x[k])
            if index > largest:
                best, largest = k, index
        earned += mean_now(pick(table.arms, 0), theta, x, best)
        move_person(table, 0, x, best)
    return earned
