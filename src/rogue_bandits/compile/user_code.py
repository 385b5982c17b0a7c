"""Types and laws of a user's own: on which of the user's files does a compiled kernel depend?

A kernel that meets a type from outside of the package has laws from outside compiled into it. What it depends on is the
file of the type, the files of its laws, whatever of the user's these import, and the numbers that laws read from
elsewhere, wherever they came from. A hash of them all keys the folder in which such a kernel is kept, so that a change
to any of them is never masked by a stale one.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import inspect
import sys
import sysconfig
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

STARTED = time.time()
PACKAGE = __name__.partition(".")[0]
INSTALLED = tuple(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib"))


def own_key(signature: Iterable[Any], laws: Iterable[Any]) -> str | None:
    """A hash of the user's files behind a signature: "" if there are none.

    None if some were typed at a prompt, or edited since this process began: who knows which text it has in memory.
    """
    kinds = {kind for part in signature for kind in kinds_in(part)}
    said = {law.dispatch(kind) for law in laws for kind in kinds}  # also what a user's file says of a type of ours
    homes = {thing.__module__ for thing in kinds | said if not is_ours(thing.__module__)}
    if not homes:
        return ""
    sources = own_sources(homes)
    if any(home not in sources for home in homes) or any(edited_since(name) for name in sources):
        return None
    digest = hashlib.sha256()
    for name in sorted(sources):
        digest.update(name.encode() + b"\0" + sources[name] + b"\0")
    own = [thing for thing in said if not is_ours(thing.__module__)]
    digest.update(repr(sorted(held for thing in own for held in numbers_in(thing, set()))).encode())
    return digest.hexdigest()[:16]


def numbers_in(function: Any, seen: set[Any]) -> Iterator[tuple[str, str]]:
    """The name of a function, and the numbers that it reads from outside of itself: they are compiled into it."""
    if function in seen or not isinstance(function, FunctionType):
        return
    seen.add(function)
    yield f"{function.__module__}.{function.__qualname__}", str(function.__code__.co_firstlineno)
    inside = inspect.getclosurevars(function)
    for name, value in {**inside.globals, **inside.nonlocals}.items():
        if isinstance(value, bool | int | float | str | tuple):
            yield name, repr(value)
        elif isinstance(value, np.ndarray):
            yield name, hashlib.sha256(value.tobytes()).hexdigest()
        elif not is_ours(getattr(value, "__module__", PACKAGE) or PACKAGE):
            yield from numbers_in(value, seen)


def edited_since(name: str) -> bool:
    """Was the file of a module written after this process began?"""
    file = source_file(sys.modules[name])
    return file is not None and file.stat().st_mtime > STARTED


def is_ours(module: str) -> bool:
    """Is this a module of the package?"""
    return module.partition(".")[0] == PACKAGE


def kinds_in(part: Any) -> Iterator[type]:
    """The classes of all NamedTuples in one of numba's types, however deep."""
    if hasattr(part, "instance_class"):
        yield part.instance_class
    for inner in getattr(part, "types", ()):
        yield from kinds_in(inner)


def own_sources(homes: Iterable[str]) -> dict[str, bytes]:
    """The texts of these modules and of all that they import, by name; what is installed or has no file is left out."""
    tops = {home.partition(".")[0] for home in homes}  # a package of models may itself be installed
    sources: dict[str, bytes] = {}
    waiting = list(homes)
    while waiting:
        name = waiting.pop()
        module = sys.modules.get(name)
        if module is None or name in sources or is_ours(name):
            continue
        file = source_file(module)
        if file is None or (name.partition(".")[0] not in tops and is_installed(file)):
            continue
        sources[name] = file.read_bytes()
        waiting.extend(imports_of(module, sources[name]))
    return sources


def source_file(module: ModuleType) -> Path | None:
    """Where a module was read from."""
    file = getattr(module, "__file__", None)
    return Path(file) if file is not None and file.endswith(".py") and Path(file).exists() else None


def is_installed(file: Path) -> bool:
    """Does it belong to Python, or to a library?"""
    return any(file.is_relative_to(folder) for folder in INSTALLED)


def imports_of(module: ModuleType, text: bytes) -> Iterator[str]:
    """The names of all modules that a text imports; a name that is imported from a module may be one too."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            base = importlib.util.resolve_name(base, module.__package__) if node.level else base
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)
