"""Who does the work does not matter: one process, several, or a Dask cluster, of which a worker may be killed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from multiprocessing import forkserver
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import rogue_bandits as rb
from rogue_bandits.cli import main
from rogue_bandits.estimate.fit import Data, FitTask, fit_cohort, steps_of
from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.ladder.result import ladder_to_plain
from rogue_bandits.partitions import create, run
from rogue_bandits.schedule import results
from tests.estimate.made_up import table as made_up
from tests.estimate.made_up import written
from tests.partitions.nights import (
    ARMS,
    PEOPLE,
    POLICY,
    always_dies,
    contents,
    die_once,
    run_partition_and_die_once,
)
from tests.pictures import undrawn as undrawn

MODEL = """
import rogue_bandits as rb
arms = [rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6), name=n) for n in ("walk", "sleep")]
truth = rb.Truth(arms, theta=[0.5, 0.7], x0=[0.1, 0.3])
"""


def lived(folder: Path, table: Path, workers: int = 1, scheduler: str | None = None) -> dict[str, bytes]:
    """The files of a population after two runs."""
    create(folder, ARMS, POLICY, PEOPLE, seed=5, partition_size=12, workers=workers, scheduler=scheduler)
    run(folder, name="first", workers=workers, scheduler=scheduler)
    run(folder, table, workers=workers, scheduler=scheduler)
    return contents(folder)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A Dask cluster of two processes on this machine, forked from one that has imported what all workers need."""
    import dask
    from distributed import LocalCluster

    forkserver.set_forkserver_preload(["distributed", "tests.partitions.nights"])
    forkserver.ensure_running()
    with (
        dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
    ):
        yield cluster.scheduler_address


@pytest.mark.verify
@pytest.mark.filterwarnings("ignore")  # of Dask, about a worker that is gone
def test_processes_and_dask_leave_the_same_files(tmp_path: Path, table: Path, address: str) -> None:
    alone = lived(tmp_path / "alone", table)
    assert lived(tmp_path / "processes", table, workers=2) == alone
    assert lived(tmp_path / "dask", table, scheduler=address) == alone


@pytest.mark.filterwarnings("ignore")  # of Dask, about a worker that is gone
def test_a_killed_worker_changes_nothing(tmp_path: Path, address: str) -> None:
    for name, options in {"p": {"workers": 2}, "d": {"scheduler": address}}.items():
        marks = [str(tmp_path / f"{name}{k}") for k in range(3)]
        for mark in marks[1:]:
            Path(mark).touch()
        assert sorted(results(die_once, marks, **options)) == [f"{name}{k}" for k in range(3)]  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore")  # of Dask, about a worker that is gone
