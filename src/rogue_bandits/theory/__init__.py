"""The paper's theorems in numbers: constants, bounds, how far apart arms are. `docs/errata.md` says what is mended."""

from __future__ import annotations

from rogue_bandits.theory.apart import Separation, separation, separation_of_pairs
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

__all__ = [
    "Constants", "ParameterFree", "Separation", "bounded", "concentration", "confidence_factor", "confidence_radius",
    "constants", "epsilon_rogue", "largest_gap", "parameter_free_bound", "radius_factor", "recommended_c",
    "regret_bound", "separation", "separation_of_pairs", "suboptimal_probability", "vanishing",
]  # fmt: skip
