"""A bandit as JSON text: versioned, checked for damage, exact to the bit, and readable."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import numpy as np

from rogue_bandits.checked_json import checksum, plain_number, readable
from rogue_bandits.model.validation import checked_arms
from rogue_bandits.online.personal import Array, leaves, rebuilt, with_room_of
from rogue_bandits.policies.plain import arm_from_plain, arm_to_plain, policy_from_plain, policy_to_plain
from rogue_bandits.types import Arm

FORMAT, VERSION = "rogue-bandits/bandit", 2
T = TypeVar("T")


def to_text(arms: list[Arm], policy: Any, personal: Any, session: Any) -> str:
    """Return the text of a bandit."""
    content = {
        "arms": [arm_to_plain(arm) for arm in arms],
        "policy": policy_to_plain(policy),
        "person": to_plain(session),
        "state": to_plain(personal),
    }
    head = {"format": FORMAT, "version": VERSION, "checksum": checksum(content)}
    return json.dumps({**head, **content}, allow_nan=False, default=plain_number)


class Saved(NamedTuple):
    """What a text holds: arms, a policy, and arrays that are still to be matched with those of a fresh bandit."""

    arms: list[Arm]
    policy: Any
    arrays: list[Any]


def from_text(text: str) -> Saved:
    """Return what a text holds."""
    content = readable(text, "saved bandit", FORMAT, VERSION, oldest=VERSION)
    with damage_named():
        arms = checked_arms([arm_from_plain(plain) for plain in content["arms"]])
        policy = policy_from_plain(content["policy"])
        return Saved(arms, policy, [*arrays_in(content["state"]), *arrays_in(content["person"])])


def arrays_like(saved: Saved, like: T) -> T:
    """Return the arrays of a text in the structure of `like`: (personal, session) of a fresh bandit."""
    with damage_named():
        wanted = list(leaves(like))
        if len(saved.arrays) != len(wanted):
            raise TypeError(f"it has {len(saved.arrays)} arrays, not {len(wanted)}")
        return rebuilt(like, iter([checked_array(*pair) for pair in zip(saved.arrays, wanted, strict=True)]))


@contextmanager
def damage_named() -> Iterator[None]:
    """Say of errors that come from a text that it is damaged."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, IndexError) as error:
        raise ValueError(f"this saved bandit is damaged: {type(error).__name__} {error}") from None


# ---- arrays ----------------------------------------------------------------------------------------------------------
def to_plain(part: Any) -> Any:
    """Return arrays by their names, each with its shape and numbers; infinite ones and nan as text."""
    if isinstance(part, tuple):
        return {name: to_plain(field) for name, field in part._asdict().items()} if hasattr(part, "_asdict") else []
    values = part[0].ravel().tolist() if part.ndim > 1 else part.tolist()
    finite = [v if not isinstance(v, float) or math.isfinite(v) else str(v) for v in values]
    return {"shape": list(part.shape[1:]), "values": finite}


def arrays_in(plain: Any) -> Iterator[Any]:
    """Yield what `to_plain` wrote, array by array."""
    if isinstance(plain, dict) and set(plain) == {"shape", "values"}:
        yield plain
    elif isinstance(plain, dict):
        for part in plain.values():
            yield from arrays_in(part)


def checked_array(plain: Any, like: Array) -> Array:
    """Return an array of the type, the dimensions and at least the room of `like`."""
    shape = (1, *plain["shape"])
    if len(shape) != like.ndim or math.prod(shape) != len(plain["values"]):
        raise TypeError(f"{len(plain['values'])} values do not have shape {plain['shape']}")
    values = [float(v) if isinstance(v, str) else v for v in plain["values"]]
    return with_room_of(np.array(values, dtype=like.dtype).reshape(shape), like)
