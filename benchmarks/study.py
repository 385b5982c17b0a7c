"""A study under load: durable decisions a second over HTTP, their latency, and how soon a large study is ready.

    python -m benchmarks.study [--people 10000] [--quick]

runs this part alone. The server is a process of its own on loopback; this process sends requests.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import httpx
import numpy as np

from benchmarks.loopback import Connection
from benchmarks.results import Requirement
from rogue_bandits.study.clock import utc_now
from rogue_bandits.study.operations import Enrolment
from rogue_bandits.study.service import open_study
from rogue_bandits.study.tokens import issue
from tests.study.postgres import Cluster, binaries

CONNECTIONS = 24
PEOPLE, LARGE, ROUNDS = 10_000, 100_000, 2
PATIENCE = 120.0
START = datetime.now(UTC) - timedelta(days=1)

STUDY = """\
[study]
name = "load"
[rewards]
family = "BernoulliLogit"
[policy]
id = "{policy}"
[decisions]
per_day = 1440
[database]
url = "{url}"
""" + "".join(
    f"""[[arms]]
name = "arm {k}"
rewards = {{{{ theta_weight = 0.5, state_weight = 0.5 }}}}
dynamics = {{{{ decay = {0.5 + 0.05 * k:.2f}, pull = -1.0, drift = 0.5 }}}}
"""
    for k in range(5)
)


class Load(NamedTuple):
    """What a load test found."""

    rate: float  # decisions a second
    p99: float  # seconds
    processor: float  # seconds of the server's processor time for each decision


def study_requirements(quick: bool) -> list[Requirement]:
    """Measure both databases, and a large study."""
    people = 1_000 if quick else PEOPLE
    found = []
    with tempfile.TemporaryDirectory() as folder:
        sqlite = loaded(Path(folder) / "a", "sqlite:study.db", people)
        found += of_load(f"study, SQLite, {people:,} people × 5 arms", sqlite)
        if binaries() is not None:
            with cluster() as server:
                postgres = loaded(Path(folder) / "b", server.new_database(), people)
            found += of_load(f"study, PostgreSQL, {people:,} people × 5 arms", postgres)
        name = f"study, ready after start with {LARGE:,} people"
        if quick:
            found.append(Requirement(name, None, 5.0, "s", note="not with --quick"))
        else:
            found.append(Requirement(name, ready_seconds(Path(folder) / "c"), 5.0, "s"))
    return found


def of_load(name: str, load: Load) -> list[Requirement]:
    """Return the requirements of one load test."""
    note = f"{load.processor * 1e6:.0f} µs of the server's processor time each"
    return [
        Requirement(f"{name}: durable decisions", load.rate, 1_000, "a second", at_least=True, note=note),
        Requirement(f"{name}: 99 % within", load.p99 * 1e3, 50.0, "ms"),
    ]


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL server of our own."""
    made = Cluster()
    try:
        yield made
    finally:
        made.close()


def prepared(folder: Path, url: str, people: int, policy: str) -> str:
    """Make a study with so many people; return a token."""
    folder.mkdir()
    (folder / "study.toml").write_text(STUDY.format(url=url, policy=policy))
    with open_study(folder / "study.toml") as service:
        for first in range(0, people, 2_000):
            waiting = [service.enrol(Enrolment(f"p{k}")) for k in range(first, min(first + 2_000, people))]
            for one in waiting:
                one.result()
        with service.storage.writing() as tx:
            return issue(tx, "app", "load", utc_now(), 1)


@contextmanager
def server(folder: Path) -> Iterator[tuple[int, int, float]]:
    """Run a server; yields its process id, its port and the seconds until it was ready."""
    begin = time.perf_counter()
    command = [sys.executable, "-m", "rogue_bandits", "serve", str(folder / "study.toml"), "--port", "0"]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        while time.perf_counter() - begin < PATIENCE:
            try:
                if httpx.get(f"{address}/ready").status_code == 200:
                    break
            except httpx.TransportError:
                time.sleep(0.01)
        yield process.pid, int(address.rpartition(":")[2]), time.perf_counter() - begin
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)


def loaded(folder: Path, url: str, people: int, policy: str = "epsilon-rogue") -> Load:
    """Decide for everybody, twice; the first time loads people from the log, and does not count."""
    token = prepared(folder, url, people, policy)
    with server(folder) as (pid, port, _):
        for day in range(ROUNDS):
            before, begin = processor_seconds(pid), time.perf_counter()
            latencies = asyncio.run(decided(port, token, people, day))
            seconds, processor = time.perf_counter() - begin, processor_seconds(pid) - before
    return Load(people / seconds, float(np.quantile(latencies, 0.99)), processor / people)


async def decided(port: int, token: str, people: int, day: int) -> list[float]:
    """Ask for a decision for everybody over some connections; return the latencies."""
    names, latencies = iter(range(people)), list[float]()
    body = {"time": (START + timedelta(minutes=day)).isoformat(), "key": f"day {day}".replace(" ", "-")}

    async def ask() -> None:
        connection = Connection(port, token)
        for k in names:
            begin = time.perf_counter()
            status, answer = await connection.post(f"/v1/people/p{k}/decisions", body)
            latencies.append(time.perf_counter() - begin)
            assert status == 200, answer
        connection.close()

    await asyncio.gather(*(ask() for _ in range(CONNECTIONS)))
    return latencies


def ready_seconds(folder: Path) -> float:
    """Return the seconds from the command to the first /ready with many people in the database."""
    prepared(folder, "sqlite:study.db", LARGE, "epsilon-rogue")
    with server(folder) as (_, _, seconds):
        return seconds


def processor_seconds(pid: int) -> float:
    """Return the processor time of a process, where the system says it."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return float("nan")
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.study", description="A study under load.")
    parser.add_argument("--quick", action="store_true", help="1,000 people, and no large study")
    for one in study_requirements(parser.parse_args().quick):
        measured = "" if one.measured is None else f"{one.measured:,.4g} {one.unit}"
        print(f"{one.name}: {measured} (required {one.limit:g}) {one.note}")
