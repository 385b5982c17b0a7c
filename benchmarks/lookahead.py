"""What a decision by relaxed lookahead costs, and the tables that it reads: `python -m benchmarks.lookahead`."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.measure import computing
from benchmarks.plans import FAMILIES, some_arms
from benchmarks.results import Requirement
from rogue_bandits.compile.laws import specialised
from rogue_bandits.model.problem import arm_table
from rogue_bandits.planning.values import relaxed_values
from rogue_bandits.planning.whittle import index_table
from verification.planning import by_index, by_lookahead

LIMITS = {2: 1.0, 5: 2.0, 20: 8.0}  # µs, by the number of arms
DECISIONS, ROUNDS = 100, 300  # short rounds, so that most are not interrupted


class Cost(NamedTuple):
    """Microseconds of a decision by lookahead and by the index; milliseconds of an arm's tables, and megabytes."""

    lookahead: float
    by_index: float
    values: float
    size: float
    indices: float


def main() -> None:
    """Print a row for each family and number of arms."""
    for family in FAMILIES:
        for arms in LIMITS:
            found = cost(family, arms)
            print(
                f"{family}, {arms} arms: lookahead {found.lookahead:.2f} µs, index {found.by_index:.2f} µs, "
                f"values {found.values:.1f} ms and {found.size:.2f} MB an arm, indices {found.indices:.1f} ms an arm",
                flush=True,
            )


def cost(family: str, arms: int) -> Cost:
    """Measure one row."""
    truth = some_arms(family, 0, arms)
    people, theta, x = [list(truth.arms)], np.array(truth.theta), np.array(truth.x0)
    other = [list(some_arms(family, 1, arms).arms)]
    relaxed_values(other), index_table(other)  # compiles; tables are kept
    solving, tabulating = computing(lambda: relaxed_values(people)), computing(lambda: index_table(people))
    values, indices, table = relaxed_values(people), index_table(people), arm_table(people)
    deciding = microseconds(by_lookahead, table, values, theta, x)
    indexing = microseconds(by_index, table, indices, theta, x)
    size = values.bias.nbytes / arms / 1e6
    return Cost(deciding, indexing, 1e3 * solving / arms, size, 1e3 * tabulating / arms)


def microseconds(run: Callable[..., float], *args: object) -> float:
    """Return what a decision costs: the least of many rounds, as other work on the machine only adds to it."""
    costs, compiled = [], specialised(run, *args, DECISIONS)
    for _ in range(ROUNDS):
        began = time.perf_counter()
        compiled(*args, DECISIONS)
        costs.append(time.perf_counter() - began)
    return 1e6 * min(costs) / DECISIONS


def lookahead_requirements() -> list[Requirement]:
    """Logistic arms."""
    name = "relaxed lookahead, {} arms, a decision"
    return [
        Requirement(name.format(arms), cost("BernoulliLogit", arms).lookahead, most, "µs")
        for arms, most in LIMITS.items()
    ]


if __name__ == "__main__":
    main()
