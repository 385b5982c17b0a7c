"""What other packages than numba registered with it: kernels depend on it, and its version is in no key."""

from __future__ import annotations

import os
import sys
import sysconfig
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

from numba.core import imputils
from numba.core.typing import templates

VERSIONED = ("numba", "numpy", "llvmlite")  # their versions are in the key, so that names are enough
EXTENSIONS: dict[Any, list[Any]] = {"": []}
INDEXED = [0, 0, 0]  # how much of numba's three registries is in EXTENSIONS


def extensions() -> dict[Any, list[Any]]:
    """Return what other packages than numba registered with it: by function, and under "" for attributes of types."""
    globals_, attributes = templates.builtin_registry.globals, templates.builtin_registry.attributes
    lowered = imputils.builtin_registry.functions
    sizes = [len(globals_), len(attributes), len(lowered)]
    if sizes != INDEXED:
        for function, kind in globals_[INDEXED[0] :]:
            if isinstance(function, FunctionType):
                found = [template for template in getattr(kind, "templates", ()) if not is_of_numba(template)]
                if found:
                    EXTENSIONS.setdefault(function, []).extend(found)
        EXTENSIONS[""] += [template for template in attributes[INDEXED[1] :] if not is_of_numba(template)]
        for implementation, function, _ in lowered[INDEXED[2] :]:
            if isinstance(function, FunctionType) and not is_versioned(implementation.__module__):
                EXTENSIONS.setdefault(function, []).append(implementation)
        INDEXED[:] = sizes
    return EXTENSIONS


def content(cell: Any) -> Any:
    """Return what a cell of a closure holds."""
    try:
        return cell.cell_contents
    except ValueError:
        return "an empty cell"


@cache
def is_versioned(module: str | None) -> bool:
    """Return whether a module belongs to Python, or to a library whose version is in the key."""
    top = (module or "").partition(".")[0]
    if top in VERSIONED or top in sys.builtin_module_names:
        return True
    if top not in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(top), "__file__", None)  # a user's file may have the name of one of Python's
    homes = {os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    return file is None or any(Path(os.path.realpath(file)).is_relative_to(home) for home in homes)


def is_of_numba(template: Any) -> bool:
    """Return whether a typing template is defined by numba itself."""
    function = getattr(template, "_overload_func", None) or getattr(template, "generic", None)
    closed = [content(cell) for cell in getattr(function, "__closure__", None) or ()]
    parts = [part for part in (template, function, *closed) if isinstance(part, type | FunctionType)]
    return all(is_versioned(getattr(part, "__module__", None)) for part in parts)
