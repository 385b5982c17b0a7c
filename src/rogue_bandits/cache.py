"""Where compiled kernels are kept between processes.

numba decides whether a kept kernel is current by the kernel's own file. A law lives in another file, and an edit to it
would go unnoticed. So the folder carries a hash of every source of the package: nobody ever runs a stale law.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
import warnings
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
import platformdirs

UNUSED_DAYS = 30


def sources_hash(package: Path = Path(__file__).parent) -> str:
    """A hash of the names and texts of all of the package's sources."""
    digest = hashlib.sha256()
    for source in sorted(package.rglob("*.py")):
        digest.update(str(source.relative_to(package)).encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def candidates() -> list[Path]:
    """The folders to try, best first: the one asked for, the user's cache, a private one among the temporary files."""
    asked = os.environ.get("NUMBA_CACHE_DIR")
    user = getattr(os, "getuid", lambda: 0)()
    folders = [Path(asked) / "rogue-bandits"] if asked else []
    return [*folders, platformdirs.user_cache_path("rogue-bandits"),
            Path(tempfile.gettempdir()) / f"rogue-bandits-{user}"]  # fmt: skip


def writable(folder: Path) -> bool:
    """Can this process keep files in `folder`, and nobody but its user have put others there?"""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            owner = folder.stat().st_uid
    except OSError:
        return False
    # Kept kernels are loaded as code, so a folder that another user made is not ours to trust.
    return not hasattr(os, "getuid") or owner == os.getuid()


@cache
def cache_folder() -> Path | None:
    """The folder of this version's kernels; None, with a warning, where no folder can be written."""
    version = sources_hash()
    for folder in candidates():
        if writable(folder) and writable(folder / version):
            forget_unused(folder, version)
            return folder / version
    tried = ", ".join(str(folder) for folder in candidates())
    warnings.warn(
        f"no folder for compiled kernels can be written (tried {tried}): they are compiled again in each process. "
        "Set NUMBA_CACHE_DIR to a folder that can be written.",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


def forget_unused(folder: Path, version: str) -> None:
    """Remove the kernels of versions that nobody has used for `UNUSED_DAYS` days; mark this one as used."""
    os.utime(folder / version)
    for other in folder.iterdir():
        with suppress(OSError):  # another process may be tidying up too
            if time.time() - other.stat().st_mtime > UNUSED_DAYS * 86400:
                shutil.rmtree(other, ignore_errors=True)


def kept_on_disk(dispatcher: Any) -> Any:
    """Let a numba dispatcher keep what it compiles in our folder, leaving numba's own setting as it was."""
    folder = cache_folder()
    if folder is None or not hasattr(dispatcher, "enable_caching"):
        return dispatcher
    config: Any = numba.config  # fills itself in at run time, so that its names have no types
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        dispatcher.enable_caching()
    except RuntimeError:
        pass  # a function typed at a prompt has no file to be known by: it is compiled in each process
    finally:
        config.CACHE_DIR = before
    return dispatcher
