"""Experiments by their names on the command line. A new experiment is one folder here and one line below."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rogue_bandits.experiments.experiment import Experiment

# Folders, each with an EXPERIMENT. They are imported on first use: listing them need not wait for a compiler.
EXPERIMENTS = {
    "logistic": "rogue_bandits.experiments.logistic",
    "health": "rogue_bandits.experiments.health",
}


def experiment_named(name: str) -> Experiment:
    """Return the experiment of that name.

    >>> experiment_named("logistic").settings().horizon
    20000
    """
    found: Experiment = importlib.import_module(EXPERIMENTS[name]).EXPERIMENT
    return found
