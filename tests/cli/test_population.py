"""`rogue population`: create, run, status, abandon, and what they say when something is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result

from rogue_bandits.cli import main

MODEL = """
import rogue_bandits as rb
arms = [rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6), name=n) for n in ("walk", "sleep")]
number = 3
"""


def rogue(*words: object) -> Result:
    return CliRunner().invoke(main, ["population", *map(str, words)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "people"
    past = ("--simulate", "--decisions", 2, "--policy", "random", "--workers", 1, "--partition-size", 8)
    result = rogue("create", made, "--people", 20, *past)
    assert result.exit_code == 0, result.output
    assert "20 people in 3 partitions" in result.output
    assert f"rogue population run {made} --rewards {made / 'simulated' / 'rewards'}" in result.output
    return made


def test_a_night_and_the_same_again(folder: Path) -> None:
    night = ("run", folder, "--rewards", folder / "simulated" / "rewards", "--workers", 1)
    tried = rogue(*night, "--dry-run")
    assert "20 people, 20 decisions, 20 rewards learned, 0 refused (dry run: nothing is written)" in tried.output
    done = rogue(*night)
    assert done.exit_code == 0
    assert "20 people, 20 decisions, 20 rewards learned, 0 refused" in done.output
    assert "people/s" in done.output
    assert "This input has been run, as version 1: nothing is to be done." in rogue(*night).output
    named = ("run", folder, "--workers", 1, "--name", "monday")
    assert rogue(*named).exit_code == 0
    assert "Run 'monday' is complete, as version 2: nothing is to be done." in rogue(*named).output
    shown = rogue("status", folder)
    assert shown.exit_code == 0
    assert "walk, sleep, eat, relax, praise" in shown.output


def test_refused_rewards_are_counted_and_their_file_is_named(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("person,decision,reward\n1,2,1\n77,2,1\n78,2,0\n")
    result = rogue("run", folder, "--rewards", tmp_path / "r.csv", "--workers", 1)
    assert "refused, unknown person: 2" in result.output
    assert str(folder / "runs" / "v000001" / "refused.csv") in result.output


def test_refused_rewards_as_parquet(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("person,decision,reward\n1,2,1\n77,2,1\n78,2,0\n")
    result = rogue("run", folder, "--rewards", tmp_path / "r.csv", "--workers", 1, "--format", "parquet")
    path = folder / "runs" / "v000001" / "refused.parquet"
    assert str(path) in result.output
    assert sorted(pq.read_table(path).column("person").to_pylist()) == ["77", "78"]


def test_a_table_without_rows_is_refused_unless_it_is_allowed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("person,decision,reward\n")
    night = ("run", folder, "--rewards", tmp_path / "r.csv", "--workers", 1)
    result = rogue(*night)
    assert result.exit_code == 2
    assert "has no rows: if it is right that nothing came, say --allow-empty" in result.output
    assert "0 rewards learned" in rogue(*night, "--allow-empty").output


def test_arms_are_added_and_dropped(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "new.py").write_text(
        "from rogue_bandits.partitions.simulated import MESSAGES\n"
        "arms = [*MESSAGES[1:], MESSAGES[0]._replace(name='run')]\nnumber = 3\n"
    )
    words = ("migrate", folder, "--model", f"{tmp_path / 'new.py'}:arms", "--workers", 1)
    tried = rogue(*words, "--dry-run")
    assert tried.exit_code == 0, tried.output
    assert "kept: sleep, eat, relax, praise\nadded: run\ndropped: walk\n20 people, version 1" in tried.output
    assert "(dry run: nothing is written)" in tried.output
    assert "dropped: walk" in rogue(*words).output
    assert "sleep, eat, relax, praise, run" in rogue("status", folder).output
    assert "has these arms: nothing is to be done" in rogue(*words).output
    wrong = rogue("migrate", folder, "--model", f"{tmp_path / 'new.py'}:number")
    assert wrong.exit_code == 2
    assert "is int: it must be a list of Arms" in wrong.output


def test_a_damaged_partition_is_an_error(folder: Path) -> None:
    (folder / "people" / "v000000" / "part-00001.parquet").write_bytes(b"nothing")
    assert rogue("status", folder).exit_code == 1
    result = rogue("run", folder, "--workers", 1)
    assert result.exit_code == 1
    assert "partition part-00001" in result.output
    assert "Restore these files" in result.output
    assert result.stdout.startswith("Not complete, so far ")
    assert "Decisions: " not in result.output
    begun = f"Run '{name_of_run(folder)}' has begun: 2 of 3 partitions are done."
    assert begun in rogue("run", folder, "--workers", 1).output
    other = rogue("run", folder, "--name", "other", "--workers", 1)
    assert other.exit_code == 2
    assert "finish it first, by the command that began it, with the same tables" in other.output
    assert f"Run '{name_of_run(folder)}' is given up." in rogue("abandon", folder).output
    assert "There is no run that is not complete." in rogue("abandon", folder).output


def name_of_run(folder: Path) -> str:
    """The name of the run that was begun."""
    return str(json.loads((folder / "runs" / "v000001" / "run.json").read_text())["name"])


def test_arms_of_a_file(tmp_path: Path) -> None:
    model = tmp_path / "my_arms.py"
    model.write_text(MODEL)
    options = ("--people", 5, "--policy", "random", "--workers", 1)
    assert rogue("create", tmp_path / "a", "--model", f"{model}:arms", *options).exit_code == 0
    wrong = rogue("create", tmp_path / "b", "--model", f"{model}:number", *options)
    assert wrong.exit_code == 2
    assert "is int: it must be a list of Arms, or a Truth" in wrong.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("create", "{}/new", "--simulate"), "give either --people or --ids"),
        (("create", "{}/new", "--people", 3), "--model FILE:NAME must name the arms"),
        (("create", "{}", "--people", 3, "--simulate"), "is not empty"),
        (("run", "{}/nowhere"), "is not the folder of a population"),
        (("status", "{}/nowhere"), "is not the folder of a population"),
        (("run", "{}/people", "--rewards", "{}/none.csv"), "does not exist"),
        (("run", "{}/people", "--workers", 1, "--scheduler", "nonsense://x"), "cannot be reached"),
    ],
)
def test_what_is_refused(folder: Path, tmp_path: Path, words: tuple[object, ...], message: str) -> None:
    result = rogue(*(str(word).format(tmp_path) for word in words))
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output
