"""The memory of a command with all processes that it starts, while it runs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter, sleep
from typing import NamedTuple

BETWEEN = 0.2  # seconds from one look at the processes to the next
PROC = Path("/proc")


class Cost(NamedTuple):
    """What a command took."""

    wall: float  # seconds
    processor: float  # seconds, of all processes
    peak: float  # bytes of all processes together: the largest sum of their proportional set sizes; nan if unknown


def cost_of(command: Sequence[str]) -> Cost:
    """Run a command and return what it took; a command that fails raises CalledProcessError."""
    before, began, peak = os.times(), perf_counter(), 0.0
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        peak = max(peak, sum(map(proportional_size, tree_of(process.pid))))
        sleep(BETWEEN)
    wall, after = perf_counter() - began, os.times()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    processor = after.children_user + after.children_system - before.children_user - before.children_system
    return Cost(wall, processor, peak if sys.platform == "linux" else float("nan"))


def tree_of(root: int) -> Iterator[int]:
    """Yield a process and all that it has started, and these, by their numbers; Linux only."""
    yield root
    for task in PROC.glob(f"{root}/task/*/children"):
        try:
            children = task.read_text().split()
        except OSError:  # it has ended
            continue
        for child in children:
            yield from tree_of(int(child))


def proportional_size(process: int) -> float:
    """Return the bytes of a process, of which shared ones are divided among those who share them; 0 if it has ended."""
    try:
        for line in (PROC / str(process) / "smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return 1024.0 * int(line.split()[1])
    except OSError:
        pass
    return 0.0
