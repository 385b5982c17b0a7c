"""One run at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from filelock import FileLock, Timeout

from rogue_bandits.partitions.layout import Folder


@contextmanager
def locked(folder: Folder) -> Iterator[None]:
    """Hold the lock of a population; raise a ValueError if another process does.

    The system releases it when the process ends, however it ends.
    """
    lock = FileLock(folder.lock, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise ValueError(f"'{folder.path}' is being run by another process: wait until it ends") from None
    try:
        yield
    finally:
        lock.release()
