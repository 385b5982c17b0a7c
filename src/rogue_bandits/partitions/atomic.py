"""Files that are there as a whole or not at all, also after a crash of the machine."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

TEMPORARY = ".writing-"  # begins the name of a file that is not complete


def write_durable(path: Path, content: bytes | memoryview) -> None:
    """Write a file beside its place, flush it to the disk, and rename it.

    Names of unfinished files are unique, as two workers may be given the same partition: what they write is equal.
    """
    write_pieces(path, [content])


def write_pieces(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Write a file as `write_durable` does, piece by piece."""
    make_folder(path.parent)
    temporary = path.with_name(f"{TEMPORARY}{uuid.uuid4().hex}")
    try:
        with temporary.open("wb") as file:
            for content in pieces:
                file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        temporary.unlink(missing_ok=True)
    flush_folder(path.parent)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, so that they are there after a crash."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        flush_folder(folder.parent)


def flush_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk, where the system can."""
    with suppress(OSError):  # not on Windows
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
