"""Planning with known theta and states: what to play now, and over a horizon.

Most functions below `optimal.py`'s and `plan.py`'s take stacked arms, theta[arms] and x[arms] (`plan.arrays_of` makes
them of a truth), so that they plan from any state with any parameters: the truth's, a fit's or a posterior draw's.

optimal.py      optimal_plan(truth, horizon, accuracy, x); plan_from, the same over arrays
plan.py         Plan; the plan of given arms; the myopic plan
rollout.py      the myopic choice; means along given arms
exact.py        backward induction over the joint states, where they are few
grid.py         nodes in theta and in the state, and interpolation between them
values.py       relaxed values: gain and bias per arm over theta × multiplier × state
lookahead.py    d decisions exactly, with relaxed values at their end
receding.py     the plan of a lookahead that is made anew at every decision
recovering.py   the same for recovering arms with any curves, without tables
curve_plan.py   the best plan for known curves
whittle.py      the Whittle index, exact and tabulated
path_index.py   an approximate Whittle index of dynamics that are drawn anew at every decision
cells.py        an arm's states in cells: bounds that hold for every state of a cell
certificate.py  an upper bound on the long-run average of every plan
relaxed.py      Lagrangian relaxation over a horizon: values per arm, and an upper bound on every plan
pairs.py        a tighter upper bound: no two arms are played at once
beam.py         beam search for a plan, guided by the relaxed values

Policies come above this layer. Kernels of theirs may call `rollout.myopic_choice`; `lookahead.lookahead` and
`values.least_multiplier` with the tables of `values.relaxed_values`; `whittle.index_at` with those of
`whittle.index_table`; `recovering.recovering_values`.
"""

from __future__ import annotations

from rogue_bandits.planning.optimal import optimal_plan
from rogue_bandits.planning.plan import Plan, myopic_plan

__all__ = ["Plan", "myopic_plan", "optimal_plan"]
