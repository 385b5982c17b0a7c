"""Reports on fitted people: people.csv, people.json, report.html, and advice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rogue_bandits.checkpoint import write_atomic
from rogue_bandits.estimate.files import People, people_csv, people_json
from rogue_bandits.report.cohort.page import cohort_page


def write_cohort(people: People, folder: Path, command: str, progress: Callable[[int], None]) -> list[Path]:
    """Write the three files and return their paths. `progress` is called with the number of people just drawn."""
    files = {
        "people.csv": people_csv(people),
        "people.json": people_json(people),
        "report.html": cohort_page(people, command, progress),
    }
    return [write_atomic(folder / name, content) for name, content in files.items()]
