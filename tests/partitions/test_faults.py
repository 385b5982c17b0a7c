"""Bad input and faults: whatever happens in the midst of a run, its end is that of one without."""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from rogue_bandits.partitions import bandit_of, create, put_back, run, status
from rogue_bandits.partitions.atomic import write_durable
from rogue_bandits.partitions.columns import parquet_bytes
from rogue_bandits.partitions.night import NightTask, run_partition
from rogue_bandits.partitions.people import commit_people
from tests.matrix import FULL
from tests.partitions.nights import ARMS, PARTITION, PEOPLE, POLICY, contents, decided, flip

KILLS = 200 if FULL else 5


def expected(folder: Path, table: Path, **options: Any) -> dict[str, bytes]:
    """What an uninterrupted run leaves."""
    twin = folder.with_name("twin")
    shutil.copytree(folder, twin)
    run(twin, table, **options)
    return contents(twin)


def other_schema(path: Path) -> None:
    table = pq.read_table(path)
    kept = [name for name in table.column_names if name != "session.number"]
    about = json.loads(path.with_suffix(".json").read_bytes())
    commit_people(path, parquet_bytes(table.select(kept)), {k: about[k] for k in ("people", "refused")})


def newer_format(path: Path) -> None:
    table = pq.read_table(path)
    about = json.loads(table.schema.metadata[b"rogue-bandits"])
    newer = {b"rogue-bandits": json.dumps({**about, "format": 99}).encode()}
    commit_people(path, parquet_bytes(table.replace_schema_metadata(newer)), {"people": table.num_rows, "refused": {}})


def other_arms(path: Path) -> None:
    table = pq.read_table(path)
    about = json.loads(table.schema.metadata[b"rogue-bandits"])
    other = {b"rogue-bandits": json.dumps({**about, "mark": "00"}).encode()}
    commit_people(path, parquet_bytes(table.replace_schema_metadata(other)), {"people": table.num_rows, "refused": {}})


def not_parquet(path: Path) -> None:
    commit_people(path, memoryview(b"nothing"), {"people": 1, "refused": {}})


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (flip, "checksum does not match"),
        (Path.unlink, "No such file"),
        (lambda path: path.with_suffix(".json").unlink(), "part-00002.json' beside it is missing"),
        (other_schema, "no column 'session.number'"),
        (newer_format, "format version 99, and this release reads up to 1"),
        (other_arms, "other arms or of another policy"),
        (not_parquet, "Parquet"),
    ],
)
def test_a_damaged_partition_is_named_and_the_others_go_on(
    folder: Path, table: Path, damage: Callable[[Path], None], why: str
) -> None:
    whole, path = expected(folder, table), folder / PARTITION
    sound = {p: p.read_bytes() for p in (path, path.with_suffix(".json"))}
    damage(path)
    damaged = {p: p.read_bytes() for p in sound if p.exists()}
    report = run(folder, table)
    assert len(report.damaged) == 1
    assert "partition part-00002" in report.damaged[0]
    assert why in report.damaged[0]
    assert (status(folder).manifest.version, status(folder).done) == (1, 4)
    assert {p: p.read_bytes() for p in sound if p.exists()} == damaged  # nothing is overwritten
    assert len(decided(folder, 2)["person"]) == report.people < PEOPLE
    for p, content in sound.items():
        p.write_bytes(content)
    assert run(folder, table).damaged == ()
    assert contents(folder) == whole


def test_partitions_of_another_input_are_not_mixed_in(folder: Path, table: Path) -> None:
    """Neither after the folder of a run was removed by hand, nor after that of another was put in its place."""
    whole, other = expected(folder, table), folder.with_name("other")
    shutil.copytree(folder, other)
    for at in (folder, other):
        flip(at / PARTITION)
    run(folder, name="without rewards")
    run(other, table)
    flip(folder / PARTITION)
    shutil.copytree(folder, folder.with_name("third"))
    shutil.rmtree(folder / "runs" / "v000002")
    assert run(folder, table).learned == PEOPLE
    assert contents(folder) == whole
    shutil.copytree(other / "runs" / "v000002", folder.with_name("third") / "runs" / "v000002", dirs_exist_ok=True)
    assert run(folder.with_name("third"), table).learned == PEOPLE
    assert contents(folder.with_name("third")) == whole


