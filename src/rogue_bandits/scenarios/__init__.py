"""Benchmark problems of the literature on recovering and rotting bandits, as truths.

`python -m verification scenarios` runs policies on all of them.

>>> import rogue_bandits as rb
>>> list(rb.scenarios.SCENARIOS)[:2]
['recovering-logistic', 'recovering-gamma']
>>> rb.scenarios.SCENARIOS["last-switch"].cites
'Laforgue et al. 2022, arXiv:2110.11819, Sec. 4'
"""

from __future__ import annotations

from rogue_bandits.scenarios import last_switch, recovering, rotting
from rogue_bandits.scenarios.scenario import Scenario

SCENARIOS: dict[str, Scenario] = {**recovering.SCENARIOS, **rotting.SCENARIOS, **last_switch.SCENARIOS}

__all__ = ["SCENARIOS", "Scenario"]
