"""Results as pandas tables. pandas is an extra: `pip install rogue-bandits[frame]`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from rogue_bandits.simulation.trace import Trace


def frame_of(columns: Mapping[str, Any]) -> Any:
    """Return a DataFrame; raise an ImportError that says how to get pandas where it is missing."""
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("to_frame needs pandas: pip install rogue-bandits[frame], or pip install pandas") from None
    return pd.DataFrame(columns)


def trace_frame(trace: Trace) -> Any:
    """Return one row for each decision of each person."""
    people, horizon = trace.arm.shape
    names = arm_names(trace)
    columns: dict[str, Any] = {
        "person": np.repeat(np.arange(people), horizon),
        "decision": np.tile(np.arange(horizon), people),
        "arm": trace.arm.ravel(),
        "name": np.array([*names, "rest"], dtype=object)[trace.arm.ravel()],  # arm −1 is the last
        "reward": trace.reward.ravel(),
        "probability": trace.probability.ravel(),
        "mean": trace.mean.ravel(),
        "myopic": trace.myopic.ravel(),
    }
    for heading, array in (("probability of", trace.probabilities), ("available", trace.available)):
        if array is not None:
            columns |= {f"{heading} {name}": array[:, :, k].ravel() for k, name in enumerate(names)}
    if trace.known_at is not None:
        columns["known_at"] = trace.known_at.ravel()
    return frame_of(columns)


def arm_names(trace: Trace) -> list[str]:
    """Return the names of the arms, with their numbers where names are empty or not unique."""
    given = [arm.name for arm in trace.truth.arms]
    unique = all(given) and len(set(given)) == len(given)
    return given if unique else [f"{name or 'arm'} {k}" for k, name in enumerate(given)]
