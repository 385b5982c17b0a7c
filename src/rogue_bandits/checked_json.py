"""JSON text with a format, a version and a checksum."""

from __future__ import annotations

import hashlib
import json
from typing import Any

SAME_VERSION = "open it with the version of rogue-bandits that saved it"


def readable(
    text: str | bytes, what: str, format: str, newest: int, oldest: int = 1, too_old: str = SAME_VERSION
) -> Any:
    """Return the content of a text of this format, of a version we know, and undamaged.

    In errors `what` names it, and `too_old` says what to do with one of a version before the oldest.
    """
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
    if version < oldest:
        raise ValueError(f"this {what} was saved in format version {version}, and this release reads from {oldest}: "
                         f"{too_old}")  # fmt: skip
    if content.pop("checksum", None) != checksum(content):
        raise ValueError(f"this {what} is damaged: its checksum does not match its content")
    return content


def checksum(content: Any) -> str:
    """Return the checksum of the content, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=plain_number).encode()).hexdigest()[:16]


def plain_number(value: Any) -> Any:
    """Return a numpy number, as settings may hold, as a Python number."""
    return value.item()
