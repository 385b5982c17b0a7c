"""What concerns nobody in particular: updates, snapshots of people in memory, sessions of the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rogue_bandits.study import events as kinds
from rogue_bandits.study.batch import Batch
from rogue_bandits.study.events import key_hash


def update(batch: Batch, key: str) -> dict[str, Any]:
    """Learn from all rewards that wait; once for each key."""
    digest = key_hash("update", key)
    event = batch.seen(digest)
    if event is None:
        event = batch.append("", kinds.UPDATED, {}, digest)
        batch.update_all(event.seq)
    return {"update": event.seq, "at": event.at}


def save_people(batch: Batch, pids: Sequence[str]) -> None:
    """Write snapshots of people who are in memory, so that they are loaded quickly next time."""
    for pid in pids:
        person = batch.residents.people.get(pid)
        if person is not None:
            batch.save(person)


def end_session(batch: Batch, nonce: str, until: float, now: float) -> None:
    """Remember that a session of the page was left, until it would have expired; forget those that have."""
    batch.tx.execute("DELETE FROM ended_sessions WHERE until < ?", (now,))
    batch.tx.execute("INSERT INTO ended_sessions (nonce, until) VALUES (?, ?) ON CONFLICT DO NOTHING", (nonce, until))
