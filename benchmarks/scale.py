"""Populations: people a second in memory, and from and to disk, with bytes a person and peak memory.

`python -m benchmarks.scale [--people N …] [--workers N …] [--folder DIR]` prints a table of runs on disk.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measure import clock, computing
from benchmarks.results import Requirement
from rogue_bandits import EpsilonRogue, IndexTS, Population, TunedRogueUCB
from rogue_bandits.online.personal import leaves
from rogue_bandits.partitions.simulated import MESSAGES

PAST = 30  # decisions, after which all arms have settled
POLICIES = {"epsilon-rogue": EpsilonRogue(), "tuned-rogue-ucb": TunedRogueUCB(), "index-ts": IndexTS()}


class OnDisk(NamedTuple):
    """What one run of a population on disk took."""

    people: int
    workers: int
    wall: float  # seconds
    processor: float  # seconds, of all processes
    bytes_a_person: float
    peak: float  # bytes, of the largest process


def people_a_second(policy: Any, people: int, probabilities: bool) -> float:
    """People for whom a core chooses and learns in a second, in memory, five settled arms: best of five nights."""
    population, random = Population(list(MESSAGES), policy, people, seed=1), np.random.default_rng(1)
    costs = [night_of(population, random, probabilities and night >= PAST) for night in range(PAST + 5)]
    return people / min(costs[PAST:])


def bytes_in_memory(policy: Any) -> int:
    """Bytes of the arrays of one person."""
    one = Population(list(MESSAGES), policy, 1, seed=1)
    return sum(array.nbytes for array in leaves((one._state.personal, one._session)))


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
        subprocess.run([*command, "create", str(target), *past], check=True, stdout=subprocess.DEVNULL)
        rewards, before, began = target / "simulated" / "rewards", os.times(), perf_counter()
        night = ["run", str(target), "--rewards", str(rewards), "--workers", str(workers)]
        subprocess.run([*command, *night], check=True, stdout=subprocess.DEVNULL)
        wall, after = perf_counter() - began, os.times()
        processor = after.children_user + after.children_system - before.children_user - before.children_system
        size = sum(path.stat().st_size for path in (target / "people").rglob("*.parquet"))
        return OnDisk(people, workers, wall, processor, size / people, peak_of_children())
    finally:
        shutil.rmtree(target, ignore_errors=True)


def peak_of_children() -> float:
    """The most memory that a process started from here has had."""
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024.0


def scale_requirements(quick: bool) -> list[Requirement]:
    """In memory, and from and to disk."""
    people = 100_000 if quick else 1_000_000
    speed = people_a_second(POLICIES["epsilon-rogue"], people, probabilities=True)
    with tempfile.TemporaryDirectory() as folder:
        disk = on_disk(20_000 if quick else 200_000, 2, Path(folder))
    name = f"{people:,} people × 5 settled arms, epsilon-rogue, choose + update in memory"
    return [
        Requirement(name, speed, 500_000, "people/s a core", at_least=True),
        Requirement("a person from and to disk, processor time", 1e6 * disk.processor / disk.people, 48.0, "µs",
                    note="48 µs: 10 million in 4 minutes on two cores"),
        Requirement("a person on disk, 5 settled arms", disk.bytes_a_person, 1_024, "bytes"),
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
    print("| people | workers | wall | processor | µs a person | bytes a person | largest process |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
        for people in chosen.people:
            for workers in chosen.workers:
                one = on_disk(people, workers, Path(folder))
                print(f"| {people:,} | {workers} | {one.wall:.1f} s | {one.processor:.1f} s | "
                      f"{1e6 * one.processor / people:.1f} | {one.bytes_a_person:.0f} | {one.peak / 1e6:,.0f} MB |",
                      flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
