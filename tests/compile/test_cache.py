"""Compiled kernels are kept on disk, and nobody ever runs a stale one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numba
import pytest

import rogue_bandits
from rogue_bandits import cache

PACKAGE = Path(rogue_bandits.__file__).parent
DAY = 86400.0
CONFIG: Any = numba.config  # fills itself in at run time, so that its names have no types

# The mean of a Gaussian arm by way of a small kernel, and how often that kernel came from disk.
PROBE = """
import sys, tempfile
if len(sys.argv) > 1:
    tempfile.tempdir = sys.argv[1]
import numpy as np
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.rewards.gaussian import Gaussian
from rogue_bandits.simulation.trace import Trace, retrace
from rogue_bandits.types import Arm, Truth
arm = Arm(ClippedAffine(0.5, -1.0, 0.5), Gaussian(1.0, 2.0, 1.0))
nothing = np.zeros((1, 1))
trace = Trace(Truth([arm], [0.25], [0.5]), None, 0, nothing.astype(np.int16), nothing, nothing)
print(trace.mean[0, 0], sum(retrace.stats.cache_hits.values()))
"""
LAW = "return 0.5 * eta * eta, eta, 1.0"
EDITED = "return 0.5 * eta * eta, eta + 7.0, 1.0"


class Told(NamedTuple):
    """What the probe printed."""

    mean: float
    hits: int
    warned: str


def probe(source: Path, environment: dict[str, str], *arguments: str) -> Told:
    """Run the probe in a process of its own, on the package in `source`."""
    process = subprocess.run(
        [sys.executable, "-c", PROBE, *arguments],
        env={**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1", **environment},
        cwd=source,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    mean, hits = process.stdout.split()
    return Told(float(mean), int(hits), process.stderr)


def test_an_edit_to_a_law_is_never_masked_by_a_stale_kernel(tmp_path: Path) -> None:
    """The law is in another file than the kernel, which numba alone would go on taking for current."""
    source, kept = tmp_path / "src", {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    shutil.copytree(PACKAGE, source / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    law = source / PACKAGE.name / "model" / "gaussian.py"
    text = law.read_text()
    assert text.count(LAW) == 1
    assert probe(source, kept) == Told(1.25, 0, "")
    assert probe(source, kept) == Told(1.25, 1, "")
    law.write_text(text.replace(LAW, EDITED))
    assert probe(source, kept) == Told(8.25, 0, "")
    law.write_text(text)
    assert probe(source, kept) == Told(1.25, 1, "")


def test_without_a_writable_folder_it_works_and_says_so(tmp_path: Path) -> None:
    below_a_file = tmp_path / "file"
    below_a_file.write_text("")
    places = {name: str(below_a_file / name.lower()) for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "HOME")}
    told = probe(PACKAGE.parent, places, str(below_a_file / "tmp"))
    assert (told.mean, told.hits) == (1.25, 0)
    assert "RuntimeWarning: no folder for compiled kernels can be written" in told.warned
    for tried in ("numba_cache_dir", "tmp"):
        assert str(below_a_file / tried / "rogue-bandits") in told.warned


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
    assert cache.cache_folder.__wrapped__() == tmp_path / "two" / cache.sources_hash()
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


def aged(folder: Path, days: float) -> Path:
    """A version's folder with a kernel in it, last used so many days ago."""
    folder.mkdir()
    (folder / "kernel.nbi").write_text("")
    used = time.time() - days * DAY
    os.utime(folder, (used, used))
    return folder


def test_versions_that_nobody_uses_are_forgotten(tmp_path: Path) -> None:
    old, older, recent, current = (
        aged(tmp_path / name, days) for name, days in (("a", 31.0), ("b", 400.0), ("c", 29.0), ("d", 40.0))
    )
    cache.forget_unused(tmp_path, "d")
    assert [folder.exists() for folder in (old, older, recent, current)] == [False, False, True, True]
    assert (current / "kernel.nbi").exists()
    assert time.time() - current.stat().st_mtime < DAY


def add_one(x: float) -> float:
    return x + 1.0


def kept_in(folder: Path | None, function: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The function compiled, and kept in the folder."""
    monkeypatch.setattr(cache, "cache_folder", lambda: folder)
    return cache.kept_on_disk(numba.njit(function), lambda signature: "")


def test_a_kernel_is_kept_in_our_folder_and_numbas_setting_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CONFIG, "CACHE_DIR", "the user's own")
    assert kept_in(tmp_path, add_one, monkeypatch)(1.0) == 2.0
    assert [kept.suffix for kept in tmp_path.rglob("*.nbi")] == [".nbi"]
    assert CONFIG.CACHE_DIR == "the user's own"
    again = kept_in(tmp_path, add_one, monkeypatch)
    assert again(1.0) == 2.0
    assert sum(again.stats.cache_hits.values()) == 1


def test_a_kernel_without_a_file_is_compiled_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CONFIG, "CACHE_DIR", "the user's own")
    typed: dict[str, Any] = {}
    exec("def add_two(x): return x + 2.0", typed)
    assert kept_in(tmp_path, typed["add_two"], monkeypatch)(1.0) == 3.0
    assert not any(tmp_path.iterdir())
    assert CONFIG.CACHE_DIR == "the user's own"


def test_a_kernel_without_a_folder_is_compiled_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    uncached = kept_in(None, add_one, monkeypatch)
    assert uncached(1.0) == 2.0
    assert uncached.stats.cache_path is None


def test_a_function_that_is_not_compiled_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path)
    assert cache.kept_on_disk(add_one, lambda signature: "") is add_one


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
