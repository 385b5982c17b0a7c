"""The server's clock. Apart from the service, so that a command can ask for the time without waiting for a compiler."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> str:
    """Return the server's time."""
    return datetime.now(UTC).isoformat()
