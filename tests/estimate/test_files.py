"""people.csv and people.json: what was written is read back, and damage is refused in words."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rogue_bandits.checked_json import checksum
from rogue_bandits.estimate.files import People, people_from_json, people_json
from rogue_bandits.estimate.fitted import Interval
from rogue_bandits.report.cohort import people_bytes
from tests.estimate.made_up import arm_fit, cohort_of, people_of, table, written


@pytest.fixture
def people(tmp_path: Path) -> People:
    rows = [*table(2), "p0,24,walk,"]  # with a reward that was not seen
    return people_of(cohort_of(written(tmp_path / "d.csv", rows)))


def test_json_is_read_back(people: People) -> None:
    again = people_from_json(people_json(people))
    assert again.fitted == people.fitted
    assert again.cohort._replace(people={}) == people.cohort._replace(people={})
    for name, history in people.cohort.people.items():
        for mine, theirs in zip(history, again.cohort.people[name], strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_people_of_version_2_are_read(people: People) -> None:
    """They have sendings only, and neither availability, probabilities nor covariates."""
    content = json.loads(people_json(people))
    for history in content["cohort"]["people"].values():
        sent = [k for k, arm in enumerate(history["arm"]) if arm >= 0]
        for name in ("available", "probability", "covariates"):
            del history[name]
        for name in ("at", "arm", "reward"):
            history[name] = [history[name][k] for k in sent]
    del content["cohort"]["covariates"]
    head = {name: content.pop(name) for name in ("format", "version", "checksum")} | {"version": 2}
    again = people_from_json(json.dumps({**head, "checksum": checksum(content), **content}))
    for name, history in people.cohort.people.items():
        old = again.cohort.people[name]
        for arm in range(len(people.cohort.arms)):
            for mine, theirs in zip(history.record(arm), old.record(arm), strict=True):
                np.testing.assert_array_equal(mine, theirs)
        assert old.available.all()
        assert np.isnan(old.probability).all()
        assert old.covariates.shape == (old.at.size, 0)


def test_numbers_that_are_not_finite_survive(people: People) -> None:
    odd = people_of(people.cohort, fit=arm_fit()._replace(intervals={"decay": Interval(0.1, math.inf)}))
    assert people_from_json(people_json(odd)).fitted == odd.fitted


def test_csv_has_a_row_for_each_person_and_arm(people: People) -> None:
    rows = list(csv.DictReader(io.StringIO(people_bytes(people, "csv").decode("utf-8-sig"))))
    assert [(row["person"], row["arm"]) for row in rows] == [(p, a) for p in ("p0", "p1") for a in ("walk", "sleep")]
    row = rows[0]
    assert (row["rewards"], row["enough_data"], row["rung"]) == ("8", "yes", "recovery")
    assert (row["decay"], row["pull"], row["drift"], row["x0"], row["theta"]) == ("0.5", "-0.4", "0.45", "0.8", "0.1")
    assert (row["reward_fresh"], row["reward_fresh_lo"], row["reward_fresh_hi"]) == ("0.6", "0.5", "0.7")
    assert (row["decisions_to_recover_half"], row["decisions_to_recover_half_hi"]) == ("3", "inf")
    assert (row["reward_next"], row["reward_next_lo"]) == ("0.5", "0.46")


def test_files_of_earlier_versions_open(people: People) -> None:
    """Version 2 had fits with numbers of its own, histories without rests, and no ladder."""
    content = json.loads(people_json(people))
    new = {"format", "version", "checksum", "source", "family", "families", "population", "ladder", "silence"}
    old = {key: value for key, value in content.items() if key not in new}
    for history in old["cohort"]["people"].values():
        for name in ("available", "probability", "covariates"):
            del history[name]
    del old["cohort"]["covariates"]
    for fits in old["fits"].values():
        for fit in fits.values():
            fit.update(loglik=-1.25, gap=None)
    old |= {"pool": "person", "predicts": {}}
    text = json.dumps({"format": content["format"], "version": 2, "checksum": checksum(old), **old})
    again = people_from_json(text)
    assert again.fitted.people == people.fitted.people
    assert again.fitted.arms == {}
    assert list(again.cohort.people) == list(people.cohort.people)


def damaged(people: People, **changes: Any) -> str:
    """The text with other content and a checksum that fits it."""
    content = json.loads(people_json(people))
    content.update(changes)
    head = {name: content.pop(name) for name in ("format", "version", "checksum")}
    return json.dumps({**head, "checksum": checksum(content), **content})


def test_damage_is_refused_in_words(people: People) -> None:
    text = people_json(people).decode()
    plain = json.loads(text)
    shorter = json.loads(text)["cohort"]
    shorter["people"]["p0"]["reward"].pop()
    cases = {
        "this people file is damaged: no JSON at line 1 column ": text[: len(text) // 2],
        "this people file is damaged: its checksum does not match its content": text.replace("0.45", "0.46"),
        "this is not a people file: its format must be 'rogue-bandits/people'": "{}",
        "this people file is damaged: KeyError 'decay'": damaged(people, fits={"p0": {"walk": {}}}),
        "this people file is damaged: TypeError 25 decisions have 25 arms and 24 rewards": damaged(
            people, cohort=shorter
        ),
        "this people file was saved in format version 6, and this release reads up to 5: upgrade": json.dumps(
            {**plain, "version": 6}
        ),
    }
    for says, bad in cases.items():
        with pytest.raises(ValueError, match="people file") as error:
            people_from_json(bad)
        assert str(error.value).startswith(says)
