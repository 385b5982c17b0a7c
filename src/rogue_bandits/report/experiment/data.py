"""The numbers of an experiment: summary.json, and the tables of curves and of the sweep."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

from rogue_bandits.experiments.experiment import Unit
from rogue_bandits.experiments.results import Deployed, Results
from rogue_bandits.report.table_file import Rows

MEASURES = "tracking_regret", "optimal_gap", "average_reward", "expected_reward"


def summary(results: Results) -> dict[str, Any]:
    """Return the content of summary.json as a dict; a standard error that does not exist is None."""
    return {
        "experiment": results.experiment.name,
        "version": version("rogue-bandits"),
        "settings": results.settings.model_dump(mode="json"),
        "seconds": round(results.seconds, 3),
        "oracles": results.oracles.as_dict(),
        "policies": {
            row: {
                **{measure: getattr(result, measure).last()._asdict() for measure in MEASURES},
                "share_of_best_plan": share._asdict() if (share := results.share(row)) is not None else None,
                "microseconds_per_decision": round(result.microseconds_per_decision, 4),
            }
            for row, result in results.policies.items()
        },
        **people_summary(results),
    }


def people_summary(results: Results) -> dict[str, Any]:
    """Return what an experiment on several people adds: the unit of all numbers, the gains and their sensitivity."""
    unit = results.unit
    added: dict[str, Any] = {}
    if unit != Unit():
        added["unit"] = f"{unit.many}s of {unit.reward}" if unit.many else unit.reward
    if results.gained is not None:
        over = {row: gain._asdict() for row, gain in results.gained.over.items()}
        added["gained"] = {"policy": results.gained.row, "next_best": next(iter(over)), "over": over}
    if results.sensitivity is not None:
        cells = [{**cell._asdict(), "gain": cell.gain._asdict()} for cell in results.sensitivity.cells]
        added["sensitivity"] = {**results.sensitivity._asdict(), "cells": cells}
    if results.deployed is not None:
        added |= deployed_summary(results.deployed)
    return added


def deployed_summary(deployed: Deployed) -> dict[str, Any]:
    """Return the policies of each column, the ceiling, and the size of the deployment."""
    columns = {
        column: {
            row: {**policy.reward._asdict(), "over_d_ucb": policy.over_d_ucb and policy.over_d_ucb._asdict()}
            for row, policy in rows.items()
        }
        for column, rows in deployed.columns.items()
    }
    ceiling = {row: gain._asdict() for row, gain in deployed.ceiling.items()}
    size = {"people": deployed.people, "replicates": deployed.replicates, "trial_days": deployed.trial_days}
    return {"deployed": columns, "deployment": {**size, "myopic_oracle_over": ceiling}}


def summary_json(results: Results) -> bytes:
    """Return the content of summary.json."""
    return (json.dumps(summary(results), indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def curves_table(results: Results) -> Rows:
    """Return the table curves: each measure up to and including a decision, counted from 0."""
    rows: list[Any] = [["policy", "decision", *(f"{m}_{part}" for m in MEASURES for part in ("mean", "stderr"))]]
    for name, result in results.policies.items():
        columns: list[Any] = [result.decisions]
        for curve in (getattr(result, measure) for measure in MEASURES):
            columns += [curve.mean, curve.stderr or [None] * len(result.decisions)]
        rows += ([name, *values] for values in zip(*columns, strict=True))
    return rows


def sweep_table(results: Results) -> Rows:
    """Return the table sweep: tracking regret at the horizon for each number of changes Υ."""
    rows: list[Any] = [["policy", "upsilon", "tracking_regret_mean", "tracking_regret_stderr"]]
    for name, estimates in results.sweep.tracking_regret.items():
        rows += ([name, upsilon, *estimate] for upsilon, estimate in zip(results.sweep.upsilon, estimates, strict=True))
    return rows
