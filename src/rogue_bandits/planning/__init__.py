"""What somebody who knows every theta and every state would do: at each moment, and in the long run.

myopic.py     the best arm of each moment
optimal.py    the best plan: exact where the joint states are few, else between two proven bounds
exact.py      backward induction over the joint states
cells.py      an arm's states cut into cells: what can be proven of all states at once
relaxed.py    the upper bound: a toll on each play takes the arms apart
pairs.py      a tighter one: two arms cannot be played at once
search.py     the plan that the relaxed values lead to
"""

from __future__ import annotations

from rogue_bandits.planning.myopic import myopic_plan
from rogue_bandits.planning.optimal import optimal_plan
from rogue_bandits.planning.plan import Plan

__all__ = ["Plan", "myopic_plan", "optimal_plan"]
