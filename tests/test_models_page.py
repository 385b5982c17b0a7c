"""The worked example of docs/models.md runs, is as short as it says, and does what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rogue_bandits import cli
from rogue_bandits.model import FAMILIES

PAGE = (Path(__file__).parents[1] / "docs" / "models.md").read_text()
EXAMPLE = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)[0]
SHOWN = re.findall(r"\$ rogue check --model my_file.py:walk\n(.*?)\$", PAGE, flags=re.DOTALL)[0]


@pytest.fixture
def my_file(tmp_path: Path) -> Path:
    file = tmp_path / "my_file.py"
    file.write_text(EXAMPLE)
    return file


def rogue(*words: object) -> Result:
    return CliRunner().invoke(cli.main, [str(word) for word in words])


def test_the_example_has_fewer_than_thirty_lines_of_code() -> None:
    assert len([line for line in EXAMPLE.splitlines() if line.strip()]) < 30


def test_every_family_is_on_the_page() -> None:
    for name in FAMILIES:
        assert f"`{name}(" in PAGE


def test_the_example_is_sound_and_the_report_is_the_one_shown(my_file: Path) -> None:
    result = rogue("check", "--model", f"{my_file}:walk")
    assert result.exit_code == 0, result.output
    assert result.output == SHOWN


def test_policies_play_against_the_example(my_file: Path) -> None:
    words = ("--policy", "epsilon-rogue", "--policy", "random", "--horizon", 30, "--people", 3)
    result = rogue("simulate", "--model", f"{my_file}:truth", *words)
    assert result.exit_code == 0, result.output
    assert result.stderr.count("Rating rewards cannot be summed up") == 1
    numbers = r"reward [\d.]+ ± [\d.]+, tracking regret [\d.]+ ± [\d.]+, optimal gap [\d.]+ ± [\d.]+"
    assert re.fullmatch(rf"epsilon-rogue: {numbers}\nrandom: {numbers}\n", result.stdout)


def test_a_broken_model_is_told_and_the_command_fails(my_file: Path) -> None:
    my_file.write_text(EXAMPLE.replace("- math.log(total)", "- 0.5 * math.log(total)"))
    result = rogue("check", "--model", f"{my_file}:walk")
    assert result.exit_code == 1
    assert "loglik: at theta 0.02 and x 0.02 it integrates to" in result.output


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("walk", "--model 'walk' must be a Python file and a name in it, such as my_file.py:walk"),
        ("{folder}/nowhere.py:walk", "model file '{folder}/nowhere.py' does not exist"),
        ("{folder}/my_file.py:wolk", "name in '{folder}/my_file.py' 'wolk' is unknown, did you mean 'walk'?"),
        ("{folder}/my_file.py:Rating", "'{folder}/my_file.py:Rating' is type: it must be an Arm or a Truth"),
        ("{folder}/broken.py:walk", "model file '{folder}/broken.py', line 1: ZeroDivisionError: division by zero"),
    ],
)
def test_a_model_that_cannot_be_had_is_refused_in_one_line(my_file: Path, place: str, says: str) -> None:
    (my_file.parent / "broken.py").write_text("1 / 0\n")
    result = rogue("check", "--model", place.format(folder=my_file.parent))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {says.format(folder=my_file.parent)}")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import math\n\nwalk = wolk\n", ", line 3: NameError: name 'wolk' is not defined"),
        ("def half(x):\n    return x / 0\n\nwalk = half(1)\n", ", line 2: ZeroDivisionError: division by zero"),
        ("import math\nwalk = math.log(-1.0)\n", ", line 2: ValueError: math domain error"),
        ("import sys\n\nsys.exit(3)\n", ", line 3: SystemExit: 3"),
        ("walk = 1\nwalk = (\n", ", line 2: SyntaxError: '(' was never closed"),
        ("def f():\n    walk = 1\n  walk = 2\n", ", line 3: IndentationError: unindent does not match"),
        ("walk = 1\nimport torn\n", ", line 2: SyntaxError: invalid syntax (torn.py, line 3)"),
        ("walk = 1\nimport late\n", ", line 2: ZeroDivisionError: division by zero (late.py, line 2)"),
    ],
)
def test_an_error_in_a_model_file_is_told_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "bad.py"
    file.write_text(text)
    (tmp_path / "torn.py").write_text("walk = 1\n\nwalk = = 2\n")
    (tmp_path / "late.py").write_text("walk = 1\nwalk / 0\n")
    result = rogue("check", "--model", f"{file}:walk")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: model file '{file}'{says}")
    assert len(result.stderr.splitlines()) == 1


def test_a_law_that_names_what_is_not_there_is_told(my_file: Path) -> None:
    my_file.write_text(EXAMPLE.replace("math.log(total)", "math.log(totle)"))
    result = rogue("check", "--model", f"{my_file}:walk")
    assert result.exit_code == 1
    assert "raises NameError: name 'totle' is not defined" in result.output


def test_without_a_choice_policies_that_cannot_play_are_named_and_passed_over(my_file: Path) -> None:
    result = rogue("simulate", "--model", f"{my_file}:truth", "--horizon", 5, "--people", 1)
    assert result.exit_code == 0, result.output
    assert "rogue-ucb: not played: " in result.output
    assert "tuned-rogue-ucb-corrected: reward " in result.output


def test_a_truth_whose_arms_are_sound_may_still_be_none(my_file: Path) -> None:
    my_file.write_text(EXAMPLE.replace("theta=[0.3, 0.7]", "theta=[0.3, 9.0]"))
    result = rogue("check", "--model", f"{my_file}:truth")
    assert result.exit_code == 1
    assert "the arms together: " in result.output
    assert "theta 9.0 must be from 0.0 to 1.0" in result.output


def test_simulate_needs_a_truth_and_known_policies(my_file: Path) -> None:
    result = rogue("simulate", "--model", f"{my_file}:walk")
    assert (result.exit_code, "simulate needs a Truth" in result.stderr) == (2, True)
    result = rogue("simulate", "--model", f"{my_file}:truth", "--policy", "randon")
    assert (result.exit_code, "did you mean 'random'?" in result.stderr) == (2, True)
