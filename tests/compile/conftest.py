"""Processes of their own for tests of what is kept on disk."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.compile.fresh import Fresh, fresh_processes


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fresh]:
    """Starts processes that have not imported the package."""
    with fresh_processes(tmp_path_factory.mktemp("fresh")) as processes:
        yield processes
