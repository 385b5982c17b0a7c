"""Checkpoints: results on disk from which interrupted work resumes.

A checkpoint carries a stamp, the fingerprint of everything that determines its content. Whole files are replaced
atomically. Files of lines are only appended to, each line with a checksum: a line that was cut short or changed is
skipped.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rogue_bandits.checked_json import checksum
from rogue_bandits.compile.cache import sources_hash


@cache
def running_sources() -> str:
    """Return a hash of the sources when this process first asked: an edit does not change the code that runs."""
    return sources_hash()


def fingerprint(*determinants: object, data: Iterable[bytes] = ()) -> str:
    """Return a hash of the version, the sources, the `repr` of what determines a result, and of `data`."""
    everything = hashlib.sha256(repr((version("rogue-bandits"), running_sources(), *determinants)).encode())
    for part in data:
        everything.update(part)
    return everything.hexdigest()[:16]


def write_atomic(path: Path, content: bytes) -> Path:
    """Write a file beside the old one, then rename it, so that no reader sees a partial file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(content)
        return temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def begin_lines(path: Path, stamp: str, header: dict[str, Any]) -> None:
    """Start a file of lines in place of an older one; its first line holds the stamp and the header."""
    path.unlink(missing_ok=True)
    append_line(path, {"stamp": stamp, **header})


def append_line(path: Path, content: dict[str, Any]) -> None:
    """Append a line with its checksum; a line that was cut short before it is closed first."""
    with path.open("a+b") as file:
        if file.tell() > 0:
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write(json.dumps({"checksum": checksum(content), **content}, allow_nan=False).encode() + b"\n")


def read_lines(path: Path, stamp: str) -> list[dict[str, Any]]:
    """Return the undamaged lines, the header first; none where the file is missing or has another stamp."""
    try:
        lines = [_undamaged(line) for line in path.read_bytes().splitlines()]
    except FileNotFoundError:
        return []
    if not lines or lines[0].get("stamp") != stamp:
        return []
    return [line for line in lines if line]


def read_header(path: Path) -> dict[str, Any]:
    """Return the first line of a file of lines, whatever its stamp; nothing where it is missing or damaged."""
    if not path.is_file():
        return {}
    with path.open("rb") as file:
        return _undamaged(file.readline())


def _undamaged(line: bytes) -> dict[str, Any]:
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):  # the latter by endless brackets
        return {}
    is_whole = isinstance(content, dict) and content.pop("checksum", None) == checksum(content)
    return content if is_whole else {}
