"""`rogue reproduce health` and `rogue reproduce all`, from the command to the files."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rogue_bandits.cli import main
from rogue_bandits.estimate.files import people_json
from rogue_bandits.estimate.fitted import ArmFit
from rogue_bandits.experiments import health
from rogue_bandits.experiments.health.settings import HealthSettings
from rogue_bandits.types import Truth
from tests.estimate.made_up import arm_fit, cohort_of, people_of, table, written
from tests.matrix import FULL
from tests.pictures import undrawn as undrawn

CHEAP = "--policy", "random", "--policy", "epsilon-rogue"


@pytest.fixture(autouse=True)
def small_sensitivity(monkeypatch: pytest.MonkeyPatch) -> None:
    """One ROGUE policy and two others, which are compiled anyway."""
    sensitivity = importlib.import_module("rogue_bandits.experiments.health.sensitivity")
    monkeypatch.setattr(sensitivity, "ROGUE", ("epsilon-rogue",))
    monkeypatch.setattr(sensitivity, "OTHERS", ("random", "d-ucb"))
    monkeypatch.setattr(sensitivity, "TRIED", ("epsilon-rogue", "random", "d-ucb"))


class TwoKinds(HealthSettings):
    """Two kinds of messages, for which the command has no option."""

    kinds: int = 2


class TwoPeople(TwoKinds):
    """The command for all experiments has no option for the number of people."""

    people: int = 2


@pytest.fixture
def fits_made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fits of trials, of which tests/experiments/test_deployment.py has real ones; `make verify` has them here too."""

    def fits(settings: HealthSettings, truths: list[Truth], pool: str | None, workers: int) -> list[dict[str, ArmFit]]:
        return [{arm.name: arm_fit() for arm in truth.arms} for truth in truths]

    if not FULL:
        monkeypatch.setattr(importlib.import_module("rogue_bandits.experiments.health.deployment"), "fits", fits)


def reproduce(*words: object) -> Result:
    return CliRunner().invoke(main, ["reproduce", *map(str, words)])


@pytest.mark.usefixtures("undrawn", "fits_made_up")
def test_a_run_on_people_tells_what_is_gained_and_on_what_it_depends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "EXPERIMENT", health.EXPERIMENT._replace(settings=TwoKinds))
    words = "health", "--horizon", 20, "--replicates", 1, "--people", 2, *CHEAP, "--out", tmp_path
    result = reproduce(*words)
    assert result.exit_code == 0, result.output
    said = " ".join(result.stdout.split())
    assert "2 people, 1 replicate of 20 decisions" in said
    assert "Steps a day gained by ε-ROGUE over the best policy without a model of wear-out, Random:" in said
    assert "half-lives × 0.5" in said
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["unit"] == "thousands of steps"
    assert (summary["gained"]["policy"], summary["gained"]["next_best"]) == ("epsilon-rogue", "random")
    assert len(summary["sensitivity"]["cells"]) == 9
    assert 1.0 < summary["policies"]["random"]["average_reward"]["mean"] < 14.0
    page = (tmp_path / "report.html").read_text()
    assert "The gain from ROGUE" in page
    assert "Sensitivity of the gain" in page
    assert "The people are not real" in page
    assert "--people 2 --policy random --policy epsilon-rogue" in page
    # What is not stored is left out: it would be computed again.
    monkeypatch.setattr(health, "EXPERIMENT", health.EXPERIMENT._replace(sensitivity=None, deployment=None))
    again = reproduce(*words)
    assert "random: found from an earlier run" in again.stderr


def test_people_who_were_fitted_take_the_place_of_those_drawn(tmp_path: Path) -> None:
    cohort = cohort_of(written(tmp_path / "d.csv", table(3)))
    (tmp_path / "people.json").write_bytes(people_json(people_of(cohort)))
    words = "--horizon", 20, "--replicates", 1, *CHEAP, "--cohort", tmp_path / "people.json", "--out", tmp_path / "out"
    result = reproduce("health", *words)
    assert result.exit_code == 0, result.output
    assert "3 people, 1 replicate of 20 decisions" in " ".join(result.stdout.split())
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert 0.0 < summary["policies"]["random"]["average_reward"]["mean"] < 1.0
    page = (tmp_path / "out" / "report.html").read_text()
    assert "The people are not real" not in page
    assert "<title>Policies on simulated people, fitted to d.csv" in page
    assert "physical activity" not in page
    assert page.index("What is true here is what was fitted") < page.index("In short")
    assert "By the fit walk, sleep wear out." in page
    assert "learned online" not in page.split("The policies, best first")[1]
    assert "Sensitivity of the gain" not in page
    settings = page.split("All settings")[1]
    for unused in ("half_life", "people_as_of", "upsilon", "deployed"):
        assert f">{unused}<" not in settings
    assert ">cohort<" in settings


def test_a_cohort_that_is_not_there_is_refused(tmp_path: Path) -> None:
    result = reproduce("health", "--cohort", "none.json", "--out", tmp_path)
    assert result.exit_code == 2
    assert "cohort 'none.json' cannot be read: No such file or directory" in result.stderr


@pytest.mark.usefixtures("undrawn")
def test_all_experiments_end_in_one_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = health.EXPERIMENT._replace(settings=TwoPeople, sensitivity=None, deployment=None)  # the first test has both
    monkeypatch.setattr(health, "EXPERIMENT", alone)
    result = reproduce("all", "--horizon", 10, "--replicates", 1, *CHEAP, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1] == str(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    for name in ("logistic", "health"):
        assert (tmp_path / name / "report.html").exists()
        assert f'href="{name}/report.html"' in page
    assert "{{" not in page


def test_bad_settings_of_the_last_experiment_are_refused_before_the_first_runs(tmp_path: Path) -> None:
    result = reproduce("all", "--horizon", 0, "--out", tmp_path)
    assert result.exit_code == 2
    assert "horizon 0 must be 1 or more" in result.stderr
    assert list(tmp_path.iterdir()) == []
