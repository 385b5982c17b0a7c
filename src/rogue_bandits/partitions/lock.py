"""One run at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from filelock import FileLock

from rogue_bandits.partitions.layout import Folder


@contextmanager
def locked(folder: Folder) -> Iterator[None]:
    """Hold the lock of a population; raise filelock's `Timeout` if another process does.

    The system releases it when the process ends, however it ends.
    """
    with FileLock(folder.lock, timeout=0):
        yield
