"""A benchmark problem of the literature."""

from __future__ import annotations

from typing import Any, NamedTuple

from rogue_bandits.types import Truth


class Scenario(NamedTuple):
    """A truth to simulate against, with the number of decisions and the place it is taken from."""

    truth: Truth
    horizon: int
    cites: str  # paper and place
    baselines: tuple[Any, ...] = ()  # policies of that literature, with the settings of their authors
