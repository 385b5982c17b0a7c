"""The paper's theorems in numbers: listed in `docs/theory.md`, compared with the printed ones in `docs/errata.md`.

assumptions.py   constants of an arm, and the factors A(t) and B(alpha)  [Assumptions 3 and 4, Corollary 1]
adaptive.py      concentration of the fit for plays that depend on earlier rewards  [closes a gap in Theorems 3 and 4]
bounds.py        concentration of the fit, regret of ROGUE-UCB  [Theorems 1 and 3, Corollaries 1 and 2]
greedy.py        error probability of ε-ROGUE, and its c  [Theorem 4]
separations.py   epsilon_a and delta_a of a truth along a sequence of plays  [Theorem 3]
alternative.py   the search behind delta_a
examples.py      the worked examples  [Sec. 4.3]
"""

from __future__ import annotations

from rogue_bandits.theory.adaptive import adaptive_concentration, adaptive_radius, hellinger_radius
from rogue_bandits.theory.assumptions import Constants, confidence_factor, constants, largest_gap, radius_factor
from rogue_bandits.theory.bounds import (
    ParameterFree,
    concentration,
    confidence_radius,
    parameter_free_bound,
    regret_bound,
)
from rogue_bandits.theory.examples import bounded, vanishing
from rogue_bandits.theory.greedy import epsilon_rogue, recommended_c, suboptimal_probability
from rogue_bandits.theory.separations import Separation, separation, separation_of_pairs

__all__ = [
    "Constants", "ParameterFree", "Separation", "adaptive_concentration", "adaptive_radius", "bounded", "concentration",
    "confidence_factor", "confidence_radius", "constants", "epsilon_rogue", "hellinger_radius", "largest_gap",
    "parameter_free_bound", "radius_factor", "recommended_c", "regret_bound", "separation", "separation_of_pairs",
    "suboptimal_probability", "vanishing",
]  # fmt: skip
