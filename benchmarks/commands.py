"""How long the commands take, from prompt to prompt."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import waiting
from benchmarks.process import output_of

ROGUE = shutil.which("rogue", path=Path(sys.executable).parent) or "rogue"


def help_seconds(repeats: int = 5) -> float:
    """`rogue --help`, the best of several."""
    return min(waiting(lambda: output_of([ROGUE, "--help"])) for _ in range(repeats))


def reproduce_seconds() -> tuple[float, float]:
    """`rogue reproduce logistic` in full: the first time, with caches empty, and then again."""
    with tempfile.TemporaryDirectory() as folder:
        caches = {"NUMBA_CACHE_DIR": f"{folder}/numba", "MPLCONFIGDIR": f"{folder}/matplotlib"}
        command = [ROGUE, "reproduce", "logistic", "--out"]
        first = waiting(lambda: output_of([*command, f"{folder}/first"], caches))
        again = waiting(lambda: output_of([*command, f"{folder}/again"], caches))
    return first, again
