"""A study served over HTTP, with a token for each role."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from rogue_bandits.study.client import StudyClient
from rogue_bandits.study.service import Service, opened
from rogue_bandits.study.storage.sqlite import SqliteStorage
from rogue_bandits.study.tokens import issue
from tests.study.cases import START, Clock, design
from tests.study.served import PATIENCE, Served, served


@pytest.fixture
def service(tmp_path: Path, clock: Clock) -> Iterator[Service]:
    with opened(design(), SqliteStorage(tmp_path / "study.db"), clock) as made:
        yield made


@pytest.fixture
def tokens(service: Service) -> dict[str, str]:
    with service.storage.writing() as tx:
        return {role: issue(tx, role, "test", START.isoformat(), 30) for role in ("app", "staff", "auditor")}


@pytest.fixture
def running(service: Service) -> Iterator[Served]:
    with served(service) as made:
        yield made


@pytest.fixture
def http(running: Served, tokens: dict[str, str]) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=running.address, verify=False, timeout=PATIENCE) as made:
        yield made


@pytest.fixture
def study(running: Served, tokens: dict[str, str]) -> Iterator[StudyClient]:
    with StudyClient(running.address, tokens["staff"], pauses=()) as made:
        yield made
