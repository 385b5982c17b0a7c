"""Compiled kernels are kept on disk: each is compiled once, whoever asks, and nobody runs a stale or broken one."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from filelock import FileLock

import rogue_bandits
from rogue_bandits.compile import cache
from rogue_bandits.compile.laws import kernel
from tests.compile.fresh import Fresh
from tests.matrix import FULL

pytestmark = pytest.mark.xdist_group("fresh")  # one process to fork from for all

PACKAGE = Path(rogue_bandits.__file__).parent
DAY = 86400.0
RACING = 3 if FULL else 2  # processes

# The mean of a Gaussian arm by way of a small kernel, and how many kernels were compiled for it.
PROBE = """
import logging, sys, tempfile
if len(sys.argv) > 1:
    tempfile.tempdir = sys.argv[1]
import numpy as np
from rogue_bandits.compile.laws import kernel
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.types import mean
compiled = []
logger = logging.getLogger("rogue_bandits.compile")
logger.setLevel(logging.INFO)
logger.addFilter(lambda record: compiled.append(record.getMessage().startswith("compiling")))
@kernel
def probed(f, x):
    return mean(f, 0.25, x)
print(probed(Gaussian(1.0, 2.0, 1.0), 0.5), sum(compiled))
"""
LAW = "log_partition.register(Gaussian)(lambda f, eta: (0.5 * eta * eta, eta, 1.0))"
EDITED = LAW.replace(", eta, 1.0", ", eta + 7.0, 1.0")


class Printed(NamedTuple):
    """What the probe printed."""

    mean: float
    compiled: int
    warned: str


def start(fresh: Fresh, source: Path, environment: dict[str, str], temporary: str | None = None) -> int:
    """Start the probe in a process of its own, on the package in `source`."""
    arguments = () if temporary is None else (temporary,)
    return fresh.start(PROBE, {"PYTHONPATH": str(source), **environment}, source, arguments)


def printed_by(fresh: Fresh, process: int) -> Printed:
    """What a probe printed."""
    ended = fresh.ended(process)
    mean, compiled = ended.out.split()
    return Printed(float(mean), int(compiled), ended.errors)


def probe(fresh: Fresh, source: Path, environment: dict[str, str], temporary: str | None = None) -> Printed:
    """Run the probe."""
    return printed_by(fresh, start(fresh, source, environment, temporary))


def test_an_edit_to_a_law_is_never_masked_and_a_comment_compiles_nothing(tmp_path: Path, fresh: Fresh) -> None:
    """The law is in another file than the kernel, which numba alone would go on taking for current."""
    source, kept = tmp_path / "src", {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    shutil.copytree(PACKAGE, source / PACKAGE.name)  # with its bytecode, which holds for files that are not edited
    law = source / PACKAGE.name / "model" / "rewards" / "gaussian.py"
    text = law.read_text()
    assert text.count(LAW) == 1
    assert probe(fresh, source, kept) == Printed(1.25, 1, "")
    law.write_text(text.replace(LAW, "# a comment\n" + LAW + "  # and another"))
    assert probe(fresh, source, kept) == Printed(1.25, 0, "")
    law.write_text(text.replace(LAW, EDITED))
    assert probe(fresh, source, kept) == Printed(8.25, 1, "")
    law.write_text(text)
    elsewhere = tmp_path / "another" / "checkout"
    shutil.copytree(source, elsewhere)
    assert probe(fresh, elsewhere, kept) == Printed(1.25, 0, "")


def test_processes_that_race_for_a_kernel_compile_it_once(tmp_path: Path, fresh: Fresh) -> None:
    kept = {"NUMBA_CACHE_DIR": str(tmp_path)}
    results = [printed_by(fresh, process) for process in [start(fresh, PACKAGE.parent, kept) for _ in range(RACING)]]
    assert sorted(one.compiled for one in results) == [0] * (RACING - 1) + [1]
    assert {one.mean for one in results} == {1.25}


def test_without_a_writable_folder_it_works_and_says_so(tmp_path: Path, fresh: Fresh) -> None:
    below_a_file = tmp_path / "file"
    below_a_file.write_text("")
    places = {name: str(below_a_file / name.lower()) for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME")}
    results = probe(fresh, PACKAGE.parent, places, temporary=str(below_a_file / "tmp"))
    assert (results.mean, results.compiled) == (1.25, 1)
    assert "RuntimeWarning: no folder for compiled kernels can be written" in results.warned
    for tried in ("numba_cache_dir", "tmp"):
        assert str(below_a_file / tried / "rogue-bandits") in results.warned


def test_the_warning_names_the_folders_tried_and_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    folders = [tmp_path / "file" / "one", tmp_path / "file" / "two"]
    monkeypatch.setattr(cache, "candidates", lambda: folders)
    with pytest.warns(RuntimeWarning, match="no folder for compiled kernels can be written") as caught:
        assert cache.cache_folder.__wrapped__() is None
    assert f"(tried {folders[0]}, {folders[1]})" in str(caught[0].message)
    assert "Set NUMBA_CACHE_DIR to a folder that can be written" in str(caught[0].message)


def test_the_first_folder_that_can_be_written_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    folders = [tmp_path / "file" / "one", tmp_path / "two", tmp_path / "three"]
    monkeypatch.setattr(cache, "candidates", lambda: folders)
    assert cache.cache_folder.__wrapped__() == tmp_path / "two" / "kernels"
    assert not (tmp_path / "three").exists()


def test_the_folder_asked_for_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    otherwise = cache.candidates()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert cache.candidates() == [tmp_path / "rogue-bandits", *otherwise]
    assert len(otherwise) == 2


def test_a_folder_of_another_owner_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache.writable(tmp_path / "kept")
    somebody_else = tmp_path.stat().st_uid + 1
    monkeypatch.setattr(os, "getuid", lambda: somebody_else, raising=False)
    assert not cache.writable(tmp_path / "kept")


def test_a_folder_is_made_for_its_user_alone(tmp_path: Path) -> None:
    assert cache.writable(tmp_path / "kept")
    assert (tmp_path / "kept").stat().st_mode & 0o077 == 0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where kernels are kept in a test."""
    monkeypatch.setattr("rogue_bandits.compile.kernel.cache_folder", lambda: tmp_path)
    return tmp_path


