"""What is written about a cohort: people.csv, people.json, report.html."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rogue_bandits.checkpoint import write_whole
from rogue_bandits.estimate.files import People, people_csv, people_json
from rogue_bandits.report.cohort_page import cohort_page


def write_cohort(people: People, folder: Path, command: str, progress: Callable[[int], None]) -> list[Path]:
    """Write the three files; their paths. `progress` is called with the number of people just drawn."""
    files = {
        "people.csv": people_csv(people),
        "people.json": people_json(people),
        "report.html": cohort_page(people, command, progress),
    }
    return [write_whole(folder / name, content) for name, content in files.items()]
