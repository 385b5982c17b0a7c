"""Study files: what is right, and all that is wrong, at once and with its place."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from rogue_bandits.study.design import design_of
from rogue_bandits.study.file import StudyFileError, read_study, study_of
from rogue_bandits.study.template import study_template
from tests.study.cases import SLEEP, WALK, plain


def faults_of(**changes: Any) -> list[str]:
    with pytest.raises(StudyFileError, match="fault") as caught:
        design_of(study_of(plain(**changes)))
    return caught.value.faults


def test_the_template_is_a_study_with_the_defaults_that_it_says() -> None:
    text = study_template("walk more")
    file = study_of(tomllib.loads(text))
    shown = re.sub(
        r"^# (\w+ = )",
        r"\1",
        text.replace('# people = "', "#").replace("# prior", "#").replace("# plausible", "#"),
        flags=re.MULTILINE,
    )
    assert shown.count("\n# ") < text.count("\n# ") - 5
    default: dict[str, Any] = {"limits": {}, "policy": {}}  # these are worked out when it starts
    written = study_of(tomllib.loads(shown))
    assert written.settings() | default == file.settings() | default


@pytest.mark.parametrize(("arms", "least"), [(1, 0.4), (2, 0.2), (5, 0.08)])
def test_the_least_probability_is_that_of_a_trial(arms: int, least: float) -> None:
    tables = [{**WALK, "name": f"arm {k}"} for k in range(arms)]
    assert design_of(study_of(plain(arms=tables, policy={"id": "random"}))).least == pytest.approx(least)


def test_faults_of_form_are_reported_all_at_once() -> None:
    wrong = {**WALK, "name": "bad\nname", "colour": "red"}
    faults = faults_of(arms=[wrong], decisions={"per_day": 0}, learning={"when": "sometimes"})
    assert [fault.partition(":")[0] for fault in faults] == [
        "arms[0].name", "arms[0].colour", "decisions.per_day", "learning.when",
    ]  # fmt: skip


def test_faults_of_meaning_are_reported_all_at_once() -> None:
    far = {**SLEEP, "dynamics": {"decay": 2.0, "pull": -1.0, "drift": 0.5}}
    odd = {**WALK, "dynamics": {"decoy": 0.5}}
    faults = faults_of(arms=[odd, far, far], policy={"id": "plan-st"})
    assert faults[0].startswith("arms[0].dynamics: number 'decoy' is unknown, did you mean 'decay'?")
    assert any(fault.startswith("arms[1] 'sleep': ") for fault in faults)
    assert "arms: the name 'sleep' is used twice" in faults
    assert any(fault.startswith("policy.id: policy 'plan-st' is unknown, did you mean 'plan-ts'?") for fault in faults)


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"rewards": {"family": "Bernouli"}}, "rewards.family: "),
        ({"policy": {"id": "random", "settings": {"x": 1}}}, "policy.settings: setting 'x' is unknown: random has no"),
        (
            {"policy": {"id": "plan-ts", "settings": {"dept": 4}}},
            "policy.settings: setting 'dept' is unknown, did you mean 'depth'? There are: depth",
        ),
        ({"limits": {"least": 0.7}}, "limits.least: must be at most 1/2, as there are 2 arms, not 0.7"),
        ({"decisions": {"perday": 2}}, "decisions.perday: setting 'perday' is unknown, did you mean 'per_day'?"),
        ({"decision": {"per_day": 2}}, "decision: setting 'decision' is unknown, did you mean 'decisions'?"),
        ({"arms": [{**WALK, "colour": 1}]}, "arms[0].colour: setting 'colour' is unknown. There are: name, rewards"),
        ({"dynamics": {"source": "people"}}, "dynamics.people: must name"),
        ({"arms": [{**WALK, "paused": True}]}, "arms: all are paused"),
        (
            {"arms": [{**WALK, "dynamics": {"decay": 0.5, "pull": -0.1}}]},
            "arms[0].dynamics: drift is missing: ClippedAffine needs decay, pull, drift",
        ),
        (
            {"rewards": {"family": "BernoulliLogit", "plausible": [1.0, 0.0]}},
            "rewards.plausible: must be two numbers, the smaller one first",
        ),
    ],
)
def test_each_fault_names_its_place(changes: dict[str, Any], place: str) -> None:
    assert any(fault.startswith(place) for fault in faults_of(**changes))


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(StudyFileError, match="cannot be read: No such file"):
        read_study(tmp_path / "study.toml")
    (tmp_path / "study.toml").write_text("[study\n")
    with pytest.raises(StudyFileError, match=r"it is no TOML: .*line 1"):
        read_study(tmp_path / "study.toml")


def test_the_hash_names_settings_whatever_their_order_and_the_database() -> None:
    one = design_of(study_of(plain()))
    other = design_of(study_of(dict(reversed(plain(database={"url": "sqlite:other.db"}).items()))))
    changed = design_of(study_of(plain(limits={"least": 0.1})))
    assert one.hash == other.hash != changed.hash
