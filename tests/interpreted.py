"""Run kernels as plain Python: for cases of a kind of which one is tested compiled.

Import the fixture where it is used: `from tests.interpreted import interpreted as interpreted`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher


@pytest.fixture
def interpreted() -> Iterator[None]:
    """Replace every kernel of the package by its Python function, wherever it was imported."""
    with pytest.MonkeyPatch.context() as patch, np.errstate(over="ignore"):  # generators of random bits wrap
        modules = [module for name, module in list(sys.modules.items()) if name.startswith("rogue_bandits.")]
        for module in modules:
            for name, value in list(vars(module).items()):
                if isinstance(value, Dispatcher):
                    patch.setattr(module, name, value.py_func)
        yield
