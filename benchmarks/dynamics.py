"""Decisions and rewards of one person in a study: dynamics that are known, and dynamics that are learned.

    python -m benchmarks.dynamics

Prints milliseconds by the clock, with a sync to disk for each request, and the size of the person's state.
"""

from __future__ import annotations

import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from rogue_bandits.study.design import design_of
from rogue_bandits.study.file import study_of
from rogue_bandits.study.operations import DecisionRequest, Enrolment, Observed
from rogue_bandits.study.person import person_to_bytes
from rogue_bandits.study.service import opened
from rogue_bandits.study.storage.sqlite import SqliteStorage

DECISIONS = 200
START = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
ARMS: list[dict[str, Any]] = [
    {"name": f"arm {k}", "rewards": {"theta_weight": 0.5, "state_weight": 0.5}} for k in range(5)
]
KNOWN = {"decay": 0.6, "pull": -1.0, "drift": 0.5}
STUDIES: dict[str, dict[str, Any]] = {
    "known, epsilon-rogue": {"arms": [{**arm, "dynamics": KNOWN} for arm in ARMS], "policy": {"id": "epsilon-rogue"}},
    "known, plan-ts": {"arms": [{**arm, "dynamics": KNOWN} for arm in ARMS], "policy": {"id": "plan-ts"}},
    "learned, plan-ts": {"arms": ARMS, "dynamics": {"source": "learned"}, "policy": {"id": "plan-ts"}},
}


def measure(name: str, changes: dict[str, Any], folder: Path) -> str:
    """Return a row of the table: medians, after decisions that compile."""
    plain = {"study": {"name": "s"}, "rewards": {"family": "BernoulliLogit"}, "decisions": {"ahead_hours": 1e6}}
    with opened(design_of(study_of({**plain, **changes})), SqliteStorage(folder / f"{name}.db")) as service:
        pid = service.enrol(Enrolment("ann")).result()["pid"]
        times = []
        for k in range(DECISIONS):
            begin = time.perf_counter()
            made = service.decide("ann", DecisionRequest(START + timedelta(days=k)), f"k{k}").result()
            middle = time.perf_counter()
            service.reward(made["id"], Observed(float(k % 3 == 0))).result()
            times.append((middle - begin, time.perf_counter() - middle))
        size = len(person_to_bytes(service.writer.residents.people[pid]))
    decide, reward = 1e3 * np.median(times[DECISIONS // 4 :], axis=0)
    return f"{name:24} decision {decide:6.2f} ms   reward {reward:6.2f} ms   state {size:9,} bytes\n"


def main() -> None:
    """Print a table."""
    with tempfile.TemporaryDirectory() as folder:
        for name, changes in STUDIES.items():
            sys.stdout.write(measure(name, changes, Path(folder)))


if __name__ == "__main__":
    main()
