"""What the log holds: events, numbered without gaps, each with a hash that covers all before it."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

# Of the whole study: pid is "".
CREATED, VERSION, UPDATED = "created", "version", "updated"
# Of one person.
ENROLLED, DECIDED, DELIVERED, REWARDED, CORRECTED = "enrolled", "decided", "delivered", "rewarded", "corrected"
PAUSED, RESUMED, WITHDRAWN, ERASED = "paused", "resumed", "withdrawn", "erased"
FIRST_HASH = bytes(32)


class LogEvent(NamedTuple):
    """Something that happened. `pid` is a person's random name; names that identify are never in the log."""

    seq: int
    pid: str
    kind: str
    at: str  # by the server's clock, UTC
    key: bytes | None  # hash of an idempotency key
    body: Mapping[str, Any]


class StoredEvent(NamedTuple):
    """An event as a row: its body as text, and the hash."""

    seq: int
    pid: str
    kind: str
    at: str
    key: bytes | None
    body: str
    hash: bytes


def to_text(value: Any) -> str:
    """Return JSON text that is the same for equal values; floats survive to the last bit.

    >>> to_text({"b": 0.1, "a": [1, None]})
    '{"a":[1,null],"b":0.1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def chained(event: LogEvent, before: bytes) -> StoredEvent:
    """Return an event as a row, given the hash of the event before it."""
    body = to_text(event.body)
    return StoredEvent(*event[:5], body, link(event.seq, event.pid, event.kind, event.at, event.key, body, before))


def link(seq: int, pid: str, kind: str, at: str, key: bytes | None, body: str, before: bytes) -> bytes:
    """Return the hash of an event: SHA-256 of the hash before it and of its own content."""
    content = json.dumps([seq, pid, kind, at, None if key is None else key.hex(), body])
    return hashlib.sha256(before + content.encode()).digest()


def event_of(row: StoredEvent) -> LogEvent:
    """Return the event of a row."""
    return LogEvent(*row[:5], json.loads(row.body))


def key_hash(scope: str, key: str, salt: bytes = b"") -> bytes:
    """Return what is stored of an idempotency key: its HMAC with the person's salt; keys of the study have none.

    An app may put a person's name in a key. Erasing the person deletes the salt, and nobody can check a guess any more.
    """
    return hmac.digest(salt, f"{scope}\n{key}".encode(), "sha256")
