"""Planning with known theta and states: what to play now, and over a horizon.

Every function below `optimal.py`'s and `plan.py`'s takes stacked arms, theta[arms] and x[arms] (`plan.arrays_of` makes
them of a truth), so that it plans from any state with any parameters: the truth's, a fit's or a posterior draw's.

optimal.py    optimal_plan(truth, horizon, accuracy, x); plan_from, the same over arrays
plan.py       Plan; the plan of given arms; the myopic plan
rollout.py    the myopic choice; means along given arms
exact.py      backward induction over the joint states, where they are few
cells.py      an arm's states in cells: bounds that hold for every state of a cell
relaxed.py    Lagrangian relaxation: values per arm under a multiplier, and an upper bound on every plan
pairs.py      a tighter upper bound: no two arms are played at once
beam.py       beam search for a plan, guided by the relaxed values

Policies come above this layer. Kernels of theirs may call, with arrays alone: `rollout.myopic_choice`,
`relaxed.backward_values` (one arm), `relaxed.action_values` (one cell), `cells.cell_of` and `cells.value_at` (one
state). Not written yet, each a file here: average-reward values per arm over theta × x × multiplier (`values.py`),
lookahead with these as terminal values (`lookahead.py`), the Whittle index (`whittle.py`).
"""

from __future__ import annotations

from rogue_bandits.planning.optimal import optimal_plan
from rogue_bandits.planning.plan import Plan, myopic_plan

__all__ = ["Plan", "myopic_plan", "optimal_plan"]
