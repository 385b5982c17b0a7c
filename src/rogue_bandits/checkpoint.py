"""What checkpoints need: files written atomically, and a fingerprint of what determines a result."""

from __future__ import annotations

import hashlib
import os
from importlib.metadata import version
from pathlib import Path

from rogue_bandits.compile.cache import sources_hash


def fingerprint(*determinants: object) -> str:
    """A hash of the version, the sources and the `repr` of what determines a result."""
    everything = version("rogue-bandits"), sources_hash(), *determinants
    return hashlib.sha256(repr(everything).encode()).hexdigest()[:16]


def write_atomic(path: Path, content: bytes) -> Path:
    """Write a file beside the old one, then rename it, so that no reader sees a partial file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(content)
        return temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
