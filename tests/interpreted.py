"""Run kernels as plain Python: for cases of a kind of which one is tested compiled.

Import the fixture where it is used: `from tests.interpreted import interpreted as interpreted`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from rogue_bandits.compile.kernel import Kernel


def call(self: Any, *args: Any) -> Any:
    return self.py_func(*args)


@pytest.fixture
def interpreted() -> Iterator[None]:
    """Every kernel of the package calls its Python function."""
    with pytest.MonkeyPatch.context() as patch, np.errstate(over="ignore"):  # generators of random bits wrap
        patch.setattr(Kernel, "__call__", call)
        patch.setattr(Kernel, "compile", lambda self, signature: self.py_func)
        yield
