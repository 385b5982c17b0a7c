"""What tests of the API send."""

from __future__ import annotations

from typing import Any

from tests.study.served import Served


def as_role(tokens: dict[str, str], role: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {tokens[role]}"}


def forget_tokens(running: Served) -> None:
    """As if five seconds had passed."""
    app: Any = running.server.config.app
    app.state.access._read_at = -1e9
