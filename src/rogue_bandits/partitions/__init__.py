"""Populations on disk: a folder of partitions that is run night by night, by processes or by Dask."""

from __future__ import annotations

from rogue_bandits.partitions.creation import create
from rogue_bandits.partitions.people import bandit_of, put_back
from rogue_bandits.partitions.runs import Report, run
from rogue_bandits.partitions.summary import Status, status

__all__ = ["Report", "Status", "bandit_of", "create", "put_back", "run", "status"]
