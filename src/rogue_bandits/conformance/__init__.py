"""Checks of a model against the paper's assumptions and what the library relies on: `check_model`."""

from __future__ import annotations

from rogue_bandits.conformance.finding import Fault, ModelReport
from rogue_bandits.conformance.suite import check_model

__all__ = ["Fault", "ModelReport", "check_model"]
