"""What serving people imports."""

from __future__ import annotations

import subprocess
import sys

MADE = """
import sys
import rogue_bandits as rb
from rogue_bandits.belief.contract import ONLINE_EVALUATIONS, empty_belief
from rogue_bandits.online.population import Population
from rogue_bandits.policies.explain import belief_rows
from rogue_bandits.types import Problem

def belief_under(dynamics):
    return empty_belief(Problem((rb.Arm(dynamics, rb.BernoulliLogit(0.4, 0.6)),)), 1, ONLINE_EVALUATIONS)

def engine():
    return "rogue_bandits.belief.play_log.contract" in sys.modules

lines = belief_under(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5))
assert not engine()
logs = belief_under(rb.Saturating(pace=0.25, half=0.5, drop=0.5))
assert engine()
assert belief_rows.dispatch(type(lines)) is belief_rows.dispatch(type(logs)) is not belief_rows.dispatch(object)
"""


def test_play_logs_are_imported_when_an_arm_needs_them() -> None:
    """Clipped lines need no play log, and both kinds of belief are explained alike."""
    subprocess.run([sys.executable, "-c", MADE], check=True)
