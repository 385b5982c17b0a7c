"""What is refused: another run before one is complete or while one goes on, and manifests that were changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from filelock import FileLock

from rogue_bandits.checked_json import checksum
from rogue_bandits.partitions import abandon, bandit_of, migrate, put_back, run
from tests.partitions.nights import ARMS, PARTITION, contents, flip


def test_another_input_waits_until_the_run_is_complete(folder: Path, table: Path, tmp_path: Path) -> None:
    flip(folder / PARTITION)
    run(folder, table, name="second")
    with pytest.raises(ValueError, match=r"run 'second' of .* is not complete: finish it first"):
        run(folder, name="third")
    with pytest.raises(ValueError, match=r"run 2 of .* is not complete"):
        put_back(folder, 1, bandit_of(folder, 1))


def test_a_run_that_cannot_go_on_is_given_up(folder: Path, table: Path) -> None:
    whole = contents(folder)
    flip(folder / PARTITION)
    run(folder, table, name="second")
    (folder / PARTITION).write_bytes(whole[str(PARTITION)])
    assert abandon(folder) == "second"
    assert contents(folder) == whole
    assert abandon(folder) == ""
    assert run(folder, name="third").version == 2


def test_a_second_run_at_the_same_time_is_refused(folder: Path, table: Path) -> None:
    before, ann = contents(folder), bandit_of(folder, 1)
    with FileLock(folder / ".lock"):
        for call in (
            lambda: run(folder, table), lambda: migrate(folder, ARMS[:1]), lambda: abandon(folder),
            lambda: put_back(folder, 1, ann),
        ):  # fmt: skip
            with pytest.raises(ValueError, match="is being run by another process"):
                call()
    assert contents(folder) == before


def test_nobody_can_be_put_back_where_there_is_no_population(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not the folder of a population"):
        put_back(tmp_path / "nowhere", 1, bandit_of(folder, 1))
    assert not (tmp_path / "nowhere").exists()


def test_a_manifest_of_a_newer_format_or_damaged_is_refused(folder: Path, table: Path) -> None:
    text = json.loads((folder / "population.json").read_text())
    (folder / "population.json").write_text(json.dumps({**text, "version": 2}))
    with pytest.raises(ValueError, match="format version 2, and this release reads up to 1"):
        run(folder, table)
    (folder / "population.json").write_text(json.dumps({**text, "people": 7}))
    with pytest.raises(ValueError, match="checksum does not match"):
        run(folder, table)


def test_a_changed_set_of_arms_is_refused(folder: Path, table: Path) -> None:
    text = json.loads((folder / "population.json").read_text())
    del text["format"], text["version"], text["checksum"]
    text["arms"] = text["arms"][:1]
    head = {"format": "rogue-bandits/population", "version": 1, "checksum": checksum(text)}
    (folder / "population.json").write_text(json.dumps({**head, **text}))
    report = run(folder, table)
    assert len(report.damaged) == 5
    assert all("other arms or of another policy" in words for words in report.damaged)
    assert report.people == 0
