"""Where compiled kernels are kept between processes.

numba decides whether a kept kernel is current by the kernel's own file. A law lives in another file, and an edit to it
would go unnoticed. So the folder carries a hash of every source of the package: nobody ever runs a stale law. Kernels
with laws of a user's own are kept in folders inside of it, each by a hash of the user's files (`own.py`).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba.core.caching import FunctionCache

UNUSED_DAYS = 30


def sources_hash(package: Path = Path(__file__).parent.parent) -> str:
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


Key = Callable[[Iterable[Any]], str | None]


class KeptKernels:
    """What numba asks for kept kernels: ours are in the folder of this version, a user's own in one beside them."""

    def __init__(self, function: Any, folder: Path, key: Key) -> None:
        """`key` says of a signature on which of a user's files it depends."""
        self._function, self._folder, self._key = function, folder, key
        self._by_key: dict[str, Any] = {"": kept_in(folder, function)}

    @property
    def cache_path(self) -> Any:
        """Where ours are."""
        return self._by_key[""].cache_path

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kept kernel of a signature, if there is one."""
        kept = self._for(sig)
        return None if kept is None else kept.load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a kernel."""
        kept = self._for(sig)
        if kept is not None:
            kept.save_overload(sig, data)

    def flush(self) -> None:
        """Forget ours."""
        self._by_key[""].flush()

    def _for(self, sig: Any) -> Any:
        key = self._key(sig)
        if key is not None and key not in self._by_key:
            own = self._folder / "own"
            (own / key).mkdir(parents=True, exist_ok=True)
            forget_unused(own, key)
            self._by_key[key] = kept_in(own / key, self._function)
        return None if key is None else self._by_key[key]


def kept_in(folder: Path, function: Any) -> Any:
    """Numba's own way to keep what it compiles of a function, in this folder; its setting stays as it was."""
    config: Any = numba.config  # fills itself in at run time, so that its names have no types
    numbas: Any = FunctionCache
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder)
    try:
        return numbas(function)
    finally:
        config.CACHE_DIR = before


def kept_on_disk(dispatcher: Any, key: Key) -> Any:
    """Let a numba dispatcher keep what it compiles in our folder."""
    folder = cache_folder()
    if folder is None or not hasattr(dispatcher, "enable_caching"):
        return dispatcher
    with suppress(RuntimeError):  # a function typed at a prompt has no file to be known by: it is compiled each time
        dispatcher._cache = KeptKernels(dispatcher.py_func, folder, key)
    return dispatcher
