"""The page of a large study: how long each part takes, and whether decisions wait meanwhile.

    python -m benchmarks.pages [--people 10000] [--days 365]

The derived tables are filled by SQL; some people are enrolled through the service, and decided for while pages load.
"""

from __future__ import annotations

import argparse
import re
import sqlite3
import sys
import tempfile
import threading
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import httpx
import numpy as np

from benchmarks.study import prepared, server
from rogue_bandits.study.client import StudyClient
from rogue_bandits.study.storage.sqlite import SqliteStorage
from rogue_bandits.study.tokens import issue

REAL = 50  # people who are decided for
PATIENCE = 300.0
PLACES = (
    "people", "people?show=attention", "study", "study/summary", "study/alerts", "study/enrolment", "study/rewards",
    "study/balance", "study/curves", "study/versions", "people/{pid}", "people/next?pid={pid}",
)  # fmt: skip
FILL = """
WITH RECURSIVE k(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM k WHERE n < :people - 1),
 d(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM d WHERE n < :days - 1)
INSERT INTO decisions SELECT printf('%016x', k.n), d.n, 0, date(:first, '+' || d.n || ' days') || 'T08:00:00+00:00',
 date(:first, '+' || d.n || ' days'), abs(random()) % 5, 0.2, '[0.2,0.2,0.2,0.2,0.2]', '[1,1,1,1,1]', NULL, NULL, 1, 0,
 'seen', date(:first, '+' || d.n || ' days') || 'T08:10:00+00:00', abs(random()) % 2, NULL,
 date(:first, '+' || d.n || ' days') || 'T20:00:00+00:00', 0 FROM k CROSS JOIN d"""
PEOPLE = """
WITH RECURSIVE k(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM k WHERE n < :people - 1)
INSERT INTO people SELECT printf('%016x', n), printf('q%06d', n), 'active', 'A', NULL, :first || 'T08:00:00+00:00', NULL
 FROM k"""


def fill(path: Path, people: int, days: int) -> None:
    """Write people with a decision a day until yesterday."""
    first = (datetime.now(UTC) - timedelta(days=days)).date().isoformat()
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    for sql in (PEOPLE, FILL):
        connection.execute(sql, {"people": people, "days": days, "first": first})
    connection.commit()
    connection.close()


class Deciding:
    """Somebody who asks for a decision every 20 ms and notes how long each takes."""

    def __init__(self, address: str, token: str) -> None:
        self.latencies: list[float] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._ask, args=(address, token))
        self._thread.start()

    def _ask(self, address: str, token: str) -> None:
        with StudyClient(address, token, timeout=PATIENCE) as study:
            k = 0
            while not self._stop.wait(0.02):
                begin = time.perf_counter()
                study.decide(f"p{k % REAL}", datetime.now(UTC), uuid4().hex)
                self.latencies.append(time.perf_counter() - begin)
                k += 1

    def taken(self) -> list[float]:
        """Return the latencies since the last call."""
        found, self.latencies = self.latencies, []
        return found

    def close(self) -> None:
        """End."""
        self._stop.set()
        self._thread.join()


def signed_in(address: str, token: str) -> httpx.Client:
    """Return a client of the page."""
    client = httpx.Client(base_url=f"{address}/page/", follow_redirects=True, timeout=PATIENCE)
    found = re.search(r'name="csrf" value="([^"]+)"', client.get("sign-in").text)
    assert found is not None
    client.post("sign-in", data={"csrf": found.group(1), "token": token}).raise_for_status()
    return client


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=10_000)
    parser.add_argument("--days", type=int, default=365)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "study"
        app = prepared(folder, "sqlite:study.db", REAL, "epsilon-rogue")
        fill(folder / "study.db", chosen.people, chosen.days)
        storage = SqliteStorage(folder / "study.db")
        with storage.writing() as tx:
            staff = issue(tx, "staff", "", datetime.now(UTC).isoformat(), 1)
        storage.close()
        size = (folder / "study.db").stat().st_size / 1e6
        sys.stdout.write(f"{chosen.people:,} people × {chosen.days} days, {size:,.0f} MB\n")
        with server(folder) as (_, port, _):
            measure(f"http://127.0.0.1:{port}", app, staff)


def measure(address: str, app: str, staff: str) -> None:
    """Load every page, first and again, while somebody is decided for."""
    deciding = Deciding(address, app)
    try:
        time.sleep(3.0)
        show("no page", 0.0, 0.0, deciding.taken())
        load_pages(address, app, staff, deciding)
    finally:
        deciding.close()


def load_pages(address: str, app: str, staff: str, deciding: Deciding) -> None:
    """Load every page twice."""
    with closing(signed_in(address, staff)) as page, StudyClient(address, app) as study:
        pid = study.person("p0")["pid"]
        for place in PLACES:
            times = []
            for _ in range(2):
                begin = time.perf_counter()
                answer = page.get(place.format(pid=pid), headers={"HX-Request": "true"} if "/" in place else {})
                answer.raise_for_status()
                times.append(time.perf_counter() - begin)
            show(place, times[0], times[1], deciding.taken())


def show(name: str, first: float, again: float, latencies: list[float]) -> None:
    """Print one row."""
    told = [f"{1e3 * float(np.quantile(latencies, q)):.0f}" for q in (0.5, 0.99)] if latencies else ["–", "–"]
    slowest = f"{1e3 * max(latencies):.0f}" if latencies else "–"
    sys.stdout.write(f"{name:24} {first:7.2f} s {again:7.2f} s   decisions: {len(latencies):4} of {told[0]:>4} ms, "
                     f"99 % {told[1]:>4} ms, slowest {slowest:>4} ms\n")  # fmt: skip
    sys.stdout.flush()


if __name__ == "__main__":
    main()
