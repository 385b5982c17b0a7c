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
        (
            "{folder}/broken.py:walk",
            "model file '{folder}/broken.py' cannot be read: ZeroDivisionError: division by zero",
        ),
    ],
)
def test_a_model_that_cannot_be_had_is_refused_in_one_line(my_file: Path, place: str, says: str) -> None:
    (my_file.parent / "broken.py").write_text("1 / 0\n")
    result = rogue("check", "--model", place.format(folder=my_file.parent))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {says.format(folder=my_file.parent)}")
    assert len(result.stderr.splitlines()) == 1


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
