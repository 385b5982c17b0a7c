"""Both storages, each with an empty database."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rogue_bandits.study.service import Service, opened
from rogue_bandits.study.storage.open import storage_at
from rogue_bandits.study.storage.sql import Storage
from tests.study.cases import Clock, design
from tests.study.postgres import Cluster, binaries

LOUD = "POSTGRESQL IS NOT INSTALLED: the tests of studies run on SQLite only (apt install postgresql)"


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    if binaries() is None:
        if os.environ.get("ROGUE_POSTGRES") == "required":
            pytest.fail(LOUD)
        pytest.skip(LOUD)
    made = Cluster()
    yield made
    made.close()


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:{tmp_path / 'study.db'}"
    made: Cluster = request.getfixturevalue("cluster")
    return made.new_database()


@pytest.fixture
def another(url: str) -> Iterator[Callable[[], Storage]]:
    """Connections to one database, as several servers have."""
    made: list[Storage] = []

    def new() -> Storage:
        made.append(storage_at(url, Path("/")))
        return made[-1]

    yield new
    for one in made:
        one.close()


@pytest.fixture
def storage(another: Callable[[], Storage]) -> Storage:
    return another()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def service(storage: Storage, clock: Clock) -> Iterator[Service]:
    with opened(design(), storage, clock) as made:
        yield made
