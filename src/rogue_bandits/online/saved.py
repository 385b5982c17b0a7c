"""A bandit as text: versioned, checked for damage, and exact to the bit."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.model import DYNAMICS, FAMILIES
from rogue_bandits.model.validation import checked_arms
from rogue_bandits.policies import POLICIES
from rogue_bandits.types import Arm, Line, start

FORMAT = "rogue-bandits/bandit"
VERSION = 1
PARTS = (("dynamics", DYNAMICS), ("rewards", FAMILIES))


class Saved(NamedTuple):
    """All that a bandit is."""

    arms: list[Arm]
    policy: Any
    number: int
    random: Any
    awaited: dict[int, Any]
    state: Any


def to_text(saved: Saved) -> str:
    """The text of a bandit."""
    content = {
        "arms": [arm_to_plain(arm) for arm in saved.arms],
        "policy": {"id": policy_id(saved.policy), **saved.policy._asdict()},
        "number": saved.number,
        "random": saved.random,
        "awaited": {str(number): [a.arm, a.probability, *a.line] for number, a in saved.awaited.items()},
        "state": state_to_plain(saved.state),
    }
    head = {"format": FORMAT, "version": VERSION, "checksum": checksum(content)}
    return json.dumps({**head, **content}, allow_nan=False, default=plain_number)


def from_text(text: str, awaited: Any) -> Saved:
    """The bandit of a text; `awaited` makes one of its awaited decisions. A ValueError says what is wrong with it."""
    content = readable(text, "saved bandit", FORMAT, VERSION)
    try:
        arms = checked_arms([arm_from_plain(plain) for plain in content["arms"]])
        settings = dict(content["policy"])
        policy = POLICIES[settings.pop("id")](**settings)
        return Saved(
            arms=arms,
            policy=policy,
            number=int(content["number"]),
            random=stream(content["random"]),
            awaited={int(n): awaited(a[0], a[1], Line(*a[2:])) for n, a in content["awaited"].items()},
            state=state_from_plain(content["state"], start(policy, arms, 1, None)),
        )
    except (AttributeError, KeyError, TypeError, IndexError, binascii.Error) as error:
        raise ValueError(f"this saved bandit is damaged: {type(error).__name__} {error}") from None


def stream(plain: Any) -> np.random.Generator:
    """The random stream, where it was."""
    generator = np.random.Generator(np.random.PCG64())
    generator.bit_generator.state = plain
    return generator


def readable(text: str | bytes, what: str, format: str, newest: int) -> Any:
    """The content of a text of this format, of a version we know, and undamaged; `what` names it in errors."""
    if not isinstance(text, str | bytes):
        raise TypeError(f"a {what} is a text, not {type(text).__name__}")
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"this {what} is damaged: no JSON at line {error.lineno} column {error.colno}") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, or endless brackets
        raise ValueError(f"this {what} is damaged: {error}") from None
    if not isinstance(content, dict) or content.pop("format", None) != format:
        raise ValueError(f"this is not a {what}: its format must be {format!r}")
    version = content.pop("version", None)
    if not isinstance(version, int) or version < 1:
        raise ValueError(f"this {what} is damaged: its version {version!r} must be a whole number from 1")
    if version > newest:
        raise ValueError(f"this {what} was saved in format version {version}, and this release reads up to {newest}: "
                         "upgrade rogue-bandits")  # fmt: skip
    if content.pop("checksum", None) != checksum(content):
        raise ValueError(f"this {what} is damaged: its checksum does not match its content")
    return content


def checksum(content: Any) -> str:
    """Of the content, whatever its order."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=plain_number).encode()).hexdigest()[:16]


def plain_number(value: Any) -> Any:
    """A number of numpy's, as settings may hold, as one of Python's."""
    return value.item()


def policy_id(policy: Any) -> str:
    """The id of the first entry of the policy's class; the settings, which are saved with it, tell variants apart."""
    for name, spec in POLICIES.items():
        if type(policy) is spec.policy_class:
            return name
    raise ValueError(f"{policy!r} cannot be saved: it is none of {', '.join(POLICIES)}")


def arm_to_plain(arm: Arm) -> dict[str, Any]:
    """An arm as JSON has it."""
    plain = arm._asdict()
    for part, kinds in PARTS:
        plain[part] = part_to_plain(plain[part], part, kinds)
    return plain


def part_to_plain(thing: Any, part: str, kinds: dict[str, Any]) -> dict[str, Any]:
    """Dynamics or a reward family, with whatever family is inside of it."""
    name = type(thing).__name__
    if kinds.get(name) is not type(thing):
        raise ValueError(f"{part} {thing!r} cannot be saved: it is none of {', '.join(kinds)}")
    fields = thing._asdict()
    inside = {key: part_to_plain(value, part, kinds) for key, value in fields.items() if hasattr(value, "_fields")}
    return {"type": name, **fields, **inside}


def arm_from_plain(plain: dict[str, Any]) -> Arm:
    """The arm of what `arm_to_plain` made."""
    return Arm(**{**plain, **{part: part_from_plain(plain[part], part, kinds) for part, kinds in PARTS}})


def part_from_plain(plain: dict[str, Any], part: str, kinds: dict[str, Any]) -> Any:
    """What `part_to_plain` made plain."""
    fields = {k: part_from_plain(v, part, kinds) if isinstance(v, dict) else v for k, v in plain.items()}
    name = fields.pop("type")
    if name not in kinds:
        raise ValueError(
            f"this saved bandit has {part} '{name}', which is none of {', '.join(kinds)}: "
            "a type of your own must be put in that table of rogue_bandits.model first"
        )
    return kinds[name](**fields)


def state_to_plain(part: Any) -> Any:
    """A state as JSON has it: arrays by their bytes, which decimal digits would only make longer."""
    if isinstance(part, tuple):
        return [state_to_plain(field) for field in part]
    if isinstance(part, np.ndarray):
        little_endian = part.astype(part.dtype.newbyteorder("<"))
        return {"shape": part.shape, "bytes": base64.b64encode(little_endian.tobytes()).decode()}
    return part


def state_from_plain(plain: Any, like: Any) -> Any:
    """The state of what `state_to_plain` made; `like` is a fresh state of the same policy, which knows the types."""
    if isinstance(like, tuple):
        if len(plain) != len(like):
            raise TypeError(f"{type(like).__name__} has {len(like)} fields, not {len(plain)}")
        fields = [state_from_plain(p, k) for p, k in zip(plain, like, strict=True)]
        return type(like)(*fields)
    if isinstance(like, np.ndarray):
        raw = base64.b64decode(plain["bytes"], validate=True)
        if len(plain["shape"]) != like.ndim or len(raw) != int(np.prod(plain["shape"])) * like.itemsize:
            raise TypeError(f"an array of {len(raw)} bytes does not have shape {plain['shape']}")
        array = np.frombuffer(raw, dtype=like.dtype.newbyteorder("<")).astype(like.dtype)
        return array.reshape(plain["shape"])
    return type(like)(plain) if like is not None else None
