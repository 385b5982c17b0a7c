"""Running an experiment: the same result however it was run, and nothing done twice."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rogue_bandits.experiments import run as module
from rogue_bandits.experiments.checkpoints import path_of
from rogue_bandits.experiments.experiment import Experiment
from rogue_bandits.experiments.logistic import EXPERIMENT
from rogue_bandits.experiments.logistic.settings import LogisticSettings
from rogue_bandits.experiments.results import Curve, Results
from rogue_bandits.experiments.run import Event, Stage, StopSimulationError, finished, run, stopping
from rogue_bandits.planning import myopic_plan, optimal_plan
from rogue_bandits.policies.random import Random
from rogue_bandits.policies.ucb1_tuned import UCB1Tuned
from rogue_bandits.simulation.simulate import simulate

SETTINGS = LogisticSettings(horizon=60, replicates=5, policies=("random", "ucb1-tuned"))


def ran(folder: Path, settings: LogisticSettings = SETTINGS, workers: int = 1) -> tuple[Results, list[Event]]:
    news: list[Event] = []
    return run(EXPERIMENT, settings, folder, workers, news.append), news


def stages(news: list[Event], row: str) -> list[Stage]:
    return list(dict.fromkeys(item.stage for item in news if item.policy == row))


def curves(results: Results) -> dict[str, tuple[Curve, Curve, Curve]]:
    return {
        row: (result.tracking_regret, result.optimal_gap, result.average_reward)
        for row, result in results.policies.items()
    }


def test_results_are_those_of_the_simulation(tmp_path: Path) -> None:
    results, _ = ran(tmp_path)
    trace = simulate(EXPERIMENT.truths(SETTINGS)[0], UCB1Tuned(), 60, people=5, seed=1)
    regret = results.policies["ucb1-tuned"].tracking_regret.last()
    assert regret.mean == pytest.approx(trace.tracking_regret()[:, -1].mean())
    assert results.policies["ucb1-tuned"].average_reward.last().mean == pytest.approx(trace.reward.mean())
    expected = results.policies["ucb1-tuned"].expected_reward
    assert expected.last().mean == pytest.approx(trace.mean.mean())
    assert expected.at(20).mean == pytest.approx(trace.mean[:, :21].mean())  # a curve of 60 decisions has them all
    assert results.policies["ucb1-tuned"].expected == pytest.approx([trace.mean.mean()])
    assert results.policies["ucb1-tuned"].optimal_gap.last().mean == pytest.approx(trace.optimal_gap()[:, -1].mean())
    plan = optimal_plan(EXPERIMENT.truths(SETTINGS)[0], 60)
    assert results.oracles == (myopic_plan(EXPERIMENT.truths(SETTINGS)[0], 60).average, plan.average, plan.average)


def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    assert curves(ran(tmp_path / "one", workers=1)[0]) == curves(ran(tmp_path / "two", workers=2)[0])


def test_every_decision_is_reported(tmp_path: Path) -> None:
    _, news = ran(tmp_path)
    assert stages(news, "random") == [Stage.COMPILING, Stage.RUNNING, Stage.DONE]
    assert sum(item.decisions for item in news if item.policy == "random") == 5 * 60


def test_a_second_run_computes_nothing(tmp_path: Path) -> None:
    first, _ = ran(tmp_path)
    second, news = ran(tmp_path)
    assert second.policies == first.policies
    assert [item.stage for item in news] == [Stage.FOUND, Stage.FOUND]
    assert second.seconds >= sum(result.seconds for result in first.policies.values())


def test_an_interrupted_run_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(truth: Any, policy: Any, *rest: Any, **named: Any) -> Any:
        if not isinstance(policy, Random):
            raise KeyboardInterrupt
        return simulate(truth, policy, *rest, **named)

    with monkeypatch.context() as patch:
        patch.setattr(module, "simulate", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ran(tmp_path)
    assert finished(EXPERIMENT, SETTINGS, tmp_path) == ["random"]
    results, news = ran(tmp_path)
    assert stages(news, "random") == [Stage.FOUND]
    assert stages(news, "ucb1-tuned") == [Stage.COMPILING, Stage.RUNNING, Stage.DONE]
    assert curves(results) == curves(ran(tmp_path / "at once")[0])


def test_other_settings_are_computed_again_with_the_reason(tmp_path: Path) -> None:
    ran(tmp_path)
    _, news = ran(tmp_path, SETTINGS.model_copy(update={"seed": 2}))
    assert stages(news, "random") == [Stage.COMPILING, Stage.RUNNING, Stage.DONE]
    assert news[0].why == "an earlier run had other settings or another version"


def test_a_damaged_file_is_computed_again_with_the_reason(tmp_path: Path) -> None:
    first, _ = ran(tmp_path)
    path_of(tmp_path, "random").write_text("{")
    second, news = ran(tmp_path)
    assert news[0].why == "the file of an earlier run is damaged"
    assert stages(news, "ucb1-tuned") == [Stage.FOUND]
    assert curves(second) == curves(first)


def test_bad_settings_of_the_last_policy_are_refused_before_the_first_runs(tmp_path: Path) -> None:
    settings = SETTINGS.model_copy(update={"policies": ("random", "d-ucb"), "upsilon": 61.0})
    with pytest.raises(ValueError, match=r"d-ucb, upsilon 61\.0 must be .* the horizon 60"):
        ran(tmp_path, settings)
    assert list(tmp_path.iterdir()) == []


def test_people_are_averaged_in_each_replicate_and_live_apart(tmp_path: Path) -> None:
    two = Experiment("two", "", "", LogisticSettings, lambda s: list(EXPERIMENT.truths(s)) * 2)
    settings = SETTINGS.model_copy(update={"policies": ("random",)})
    together = run(two, settings, tmp_path, 1, lambda _: None).policies["random"].average_reward
    alone = ran(tmp_path / "alone", settings)[0].policies["random"].average_reward
    # Were the second person given the first one's random streams, the two would earn the same.
    assert together.mean != alone.mean
    assert together.stderr is not None
    assert np.isfinite(together.stderr).all()


def test_an_interruption_ends_the_threads_that_simulate() -> None:
    progressed: list[int] = []
    with suppress(KeyboardInterrupt), stopping(progressed.append) as progress:
        progress(1)
        raise KeyboardInterrupt
    with pytest.raises(StopSimulationError):
        progress(2)
    assert progressed == [1]
