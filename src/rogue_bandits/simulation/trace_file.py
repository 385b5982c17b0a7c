"""A trace as a file: a zip of numpy arrays (npz) with a JSON header; nothing in it is ever executed.

The entry `header` is UTF-8 text as bytes: format, version, a checksum, and truth, policy, seed and learner_arms. The
entries `arm`, `reward`, `probability` and, where the trace has them, `probabilities`, `available` and `known_at` are
its arrays, little-endian or as the machine has them: numpy says which.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from rogue_bandits.checked_json import checksum, plain_number, readable
from rogue_bandits.model.validation import checked_arms
from rogue_bandits.policies.plain import (
    arm_from_plain,
    arm_to_plain,
    policy_from_plain,
    policy_to_plain,
    truth_from_plain,
    truth_to_plain,
)
from rogue_bandits.simulation.trace import Trace

FORMAT, VERSION = "rogue-bandits/trace", 1
ARRAYS = {"arm": np.int16, "reward": np.float64, "probability": np.float64}
OPTIONAL = {"probabilities": np.float64, "available": np.bool_, "known_at": np.int64}
PER_ARM = ("probabilities", "available")


def save(trace: Trace, path: str | Path) -> None:
    """Write a trace to a file."""
    content = {
        "truth": truth_to_plain(trace.truth),
        "policy": policy_to_plain(trace.policy),
        "seed": trace.seed,
        "learner_arms": None if trace.learner_arms is None else [arm_to_plain(arm) for arm in trace.learner_arms],
    }
    content = json.loads(json.dumps(content, default=plain_number))  # tuples as lists, as they will be read
    header = json.dumps({"format": FORMAT, "version": VERSION, "checksum": checksum(content), **content})
    arrays = {name: getattr(trace, name) for name in (*ARRAYS, *OPTIONAL) if getattr(trace, name) is not None}
    with Path(path).open("wb") as file:
        np.savez_compressed(file, header=np.frombuffer(header.encode(), dtype=np.uint8), **arrays)


def load(path: str | Path) -> Trace:
    """Return the trace in a file."""
    where = f"saved trace '{path}'"
    try:
        with Path(path).open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            entries = {name: file[name] for name in file.files}
    except FileNotFoundError:
        raise ValueError(f"{where} does not exist") from None
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, TypeError) as error:
        raise ValueError(f"{where} is damaged, or is not one: {error}") from None
    if "header" not in entries:
        raise ValueError(f"{where} is not one: it has no header")
    content = readable(entries.pop("header").tobytes(), where, FORMAT, VERSION)
    truth, seed, learner = truth_from_plain(content["truth"]), content["seed"], content["learner_arms"]
    return Trace(
        truth=truth,
        policy=policy_from_plain(content["policy"]),
        seed=tuple(seed) if isinstance(seed, list) else seed,
        learner_arms=None if learner is None else checked_arms([arm_from_plain(arm) for arm in learner]),
        **checked_arrays(entries, len(truth.arms), where),
    )


def checked_arrays(entries: dict[str, Any], arms: int, where: str) -> dict[str, Any]:
    """Return arrays of the types and the shapes that a trace has."""
    for name in ARRAYS:
        if name not in entries:
            raise ValueError(f"{where} is damaged: it has no array '{name}'")
    shape = entries["arm"].shape
    for name, array in entries.items():
        kind = {**ARRAYS, **OPTIONAL}.get(name)
        wanted = (*shape, arms) if name in PER_ARM else shape
        if kind is None or array.dtype != kind or array.shape != wanted or len(shape) != 2:
            raise ValueError(f"{where} is damaged: array '{name}' is {array.dtype}, shape {array.shape}")
    return entries
