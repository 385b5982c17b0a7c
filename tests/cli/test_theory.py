"""`rogue theory`, from the command to the files."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import rogue_bandits as rb
from rogue_bandits.cli import main
from rogue_bandits.policies.registry import ROGUE_POLICIES
from tests.interpreted import decisions_interpreted
from tests.interpreted import interpreted_decisions as interpreted_decisions
from tests.pictures import undrawn as undrawn

pytestmark = pytest.mark.xdist_group("logistic")  # the kernels of one experiment

SMALL = "--horizon", "40", "--replicates", "2", "--workers", "1"


def theory(*words: object) -> Result:
    return CliRunner().invoke(main, ["theory", "logistic", *(str(word) for word in words)])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Result, Path]:
    folder = tmp_path_factory.mktemp("theory")
    with decisions_interpreted():
        return theory(*SMALL, "--out", folder), folder


def test_a_run_writes_everything_and_says_where(run: tuple[Result, Path]) -> None:
    result, folder = run
    assert result.exit_code == 0, result.output
    names = {"theory.json", "theory.csv", "theory.png", "theory.svg"}
    assert {path.name for path in folder.iterdir()} == names | {"policies"}
    for name in names:
        assert str(folder / name) in result.stdout
    assert "rogue-ucb: done" in result.stderr


def test_it_says_plainly_where_a_bound_is_vacuous(run: tuple[Result, Path]) -> None:
    printed = run[0].stdout
    assert "Theorem 3 (regret of ROGUE-UCB, with the δ of this run) is vacuous: " in printed
    assert "larger than the largest possible regret, 0.2311 × 40 = 9." in printed
    assert "Corollary 2 (the same without δ) is vacuous: " in printed
    assert "It is informative from 3.6·10⁹ decisions on." in printed
    assert "is vacuous: 0.5 is not below 0.5, the probability under random choices." in printed


def test_a_terminal_of_80_characters_is_wide_enough(run: tuple[Result, Path]) -> None:
    tables = run[0].stdout.split("Theorem 3 (regret")[0]
    assert "Tuned ROGUE-UCB (corrected)" in tables
    assert "…" not in tables


def test_the_numbers_in_the_file_are_those_of_the_library(run: tuple[Result, Path]) -> None:
    content = json.loads((run[1] / "theory.json").read_text())
    arms = [
        rb.Arm(rb.ClippedAffine(0.6, -1.0, 0.5), rb.BernoulliLogit(0.4, 0.6)),
        rb.Arm(rb.ClippedAffine(0.7, -1.2, 0.5), rb.BernoulliLogit(0.7, 0.3)),
    ]
    assert [arm["c_f"] for arm in content["arms"]] == [rb.theory.constants(arm).c_f for arm in arms]
    last = content["bounds"][-1]
    assert last["decisions"] == 40
    assert last["theorem_3"] == rb.theory.regret_bound(arms, [arm["delta_pairs"] for arm in content["arms"]], 40)
    assert last["corollary_2"] == rb.theory.parameter_free_bound(arms, 40).regret
    delta = min(arm["delta"] for arm in content["arms"])
    assert content["epsilon_rogue"] == rb.theory.epsilon_rogue(arms, delta)._asdict()
    assert list(content["simulated"]) == list(ROGUE_POLICIES)


def test_the_bounds_are_above_what_was_simulated(run: tuple[Result, Path]) -> None:
    with (run[1] / "theory.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["decisions"]) for row in rows][-1] == 40
    for row in rows:
        simulated = float(row["rogue-ucb_mean"])
        assert simulated <= float(row["possible"]) * (1 + 1e-9)
        assert simulated <= float(row["theorem_3"])
        assert simulated <= float(row["corollary_2"])


@pytest.mark.usefixtures("interpreted_decisions", "undrawn")
def test_a_horizon_at_which_nothing_can_be_told_apart(tmp_path: Path) -> None:
    """One decision: an arm without a play has delta 0, and no bound with delta exists."""
    result = theory("--horizon", 1, "--replicates", 1, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    content = json.loads((tmp_path / "theory.json").read_text())
    assert content["bounds"][-1]["theorem_3"] is None
    assert content["epsilon_rogue"] is None
    assert "Theorem 4 (probability that ε-ROGUE plays a given suboptimal arm) does not apply" in result.stdout
    with (tmp_path / "theory.csv").open() as file:
        assert math.isinf(float(next(csv.DictReader(file))["theorem_3"]))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--horizon", 0), "horizon 0 must be 1 or more"),
        (("--replicates", 0), "replicates 0 must be 1 or more"),
        (("--seed", -1), "seed -1 must be 0 or more"),
        (("--workers", 0), "workers 0 must be 1 or more, or -1 for all cores"),
    ],
)
def test_a_bad_setting_is_refused_in_one_line(tmp_path: Path, words: tuple[object, ...], says: str) -> None:
    result = theory(*words, "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert result.stderr == f"Error: {says}\n"
    assert not (tmp_path / "out").exists()


def test_an_unknown_experiment_is_refused_with_the_nearest_name() -> None:
    result = CliRunner().invoke(main, ["theory", "logistik"])
    assert result.exit_code == 2
    assert "did you mean 'logistic'?" in result.stderr


def test_nothing_written_names_a_place_on_this_machine(run: tuple[Result, Path]) -> None:
    for path in run[1].rglob("*.*"):
        assert str(run[1]).encode() not in path.read_bytes()
