"""How many bytes the evidence on an arm takes, and how many a large simulation.

`python -m benchmarks.memory POLICY` runs a large simulation in a process of its own and prints its peak, in bytes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.crowd import drive, gather, uniforms
from benchmarks.process import output_of
from benchmarks.truths import LOGISTIC
from rogue_bandits import POLICIES, TunedRogueUCB, simulate

PEOPLE, HORIZON = 1_000, 20_000


def bytes_of_an_arm(decisions: int, people: int = PEOPLE) -> float:
    """All that Tuned ROGUE-UCB keeps of one arm of one person, after so many decisions."""
    crowd = gather(LOGISTIC, TunedRogueUCB(), people, HORIZON)
    crowd = drive(crowd, 0, uniforms(np.random.default_rng(1), people, decisions))
    own = sum(array.nbytes for array in arrays(crowd.state) if array.shape[:1] == (people,))
    return own / (people * len(LOGISTIC.arms))


def arrays(state: Any) -> Iterator[NDArray[Any]]:
    """The arrays of a state, however deep."""
    if isinstance(state, np.ndarray):
        yield state
    elif isinstance(state, tuple):
        for part in state:
            yield from arrays(part)


def peak_of(policy: str) -> float:
    """The peak memory, in bytes, of a process that simulates 1,000 people × 20,000 decisions."""
    return float(output_of([sys.executable, "-m", __name__, policy]))


def peak() -> int:
    """The most memory that this process has had, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():  # getrusage would count the process that started this one, if that was larger
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    import resource  # not on Windows

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


if __name__ == "__main__":
    simulate(LOGISTIC, POLICIES[sys.argv[1]](), HORIZON, PEOPLE, workers=-1)
    print(peak())
