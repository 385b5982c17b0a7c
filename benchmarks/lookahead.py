"""What a decision by relaxed lookahead costs, and the tables that it reads: `python -m benchmarks.lookahead`."""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np

from benchmarks.plans import FAMILIES, some_arms
from rogue_bandits.compile.laws import kernel
from rogue_bandits.model.problem import ArmTable, arm_table, move_person
from rogue_bandits.planning.lookahead import DEPTH, lookahead, scratch_size
from rogue_bandits.planning.values import Values, relaxed_values
from rogue_bandits.planning.whittle import Indices, index_at, index_table
from rogue_bandits.types import Floats, Ints

ARMS = 2, 5, 20
DECISIONS = 1_000


class Cost(NamedTuple):
    """Microseconds of a decision by lookahead and by the index; milliseconds and megabytes of an arm's tables."""

    lookahead: float
    index: float
    values: float
    size: float


def main() -> None:
    """Print a row for each family and number of arms."""
    for family in FAMILIES:
        for arms in ARMS:
            found = cost(family, arms)
            print(
                f"{family}, {arms} arms: lookahead {found.lookahead:.2f} µs, index {found.index:.2f} µs, "
                f"values {found.values:.1f} ms and {found.size:.2f} MB an arm",
                flush=True,
            )


def cost(family: str, arms: int, rounds: int = 50) -> Cost:
    """Return the least of several rounds, as other work on the machine only adds to it."""
    truth = some_arms(family, 0, arms)
    people = [list(truth.arms)]
    relaxed_values(people)  # compiles
    began = time.perf_counter()
    values, table = relaxed_values(people), arm_table(people)
    building = time.perf_counter() - began
    theta, x, indices = np.array(truth.theta), np.array(truth.x0), index_table(people)
    count = np.zeros(arms, dtype=np.int64)
    deciding = [timed(by_lookahead, table, values, theta, x.copy(), count) for _ in range(rounds + 1)][1:]
    indexing = [timed(by_index, table, indices, theta, x.copy(), count) for _ in range(rounds + 1)][1:]
    size = values.bias.nbytes / arms / 1e6
    return Cost(1e6 * min(deciding), 1e6 * min(indexing), 1e3 * building / arms, size)


def timed(run: object, *args: object) -> float:
    """Return the seconds of a decision."""
    began = time.perf_counter()
    run(*args)  # type: ignore[operator]  # either of the kernels below
    return (time.perf_counter() - began) / DECISIONS


@kernel
def by_lookahead(table: ArmTable, values: Values, theta: Floats, x: Floats, count: Ints) -> None:
    """Decide by lookahead along the states that follow."""
    scratch, total = np.empty(scratch_size(x.size, DEPTH)), np.empty(x.size)
    available = np.ones(x.size, dtype=np.bool_)
    for _ in range(DECISIONS):
        k = lookahead(table, values, 0, theta, x, available, DEPTH, scratch, total)
        move_person(table, 0, x, k)
        count[k] += 1


@kernel
def by_index(table: ArmTable, indices: Indices, theta: Floats, x: Floats, count: Ints) -> None:
    """Decide by the largest index along the states that follow."""
    for _ in range(DECISIONS):
        best, largest = 0, -np.inf
        for k in range(x.size):
            index = index_at(table, indices, 0, k, theta[k], x[k])
            if index > largest:
                best, largest = k, index
        move_person(table, 0, x, best)
        count[best] += 1


if __name__ == "__main__":
    main()