def test_a_crash_while_a_person_is_put_back_loses_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each of the two files that are written."""
    before, bandit = bandit_of(folder, 7).to_bytes(), bandit_of(folder, 7)
    bandit.choose()
    for crash_at in (0, 1):
        written = 0

        def until_crash(path: Path, content: Any, last: int = crash_at) -> None:
            nonlocal written
            if written == last:
                raise KeyboardInterrupt
            written += 1
            write_durable(path, content)

        with monkeypatch.context() as patch:
            patch.setattr("rogue_bandits.partitions.people.write_durable", until_crash)
            with pytest.raises(KeyboardInterrupt):
                put_back(folder, 7, bandit)
        assert bandit_of(folder, 7).to_bytes() == before
        assert status(folder).missing == ()
    put_back(folder, 7, bandit)
    assert bandit_of(folder, 7).to_bytes() == bandit.to_bytes()
    assert [path.name for path in (folder / PARTITION).parent.glob("part-00002*.parquet")] == [
        "part-00002.revision-1.parquet"
    ]


def test_what_a_crash_left_of_a_person_put_back_is_removed(folder: Path, table: Path) -> None:
    flip(folder / Path("people", "v000001", "part-00001.parquet"))
    stray = (folder / PARTITION).with_name("part-00002.revision-1.parquet")
    stray.write_bytes(b"unfinished")
    assert len(run(folder, table).damaged) == 1
    assert not stray.exists()
    assert (folder / PARTITION).exists()


def test_a_creation_that_was_stopped_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings: dict[str, Any] = {"people": PEOPLE, "seed": 5, "partition_size": 6, "decisions": 2}
    create(tmp_path / "whole", ARMS, POLICY, **settings)
    at, written = tmp_path / "stopped", 0

    def until_stopped(path: Path, content: Any) -> None:
        nonlocal written
        written += 1
        if written > 4:
            raise KeyboardInterrupt
        write_durable(path, content)

    with monkeypatch.context() as patch:
        for module in ("people", "creation", "layout"):
            patch.setattr(f"rogue_bandits.partitions.{module}.write_durable", until_stopped)
        with pytest.raises(KeyboardInterrupt):
            create(at, ARMS, POLICY, **settings)
    with pytest.raises(ValueError, match="a part of another population, whose creation was stopped"):
        create(at, ARMS, POLICY, **{**settings, "seed": 6})
    create(at, ARMS, POLICY, **settings)
    assert contents(at) == contents(tmp_path / "whole")


def test_a_worker_that_does_not_see_the_tables_says_so(folder: Path) -> None:
    task = NightTask(str(folder), str(folder / "runs" / "elsewhere"), 2, 0, True, "")
    with pytest.raises(ValueError, match=r"a worker does not see .*elsewhere"):
        run_partition(task)


def test_new_folders_are_flushed_with_their_parents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushed: list[Path] = []
    monkeypatch.setattr("rogue_bandits.partitions.atomic.flush_folder", flushed.append)
    write_durable(tmp_path / "a" / "b" / "file", b"x")
    assert flushed == [tmp_path, tmp_path / "a", tmp_path / "a" / "b"]


def test_a_full_disk_stops_the_run_which_then_continues(
    folder: Path, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, written = expected(folder, table), 0

    def until_full(path: Path, content: Any) -> None:
        nonlocal written
        written += 1
        if written > 7:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        write_durable(path, content)

    with monkeypatch.context() as patch:
        for module in ("night", "people", "versions", "routing"):
            patch.setattr(f"rogue_bandits.partitions.{module}.write_durable", until_full)
        with pytest.raises(OSError, match="No space left"):
            run(folder, table)
    assert status(folder).manifest.version == 1
    run(folder, table)
    assert contents(folder) == whole


def test_a_file_that_does_not_fit_leaves_nothing(tmp_path: Path) -> None:
    """By a limit of the system on the size of files."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        try:
            write_durable(tmp_path / "file", b"x" * 5000)
        except OSError as error:
            os._exit(0 if error.errno == errno.EFBIG and error.filename == str(tmp_path / "file") else 2)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert list(tmp_path.iterdir()) == []


def test_kills_at_random_moments_change_nothing(folder: Path, table: Path, tmp_path: Path) -> None:
    """kill −9, as often as it takes, until a run ends by itself."""
    whole, random = expected(folder, table), np.random.default_rng(3)
    start = contents(folder)
    began = time.perf_counter()
    run(folder.with_name("twin"), table, name="how long it takes")
    longest, killed = time.perf_counter() - began, 0
    while killed < KILLS:
        shutil.rmtree(folder)
        for name, content in start.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        while (code := _killed_after(folder, table, float(random.uniform(0.0, longest)))) == signal.SIGKILL:
            killed += 1
        assert code == 0
        assert contents(folder) == whole


def _killed_after(folder: Path, table: Path, seconds: float) -> int:
    """Run in a process of its own and kill it after so long; return 0 if it had ended, or the signal."""
    child = os.fork()
    if child == 0:
        try:
            run(folder, table)
            os._exit(0)
        finally:
            os._exit(1)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, result = os.waitpid(child, 0)
    return os.WTERMSIG(result) if os.WIFSIGNALED(result) else os.WEXITSTATUS(result)