def add_one(x: float) -> float:
    return x + 1.0


def hits(function: Any, *args: Any) -> int:
    """How many kernels were loaded for a call, by a kernel that is made anew."""
    compiled: Any = kernel(function)
    assert compiled(*args) == function(*args)
    return int(sum(compiled.stats.cache_hits.values()))


def file_in(folder: Path) -> Path:
    (file,) = (kept for kept in folder.iterdir() if kept.suffix != ".lock")
    return file


def test_a_kernel_has_one_file_for_each_signature(folder: Path) -> None:
    assert [hits(add_one, 1.0), hits(add_one, 1.0), hits(add_one, 1), hits(add_one, 1)] == [0, 1, 0, 1]
    assert len([kept for kept in folder.iterdir() if kept.suffix != ".lock"]) == 2


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[:-1], lambda data: data[:40],
                                    lambda data: data[:2000] + bytes([data[2000] ^ 1]) + data[2001:]])  # fmt: skip
def test_a_damaged_file_is_compiled_again(folder: Path, damage: Any) -> None:
    assert hits(add_one, 1.0) == 0
    file = file_in(folder)
    file.write_bytes(damage(file.read_bytes()))
    assert [hits(add_one, 1.0), hits(add_one, 1.0)] == [0, 1]


def test_a_file_that_cannot_be_rebuilt_is_compiled_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Say, it names a module that this process cannot import."""
    assert hits(add_one, 1.0) == 0
    with monkeypatch.context() as patched:
        patched.setattr(cache.KernelUnpickler, "find_class", lambda *_: 1 / 0)
        assert hits(add_one, 1.0) == 0
    assert hits(add_one, 1.0) == 1


def test_interleaved_writers_leave_a_whole_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two that compile without locks: the second begins and ends while the first writes."""
    nested: list[int] = []
    replace = Path.replace

    def interrupted(self: Path, target: Path) -> Path:
        if not nested:
            nested.append(1)
            assert hits(add_one, 1.0) == 0
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", interrupted)
    monkeypatch.setattr(cache.KernelFile, "locked", lambda self: threading.Lock())
    assert hits(add_one, 1.0) == 0
    assert hits(add_one, 1.0) == 1
    assert len(list(folder.iterdir())) == 1


