"""`rogue reproduce`, from the command to the files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rogue_bandits.cli import main
from rogue_bandits.experiments import run as running
from rogue_bandits.experiments.experiment import DEFAULT_POLICIES
from rogue_bandits.policies.random import Random
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.simulation.simulate import simulate
from tests.interpreted import interpreted_decisions as interpreted_decisions
from tests.pictures import undrawn as undrawn

pytestmark = pytest.mark.xdist_group("logistic")  # the kernels of one experiment

SMALL = "--horizon", "50", "--replicates", "3", "--workers", "1"
CHEAP = "--policy", "random", "--policy", "ucb1-tuned"


def rogue(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def reproduce(*words: object) -> Result:
    return rogue("reproduce", "logistic", *words)


def test_a_run_writes_everything_and_says_where(tmp_path: Path) -> None:
    result = reproduce(*SMALL, *CHEAP, "--out", tmp_path / "new" / "folder")
    assert result.exit_code == 0, result.output
    names = {"summary.json", "curves.csv", "sweep.csv", "report.html"}
    names |= {f"{figure}.{kind}" for figure in ("gap", "regret", "reward") for kind in ("png", "svg")}
    for name in names:
        assert str(tmp_path / "new" / "folder" / name) in result.stdout
    assert {path.name for path in (tmp_path / "new" / "folder").iterdir()} == names | {"policies"}
    assert "UCB1-Tuned" in result.stdout
    assert "random: done" in result.stderr


def test_nothing_written_names_a_place_on_this_machine(tmp_path: Path) -> None:
    assert reproduce(*SMALL, *CHEAP, "--out", tmp_path).exit_code == 0
    for path in tmp_path.rglob("*.*"):
        assert str(tmp_path).encode() not in path.read_bytes()
        assert str(Path.home()).encode() + b"/" not in path.read_bytes()


@pytest.mark.usefixtures("interpreted_decisions", "undrawn")
def test_all_rows_of_the_paper(tmp_path: Path) -> None:
    result = reproduce("--horizon", 12, "--replicates", 2, "--workers", 1, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert list(summary["policies"]) == list(DEFAULT_POLICIES)
    assert all(POLICIES[row].label in result.stdout for row in DEFAULT_POLICIES)
    assert (tmp_path / "regret_rogue.png").exists()


@pytest.mark.usefixtures("undrawn")
def test_an_interrupted_run_says_what_is_kept_and_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(truth: Any, policy: Any, *rest: Any, **named: Any) -> Any:
        if not isinstance(policy, Random):
            raise KeyboardInterrupt
        return simulate(truth, policy, *rest, **named)

    with monkeypatch.context() as patch:
        patch.setattr(running, "simulate", interrupted)
        result = reproduce(*SMALL, *CHEAP, "--out", tmp_path)
    assert result.exit_code == 130
    assert f"Stopped. Finished and stored in {tmp_path}: random. The same command continues" in result.stderr
    assert not (tmp_path / "summary.json").exists()
    result = reproduce(*SMALL, *CHEAP, "--out", tmp_path)
    assert result.exit_code == 0
    assert "random: found from an earlier run" in result.stderr
    assert "ucb1-tuned: done" in result.stderr


def test_an_interruption_before_the_first_result_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "simulate", interrupted)
    result = reproduce(*SMALL, *CHEAP, "--out", tmp_path)
    assert result.exit_code == 130
    assert "No policy was finished: the same command starts over." in result.stderr


@pytest.mark.usefixtures("undrawn")
def test_other_settings_are_computed_again_and_it_says_so(tmp_path: Path) -> None:
    assert reproduce(*SMALL, *CHEAP, "--out", tmp_path).exit_code == 0
    result = reproduce(*SMALL, *CHEAP, "--out", tmp_path, "--seed", 9)
    assert "random: computed again, an earlier run had other settings or another version" in result.stderr
    assert json.loads((tmp_path / "summary.json").read_text())["settings"]["seed"] == 9


@pytest.mark.usefixtures("undrawn")
def test_one_replicate_of_one_decision(tmp_path: Path) -> None:
    result = reproduce("--horizon", 1, "--replicates", 1, "--policy", "random", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["policies"]["random"]["average_reward"]["stderr"] is None


def test_help_states_the_defaults() -> None:
    text = " ".join(reproduce("--help").output.split())
    assert "decisions in each replicate [default: 20000]" in text
    assert "[default: results/logistic]" in text
    assert "logistic" in rogue("reproduce", "--help").output