def test_a_worker_killed_in_the_middle_of_a_run_changes_nothing(
    tmp_path: Path, table: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its decisions are written, and its people are not."""
    alone = lived(tmp_path / "alone", table)
    monkeypatch.setattr("rogue_bandits.partitions.runs.run_partition", run_partition_and_die_once)
    assert lived(tmp_path / "processes", table, workers=2) == alone
    assert lived(tmp_path / "dask", table, scheduler=address) == alone
    assert {path.name for path in tmp_path.glob("*.killed")} == {"processes.killed", "dask.killed"}


@pytest.mark.filterwarnings("ignore")  # of Dask
def test_a_fit_on_a_cluster_is_that_of_threads(address: str) -> None:
    random = np.random.default_rng(1)
    steps: list[int] = []
    records = {
        who: {arm: Record(np.ones(12), level + 0.1 * random.random(12)) for arm in ("walk", "sleep")}
        for who, level in {"ann": 0.4, "bob": 0.6, "cat": 0.5, "dan": 0.7}.items()
    }
    task = FitTask(("gaussian", "agent"), pool="shared", workers=1)
    here = fit_cohort(Data(records), task)
    there = fit_cohort(Data(records), task._replace(scheduler=address), steps.append)
    assert sum(steps) == steps_of(Data(records), task)
    assert there.scores == here.scores
    assert {arm: ladder_to_plain(one) for arm, one in there.arms.items()} == {
        arm: ladder_to_plain(one) for arm, one in here.arms.items()
    }


@pytest.mark.filterwarnings("ignore")  # of Dask
def test_simulations_on_a_cluster_are_those_of_one_process(address: str) -> None:
    truth, policy = rb.Truth(ARMS, theta=[0.5, 0.7], x0=[0.1, 0.3]), rb.Random()
    here, there = rb.simulate(truth, policy, 20, 70), rb.simulate(truth, policy, 20, 70, scheduler=address)
    assert np.array_equal(here.arm, there.arm)
    assert np.array_equal(here.reward, there.reward)
    with pytest.raises(ValueError, match="simulate, scheduler: leave it out with conditions"):
        rb.simulate(truth, policy, 20, 70, delay=1, scheduler=address)
    curves, twins = (rb.simulate_curves(truth, policy, 20, 70, scheduler=where) for where in (None, address))
    assert np.array_equal(curves.tracking_regret, twins.tracking_regret)
    assert np.array_equal(curves.tracking_regret_quantiles, twins.tracking_regret_quantiles)


def rogue(*words: object) -> str:
    """What a command prints."""
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result.stdout


def timeless(folder: Path) -> dict[str, Any]:
    """What a command has written, but for times and places."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".json":
            found[path.name] = without_times(json.loads(path.read_text()))
        elif path.suffix in (".csv", ".parquet", ".svg"):
            found[path.name] = path.read_bytes()
    return found


def without_times(content: Any) -> Any:
    """JSON without what differs from run to run."""
    if isinstance(content, dict):
        times = ("seconds", "microseconds_per_decision", "date", "command", "checksum")
        return {key: without_times(value) for key, value in content.items() if key not in times}
    return [without_times(value) for value in content] if isinstance(content, list) else content


@pytest.mark.verify
@pytest.mark.filterwarnings("ignore")  # of Dask
def test_rogue_reproduce_on_a_cluster_writes_what_one_machine_does(tmp_path: Path, address: str) -> None:
    small = ("--horizon", 30, "--replicates", 3, "--policy", "random", "--policy", "d-ucb", "--format", "parquet")
    rogue("reproduce", "logistic", *small, "--workers", 1, "--out", tmp_path / "here")
    rogue("reproduce", "logistic", *small, "--scheduler", address, "--out", tmp_path / "there")
    here, there = timeless(tmp_path / "here"), timeless(tmp_path / "there")
    assert {"curves.parquet", "summary.json", "regret.svg"} <= here.keys()
    assert here == there


@pytest.mark.verify
@pytest.mark.filterwarnings("ignore")  # of Dask
def test_rogue_simulate_on_a_cluster_prints_what_one_machine_does(tmp_path: Path, address: str) -> None:
    (tmp_path / "my_truth.py").write_text(MODEL)
    words = ("simulate", "--model", f"{tmp_path / 'my_truth.py'}:truth", "--policy", "random", "--policy", "d-ucb")
    size = ("--horizon", 30, "--people", 70)
    here = rogue(*words, *size, "--out", tmp_path / "here.csv").replace("here", "there")
    assert here == rogue(*words, *size, "--scheduler", address, "--out", tmp_path / "there.csv")
    assert (tmp_path / "here.csv").read_bytes() == (tmp_path / "there.csv").read_bytes()


@pytest.mark.verify
@pytest.mark.usefixtures("undrawn")
@pytest.mark.filterwarnings("ignore")  # of Dask
def test_rogue_fit_on_a_cluster_writes_what_one_machine_does(tmp_path: Path, address: str) -> None:
    data = written(tmp_path / "d.csv", made_up(3))
    quick = ("fit", data, "--pool", "shared", "--family", "gaussian", "--workers", 1)
    rogue(*quick, "--out", tmp_path / "here")
    rogue(*quick, "--out", tmp_path / "there", "--scheduler", address)
    here, there = timeless(tmp_path / "here"), timeless(tmp_path / "there")
    assert {"people.csv", "people.json"} <= here.keys()
    assert here == there


def test_a_task_that_kills_every_worker_is_given_up() -> None:
    with pytest.raises(RuntimeError, match="worker processes ended 4 times"):
        list(results(always_dies, [1, 2], workers=2))


def test_a_scheduler_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="scheduler 'nonsense://x' cannot be reached"):
        list(results(str, [1], scheduler="nonsense://x"))