def test_a_kernel_that_cannot_be_written_works(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", full)
    assert [hits(add_one, 1.0), hits(add_one, 1.0)] == [0, 0]


@pytest.mark.parametrize("error", [OSError("read-only"), NotImplementedError("no flock")])
def test_without_locks_it_goes_on(folder: Path, error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Any) -> None:
        raise error

    monkeypatch.setattr(FileLock, "acquire", refuse)
    assert [hits(add_one, 1.0), hits(add_one, 1.0)] == [0, 1]


def fails(x: Any) -> Any:
    return x.nothing_like_that


def test_the_lock_is_released_when_a_compilation_fails(folder: Path) -> None:
    with pytest.raises(Exception, match="nothing_like_that"):
        kernel(fails)(1.0)
    (lock,) = folder.glob("*.lock")
    with FileLock(lock, timeout=0.1):
        pass


def test_threads_compile_a_kernel_once_and_wait_for_no_one_in_a_circle(folder: Path) -> None:
    inner: Any = kernel(add_one)
    outer: Any = kernel(lambda x: inner(x) + 1.0)  # compiles `inner` within its own compilation
    threads = [threading.Thread(target=one, args=(x,)) for x in (1.0, 1) for one in (outer, inner, outer, inner)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60.0)
    assert not any(thread.is_alive() for thread in threads)
    for compiled in (inner, outer):
        assert set(compiled.stats.cache_misses.values()) == {1}


def test_a_kernel_that_cannot_be_followed_is_compiled_in_each_process(folder: Path) -> None:
    lock = threading.Lock()

    def closes_over(x: float) -> float:
        if x < 0.0:
            return lock  # type: ignore[return-value]  # numba refuses it too
        return x

    with pytest.raises(Exception, match=r"[Cc]annot determine|[Uu]ntyped"):
        kernel(closes_over)(1.0)
    assert not any(folder.iterdir())


def test_a_kernel_without_a_folder_is_compiled_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rogue_bandits.compile.kernel.cache_folder", lambda: None)
    assert [hits(add_one, 1.0), hits(add_one, 1.0)] == [0, 0]


def test_what_nobody_uses_is_removed(tmp_path: Path) -> None:
    for name, days in (("a", 31.0), ("b", 400.0), ("c", 29.0)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "kernel").write_text("")
        (tmp_path / f"{name}-file").write_text("")
        for kept in (tmp_path / name, tmp_path / f"{name}-file"):
            os.utime(kept, (time.time() - days * DAY,) * 2)
    cache.remove_unused(tmp_path)
    assert sorted(kept.name for kept in tmp_path.iterdir()) == ["c", "c-file"]


def test_a_file_that_is_loaded_counts_as_used(folder: Path) -> None:
    assert hits(add_one, 1.0) == 0
    os.utime(file_in(folder), (0.0, 0.0))
    assert hits(add_one, 1.0) == 1
    assert time.time() - file_in(folder).stat().st_mtime < DAY


def test_the_hash_is_of_every_name_and_text(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    one, two = tmp_path / "one.py", tmp_path / "deep" / "two.py"
    hashes = []
    for texts in (("a", "bc"), ("ab", "c"), ("a", "bd"), ("", "")):
        one.write_text(texts[0])
        two.write_text(texts[1])
        hashes.append(cache.sources_hash(tmp_path))
    two.rename(tmp_path / "deep" / "three.py")
    hashes.append(cache.sources_hash(tmp_path))
    assert len(set(hashes)) == len(hashes)
    (tmp_path / "deep" / "three.pyc").write_text("compiled")
    assert cache.sources_hash(tmp_path) == hashes[-1]
