"""Whose code is this: the package's, an installed library's, or a user's own?"""

from __future__ import annotations

import sysconfig
from pathlib import Path

PACKAGE = __name__.partition(".")[0]
INSTALLED = tuple(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib"))


def is_ours(module: str) -> bool:
    """Is this a module of the package?"""
    return module.partition(".")[0] == PACKAGE


def is_installed(file: Path) -> bool:
    """Does it belong to Python, or to a library?"""
    return any(file.is_relative_to(folder) for folder in INSTALLED)
