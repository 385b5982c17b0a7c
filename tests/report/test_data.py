"""summary.json and curves.csv, as others will read them; the table of the terminal."""

from __future__ import annotations

import csv
import io
import json
from importlib.metadata import version

import pytest
from rich.console import Console

from rogue_bandits.experiments.experiment import DEFAULT_POLICIES
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.report.experiment.data import curves_table, summary_json, sweep_table
from rogue_bandits.report.experiment.tables import policy_lines, terminal_table
from rogue_bandits.report.table_file import table_bytes
from tests.report.made_up import made_up


def test_the_summary_has_these_keys_and_no_others() -> None:
    summary = json.loads(summary_json(made_up()))
    assert list(summary) == ["experiment", "version", "settings", "seconds", "oracles", "policies"]
    assert (summary["experiment"], summary["version"]) == ("logistic", version("rogue-bandits"))
    assert summary["oracles"] == {"myopic": 0.6386, "optimal": 0.6465}
    assert summary["settings"]["horizon"] == 1000
    assert summary["settings"]["arms"][0]["theta"] == 0.5
    assert list(summary["policies"]) == list(DEFAULT_POLICIES)
    for policy in summary["policies"].values():
        assert list(policy) == [
            "tracking_regret", "optimal_gap", "average_reward", "expected_reward", "share_of_best_plan",
            "microseconds_per_decision",
        ]  # fmt: skip
        for measure in ("tracking_regret", "optimal_gap", "average_reward", "expected_reward"):
            assert list(policy[measure]) == ["mean", "stderr"]
        assert isinstance(policy["tracking_regret"]["stderr"], float)


def test_shares_are_of_what_the_best_plan_gains_over_random_choices() -> None:
    policies = json.loads(summary_json(made_up()))["policies"]
    gap = {row: policy["optimal_gap"]["mean"] for row, policy in policies.items()}
    for row, policy in policies.items():
        assert policy["share_of_best_plan"]["mean"] == pytest.approx((gap["random"] - gap[row]) / gap["random"])
    assert json.loads(summary_json(made_up(("d-ucb",))))["policies"]["d-ucb"]["share_of_best_plan"] is None


def test_the_summary_names_what_was_proven_where_the_plan_is_not_exact() -> None:
    results = made_up(("random",))
    results = results._replace(oracles=results.oracles._replace(optimal_upper=0.65))
    oracles = json.loads(summary_json(results))["oracles"]
    assert oracles == {"myopic": 0.6386, "optimal": 0.6465, "optimal_upper": 0.65}


def test_the_summary_of_one_replicate_has_null_for_standard_errors() -> None:
    summary = json.loads(summary_json(made_up(("random",), replicates=1)))
    assert summary["policies"]["random"]["tracking_regret"]["stderr"] is None


def test_the_curves_end_where_the_summary_is() -> None:
    results = made_up()
    table = list(csv.DictReader(io.StringIO(table_bytes(curves_table(results), "csv").decode())))
    assert list(table[0]) == [
        "policy", "decision", "tracking_regret_mean", "tracking_regret_stderr", "optimal_gap_mean",
        "optimal_gap_stderr", "average_reward_mean", "average_reward_stderr", "expected_reward_mean",
        "expected_reward_stderr",
    ]  # fmt: skip
    for row, result in results.policies.items():
        mine = [line for line in table if line["policy"] == row]
        assert 1 < len(mine) <= 500
        assert (mine[0]["decision"], mine[-1]["decision"]) == ("0", "999")  # as the API counts
        assert float(mine[-1]["tracking_regret_mean"]) == result.tracking_regret.last().mean
        assert float(mine[-1]["optimal_gap_mean"]) == result.optimal_gap.last().mean
        assert float(mine[-1]["average_reward_stderr"]) == result.average_reward.last().stderr


def test_the_curves_of_one_replicate_have_empty_standard_errors() -> None:
    table = list(
        csv.DictReader(io.StringIO(table_bytes(curves_table(made_up(("random",), replicates=1)), "csv").decode()))
    )
    assert {line["tracking_regret_stderr"] for line in table} == {""}


@pytest.mark.parametrize("replicates", [1, 4])
def test_the_table_has_the_best_policy_first(replicates: int) -> None:
    results = made_up(("random", "d-ucb", "rogue-ucb")[::-1], replicates=replicates)
    with io.StringIO() as file:
        Console(file=file, width=80).print(terminal_table(results))
        text = file.getvalue()
    assert [line.id for line in policy_lines(results)] == ["rogue-ucb", "d-ucb", "random"]
    assert ("±" in text) == (replicates > 1)
    assert "oracle: best arm now" in text
    assert "oracle: best plan" in text
    assert "optimal gap" in text


def test_every_name_fits_in_a_terminal() -> None:
    with io.StringIO() as file:
        Console(file=file, width=80).print(terminal_table(made_up(tuple(POLICIES), horizon=20_000)))
        assert all(spec.label in file.getvalue() for spec in POLICIES.values())


def test_the_sweep_has_a_line_for_each_number_of_changes() -> None:
    table = list(csv.DictReader(io.StringIO(table_bytes(sweep_table(made_up()), "csv").decode())))
    assert [(line["policy"], line["upsilon"], line["tracking_regret_mean"]) for line in table[:4]] == [
        ("d-ucb", "1.0", "0.0"), ("d-ucb", "30.0", "10.0"), ("d-ucb", "500.0", "20.0"), ("sw-ucb", "1.0", "0.0"),
    ]  # fmt: skip
    assert table_bytes(sweep_table(made_up(("random",))), "csv").count(b"\n") == 1
