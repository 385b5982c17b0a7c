"""Populations: people a second in memory, and from and to disk, with bytes a person and peak memory.

`python -m benchmarks.scale [--people N …] [--workers N …] [--folder DIR]` prints what `create` and `run` on disk take:
wall and processor time, and the memory of all their processes together.
"""

from __future__ import annotations

import argparse
import math
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measure import clock, computing
from benchmarks.results import Requirement
from benchmarks.tree import Cost, cost_of
from rogue_bandits import EpsilonRogue, IndexTS, Population, TunedRogueUCB
from rogue_bandits.online.personal import leaves
from rogue_bandits.partitions.simulated import MESSAGES

PAST = 30  # decisions, after which all arms have settled
POLICIES = {"epsilon-rogue": EpsilonRogue(), "tuned-rogue-ucb": TunedRogueUCB(), "index-ts": IndexTS()}


class OnDisk(NamedTuple):
    """What creating a population with a past took, and one run of it."""

    people: int
    workers: int
    create: Cost
    run: Cost
    bytes_a_person: float


def people_a_second(policy: Any, people: int, probabilities: bool) -> float:
    """People for whom a core chooses and learns in a second, in memory, five settled arms: best of five nights."""
    population, random = Population(list(MESSAGES), policy, people, seed=1), np.random.default_rng(1)
    costs = [night_of(population, random, probabilities and night >= PAST) for night in range(PAST + 5)]
    return people / min(costs[PAST:])


def bytes_in_memory(policy: Any) -> int:
    """Bytes of the arrays of one person."""
    one = Population(list(MESSAGES), policy, 1, seed=1)
    return sum(array.nbytes for array in leaves((one._online.state.personal, one._online.session)))


def night_of(population: Population, random: np.random.Generator, probabilities: bool) -> float:
    """Seconds of processor time to choose and learn for everybody."""
    begin = clock()
    made = population.choose(probabilities=probabilities)
    chosen = clock() - begin
    reward = (random.random(len(population)) < 0.3 + 0.1 * made.arm).astype(np.float64)
    return chosen + computing(lambda: population.update(made, reward))


def on_disk(people: int, workers: int, folder: Path) -> OnDisk:
    """Create a population with a past, by the command, and run one night; the folder is removed."""
    command, target = [sys.executable, "-m", "rogue_bandits", "population"], folder / "population"
    try:
        past = ["--simulate", "--people", str(people), "--decisions", str(PAST), "--workers", str(workers)]
        created = cost_of([*command, "create", str(target), *past])
        night = ["--rewards", str(target / "simulated" / "rewards"), "--workers", str(workers)]
        ran = cost_of([*command, "run", str(target), *night])
        size = sum(path.stat().st_size for path in (target / "people").rglob("*.parquet"))
        return OnDisk(people, workers, created, ran, size / people)
    finally:
        shutil.rmtree(target, ignore_errors=True)


def scale_requirements(quick: bool) -> list[Requirement]:
    """In memory, and from and to disk."""
    people = 100_000 if quick else 1_000_000
    speed = people_a_second(POLICIES["epsilon-rogue"], people, probabilities=True)
    with tempfile.TemporaryDirectory() as folder:
        disk = on_disk(20_000 if quick else 200_000, 2, Path(folder))
    peak = None if math.isnan(disk.run.peak) else disk.run.peak / 1e6
    name = f"{people:,} people × 5 settled arms, epsilon-rogue, choose + update in memory"
    return [
        Requirement(name, speed, 500_000, "people/s a core", at_least=True),
        Requirement("a person from and to disk, processor time", 1e6 * disk.run.processor / disk.people, 48.0, "µs",
                    note="48 µs: 10 million in 4 minutes on two cores"),
        Requirement("a person on disk, 5 settled arms", disk.bytes_a_person, 1_024, "bytes"),
        Requirement("a run from and to disk, two workers, memory of all processes", peak, 4_000, "MB"),
    ]  # fmt: skip


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__)
    parser.add_argument("--people", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--workers", type=int, nargs="*", default=[2])
    parser.add_argument("--memory", type=int, default=0, metavar="PEOPLE", help="also in memory, with so many people")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    chosen = parser.parse_args()
    if chosen.memory:
        print("| policy | probabilities | people a second a core | bytes a person |\n| --- | --- | ---: | ---: |")
        for name, asked in (("epsilon-rogue", True), ("epsilon-rogue", False), ("tuned-rogue-ucb", False),
                            ("index-ts", False)):  # fmt: skip
            speed, size = people_a_second(POLICIES[name], chosen.memory, asked), bytes_in_memory(POLICIES[name])
            print(f"| {name} | {asked} | {speed:,.0f} | {size:,} |", flush=True)
    print("| people | workers | command | wall | processor | µs a person | memory, all processes | bytes a person |")
    print("| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        for people in chosen.people:
            for workers in chosen.workers:
                print_rows(on_disk(people, workers, Path(folder)))


def print_rows(one: OnDisk) -> None:
    """Print what a population took, a row for each command."""
    for name, cost in (("create", one.create), ("run", one.run)):
        print(f"| {one.people:,} | {one.workers} | {name} | {cost.wall:.1f} s | {cost.processor:.1f} s | "
              f"{1e6 * cost.processor / one.people:.1f} | {cost.peak / 1e6:,.0f} MB | {one.bytes_a_person:.0f} |",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
