"""Does a model do what the paper assumes and the library relies on? `check_model` asks, and says in plain words."""

from __future__ import annotations

from rogue_bandits.conformance.finding import Fault, ModelReport
from rogue_bandits.conformance.suite import check_model

__all__ = ["Fault", "ModelReport", "check_model"]
