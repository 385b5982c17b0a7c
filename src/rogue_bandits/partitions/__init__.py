"""Populations on disk: a folder of partitions that is run night by night, by processes or by Dask."""

from __future__ import annotations

from rogue_bandits.partitions.creation import create
from rogue_bandits.partitions.migration import Migrated, migrate
from rogue_bandits.partitions.person import bandit_of, put_back
from rogue_bandits.partitions.runs import Report, abandon, run
from rogue_bandits.partitions.summary import Status, status

__all__ = ["Migrated", "Report", "Status", "abandon", "bandit_of", "create", "migrate", "put_back", "run", "status"]
