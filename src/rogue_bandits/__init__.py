"""ROGUE bandits: arms that wear out when they are played and recover when they rest."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rogue_bandits.inference.history import divergence as divergence
    from rogue_bandits.inference.history import fit as fit
    from rogue_bandits.inference.history import upper_bound as upper_bound
    from rogue_bandits.inference.radius import TheoremRadius as TheoremRadius
    from rogue_bandits.inference.radius import TunedRadius as TunedRadius
    from rogue_bandits.inference.radius import theorem_radius as theorem_radius
    from rogue_bandits.model.bernoulli_logit import BernoulliLogit as BernoulliLogit
    from rogue_bandits.model.dynamics import ClippedAffine as ClippedAffine
    from rogue_bandits.model.gaussian import Gaussian as Gaussian
    from rogue_bandits.model.laplace_agent import LaplaceAgent as LaplaceAgent
    from rogue_bandits.types import Arm as Arm
    from rogue_bandits.types import Decision as Decision
    from rogue_bandits.types import Fit as Fit
    from rogue_bandits.types import Truth as Truth

# Where each public name lives. They are imported on first use: `rogue --help` need not wait for a compiler.
HOMES = {
    "Arm": "types", "Decision": "types", "Fit": "types", "Truth": "types",
    "ClippedAffine": "model.dynamics", "BernoulliLogit": "model.bernoulli_logit", "Gaussian": "model.gaussian",
    "LaplaceAgent": "model.laplace_agent",
    "fit": "inference.history", "divergence": "inference.history", "upper_bound": "inference.history",
    "TunedRadius": "inference.radius", "TheoremRadius": "inference.radius", "theorem_radius": "inference.radius",
}  # fmt: skip
__all__ = sorted(HOMES)


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'rogue_bandits' has no attribute {name!r}")
    return getattr(importlib.import_module(f"rogue_bandits.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
