"""Bad input: one line that names the thing, the value and what is allowed; exit code 2; nothing written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from rogue_bandits import cli
from rogue_bandits.experiments import run as running

pytestmark = pytest.mark.xdist_group("logistic")  # the kernels of one experiment


def reproduce(*words: object) -> Result:
    return CliRunner().invoke(cli.main, ["reproduce", "logistic", *(str(word) for word in words)])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--horizon", 0), "horizon 0 must be 1 or more"),
        (("--replicates", -3), "replicates -3 must be 1 or more"),
        (("--seed", -1), "seed -1 must be 0 or more"),
        (("--workers", 0), "workers 0 must be 1 or more, or -1 for all cores"),
        (("--workers", -2), "workers -2 must be 1 or more, or -1 for all cores"),
        (("--upsilon", "nan"), "upsilon nan must be finite"),
        (("--upsilon", 51, "--horizon", 50), "d-ucb, upsilon 51.0 must be above 0 and at most the horizon 50"),
        (("--xi", 0), "xi 0.0 must be above 0"),
        (("--variation", -1), "variation -1.0 must be above 0"),
        (("--policy", "randon"), "policy 'randon' is unknown, did you mean 'random'? There are: plan-ts, "),
    ],
)
def test_a_bad_setting_is_refused_in_one_line(tmp_path: Path, words: tuple[object, ...], says: str) -> None:
    result = reproduce(*words, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {says}")
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_an_output_folder_has_a_name() -> None:
    result = reproduce("--out", "")
    assert result.exit_code == 2
    assert result.stderr == "Error: --out '' must name a folder; . is the current folder\n"


def test_a_number_that_is_none_is_refused_by_its_name() -> None:
    result = reproduce("--horizon", "many")
    assert result.exit_code == 2
    assert "Invalid value for '--horizon': 'many' is not a valid integer." in result.stderr


def test_an_unknown_experiment_is_refused_with_the_nearest_name() -> None:
    result = CliRunner().invoke(cli.main, ["reproduce", "logistik"])
    assert result.exit_code == 2
    assert (
        result.stderr
        == "Error: experiment 'logistik' is unknown, did you mean 'logistic'? There are: logistic, health, all\n"
    )


@pytest.mark.parametrize("below", ["", "deeper", "policies"])
def test_a_file_in_the_way_of_the_output_folder(tmp_path: Path, below: str) -> None:
    (tmp_path / "file").write_text("mine")
    out = tmp_path / "file" / below
    result = reproduce("--out", out)
    assert result.exit_code == 2
    assert result.stderr == (
        f"Error: output folder '{out}' cannot be made: a file is in the way. Name another with --out.\n"
    )
    assert (tmp_path / "file").read_text() == "mine"


def test_an_output_folder_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # By hand, because the superuser may write anywhere.
    def forbidden(dir: Path) -> Any:
        raise PermissionError(13, "Permission denied", str(dir))

    monkeypatch.setattr("tempfile.TemporaryFile", forbidden)
    result = reproduce("--out", tmp_path)
    assert result.exit_code == 2
    assert result.stderr == (
        f"Error: output folder '{tmp_path}' cannot be written: Permission denied ('{tmp_path}'). "
        "Name another with --out.\n"
    )


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (OSError(28, "No space left on device", "x.json"), "'x.json' cannot be written: No space left on device"),
        (MemoryError(), "horizon 50 × replicates 30 needs more memory than there is: lower one of them"),
    ],
)
def test_a_machine_that_is_too_small(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, says: str
) -> None:
    def fails(*_: Any) -> Any:
        raise error

    monkeypatch.setattr(running, "store" if isinstance(error, OSError) else "simulate_all", fails)
    result = reproduce("--horizon", 50, "--policy", "random", "--workers", 1, "--out", tmp_path)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == f"Error: {says}"


@pytest.mark.parametrize(("option", "value"), [("people", 0), ("horizon", -5)])
def test_a_simulation_of_nobody_is_refused_once(tmp_path: Path, option: str, value: int) -> None:
    (tmp_path / "mine.py").write_text(
        "import rogue_bandits as rb\n"
        "arm = rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6))\n"
        "truth = rb.Truth([arm, arm], theta=[0.5, 0.7], x0=[0.1, 0.3])\n"
    )
    words = ["simulate", "--model", f"{tmp_path / 'mine.py'}:truth", f"--{option}", str(value)]
    result = CliRunner().invoke(cli.main, words)
    assert result.exit_code == 2
    assert result.stderr == f"Error: simulate, {option} {value} must be a whole number, 1 or more\n"
    assert result.stdout == ""
