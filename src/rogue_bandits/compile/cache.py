"""The disk cache of compiled kernels: one file for each kernel, signature and key.

The key covers all that is compiled in (`reach.py`), so that a file never becomes stale. Files are written atomically,
and there is no index. A file lock lets one process compile while the others wait for its file.
"""

from __future__ import annotations

import hashlib
import io
import logging
import os
import pickle
import shutil
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import platformdirs
from filelock import FileLock, Timeout
from numba.core.compiler import CompileResult
from numba.core.serialize import NumbaPickler as UntypedPickler

from rogue_bandits.compile.reach import Reached, classes_in, is_importable

UNUSED_DAYS = 30
PATIENCE = 600.0  # seconds to wait for another process that compiles the same kernel
NumbaPickler: Any = UntypedPickler
LOGGER = logging.getLogger("rogue_bandits.compile")


def sources_hash(package: Path = Path(__file__).parent.parent) -> str:
    """Return a hash of the names and texts of all sources of the package."""
    digest = hashlib.sha256()
    for source in sorted(package.rglob("*.py")):
        digest.update(str(source.relative_to(package)).encode() + b"\0" + source.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def candidates() -> list[Path]:
    """Return the folders to try in order: NUMBA_CACHE_DIR, the user's cache, a private folder for temporary files."""
    asked = os.environ.get("NUMBA_CACHE_DIR")
    user = getattr(os, "getuid", lambda: 0)()
    folders = [Path(asked) / "rogue-bandits"] if asked else []
    return [*folders, platformdirs.user_cache_path("rogue-bandits"),
            Path(tempfile.gettempdir()) / f"rogue-bandits-{user}"]  # fmt: skip


def writable(folder: Path) -> bool:
    """Return whether this process can write to `folder`, and its user owns it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            owner = folder.stat().st_uid
    except OSError:
        return False
    # Cached kernels are loaded as code: a folder of another user is not trusted.
    return not hasattr(os, "getuid") or owner == os.getuid()


@cache
def cache_folder() -> Path | None:
    """Return the folder of cached kernels; None, with a warning, if no folder can be written."""
    for folder in candidates():
        if writable(folder) and writable(folder / "kernels"):
            os.utime(folder / "kernels")
            remove_unused(folder)
            remove_unused(folder / "kernels")
            return folder / "kernels"
    tried = ", ".join(str(folder) for folder in candidates())
    warnings.warn(
        f"no folder for compiled kernels can be written (tried {tried}): they are compiled again in each process. "
        "Set NUMBA_CACHE_DIR to a folder that can be written.",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


def remove_unused(folder: Path) -> None:
    """Remove the files and folders inside that have not been used for `UNUSED_DAYS` days."""
    for path in folder.iterdir():
        with suppress(OSError):  # another process may remove it first
            if time.time() - path.stat().st_mtime > UNUSED_DAYS * 86400:
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink()


class KernelFile:
    """The file of one compiled kernel; `reached` is what the kernel depends on."""

    def __init__(self, folder: Path, name: str, reached: Reached) -> None:
        self.path = folder / f"{''.join(c for c in name if c.isalnum() or c in '._')}-{reached.key}"
        self._classes = reached.classes

    def load(self, target_context: Any) -> Any:
        """Return the compiled kernel; None if there is no file, or a damaged one."""
        try:
            data = self.path.read_bytes()
            digest, payload = data[:32], data[32:]
            if hashlib.sha256(payload).digest() != digest:
                raise pickle.UnpicklingError("the file is damaged")
            reduced = KernelUnpickler(io.BytesIO(payload), self._classes).load()
            rebuild: Any = CompileResult._rebuild
            kernel = rebuild(target_context, *reduced)
        except FileNotFoundError:
            return None
        except Exception as error:  # whatever is wrong with a file, the kernel can be compiled
            LOGGER.info("%s cannot be loaded and is compiled again: %r", self.path.name, error)
            return None
        with suppress(OSError):
            os.utime(self.path)
        return kernel

    def save(self, kernel: Any) -> None:
        """Write a compiled kernel, if another process can use it."""
        importable = all(is_importable(kind) for kind in classes_in(kernel.signature.return_type))
        if kernel.library.has_dynamic_globals or kernel.lifted or not importable:
            return
        try:
            stream = io.BytesIO()
            KernelPickler(stream, self._classes).dump(kernel._reduce())
            payload = stream.getvalue()
            with tempfile.NamedTemporaryFile(dir=self.path.parent, prefix=".", delete=False) as file:
                try:
                    file.write(hashlib.sha256(payload).digest() + payload)
                    file.close()
                    Path(file.name).replace(self.path)
                except BaseException:
                    Path(file.name).unlink(missing_ok=True)
                    raise
        except Exception as error:  # such as a full disk: the kernel in memory works
            LOGGER.info("%s cannot be kept: %r", self.path.name, error)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of this kernel while it is compiled; go on without one if the file system has no locks."""
        lock = FileLock(f"{self.path}.lock", timeout=PATIENCE, thread_local=False)
        try:
            lock.acquire()
        except (OSError, NotImplementedError, Timeout) as error:
            LOGGER.info("%s is compiled without a lock: %r", self.path.name, error)
        try:
            yield
        finally:
            lock.release()


class KernelPickler(NumbaPickler):  # type: ignore[misc]  # numba has no types
    """Pickler of kernels that stores NamedTuple classes by their numbers in `Reached.classes`.

    A class from a prompt has no name that another process could import; its number is determined by the key.
    """

    def __init__(self, stream: Any, classes: tuple[type, ...]) -> None:
        super().__init__(stream, protocol=5)
        self._numbers: dict[Any, int] = {kind: i for i, kind in enumerate(classes)}

    def persistent_id(self, obj: Any) -> int | None:
        """Return the number of a class."""
        return self._numbers.get(obj) if isinstance(obj, type) else None


class KernelUnpickler(pickle.Unpickler):
    """Unpickler of what `KernelPickler` wrote."""

    def __init__(self, stream: Any, classes: tuple[type, ...]) -> None:
        super().__init__(stream)
        self._classes = classes

    def persistent_load(self, pid: Any) -> type:
        """Return the class with this number."""
        return self._classes[pid]
