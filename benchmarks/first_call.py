"""What the first decisions of a process compute for where no kernel is cached: nearly all of it is compilation."""

from __future__ import annotations

import sys
import tempfile

from benchmarks.process import output_of
from benchmarks.results import Requirement

BANDIT = """
import time
import rogue_bandits as rb
arms = [rb.Arm(rb.{dynamics}, rb.BernoulliLogit(0.4, 0.6)) for _ in range(2)]
bandit = rb.Bandit(arms, rb.TunedRogueUCB(), seed=1)
for t in range(5):
    bandit.update(bandit.choose(), float(t % 2))
print(time.process_time())
"""
DYNAMICS = {
    "ClippedAffine": "ClippedAffine(decay=0.6, pull=-1.0, drift=0.5)",
    "Saturating": "Saturating(pace=0.25, half=0.5, drop=0.5)",
}
LIMIT = 90.0  # seconds


def first_call_seconds(dynamics: str) -> float:
    """Processor time of a process that imports the package, makes a `Bandit`, decides and learns five times."""
    with tempfile.TemporaryDirectory() as folder:
        script = BANDIT.format(dynamics=dynamics)
        return float(output_of([sys.executable, "-c", script], {"NUMBA_CACHE_DIR": folder}))


def first_call_requirements() -> list[Requirement]:
    """One process for each kind of dynamics, each with an empty cache."""
    return [
        Requirement(f"the first Bandit, {name}, no kernel cached", first_call_seconds(dynamics), LIMIT, "s")
        for name, dynamics in DYNAMICS.items()
    ]
