"""Doctests compile the kernels that other tests compile too, and interpret the others."""

from __future__ import annotations

import pytest

from tests.interpreted import compiled_if_common as compiled_if_common


@pytest.fixture(autouse=True)
def doctests_compile_what_is_common(request: pytest.FixtureRequest) -> None:
    """In `make verify` they compile everything."""
    if isinstance(request.node, pytest.DoctestItem):
        request.getfixturevalue("compiled_if_common")
