"""A population that has decided once, and the rewards of that night."""

from __future__ import annotations

from pathlib import Path

import pytest

from rogue_bandits.partitions import create, run
from tests.partitions.nights import ARMS, PEOPLE, POLICY, rewards_table


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A population that has decided once."""
    create(tmp_path / "population", ARMS, POLICY, PEOPLE, seed=5, partition_size=6)
    run(tmp_path / "population", name="first")
    return tmp_path / "population"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return rewards_table(tmp_path / "r.parquet", list(range(PEOPLE)), [0] * PEOPLE, [1.0] * PEOPLE)
