"""Warnings that need the fit: on a level of silence that few rewards support, and on people unlike all others."""

from __future__ import annotations

from pathlib import Path

import pytest

from rogue_bandits.estimate.advise import advise
from rogue_bandits.estimate.cautions import cautions, cautions_on
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.ladder.compare import CONSTANT
from tests.estimate.made_up import arm_ladder, cohort_of, people_of, table, written

FEW = "The level of silence is estimated from 3 rewards of 1 of 12 people: too few to rely on a comparison of "


def with_silence(people: People, who: list[str], rewards: int) -> People:
    quiet = arm_ladder(who, CONSTANT)._replace(people=len(who), rewards=rewards)
    return people._replace(fitted=people.fitted._replace(silence=quiet))


@pytest.fixture
def twelve(tmp_path: Path) -> People:
    return people_of(cohort_of(written(tmp_path / "d.csv", table(12))))


def test_silence_from_few_rests_brings_a_warning_where_it_is_used(twelve: People) -> None:
    few = with_silence(twelve, ["p0"], 3)
    assert [words.startswith(FEW) for words in cautions(few)] == [True]
    advice = advise(few, "p0")
    assert advice is not None
    assert sum(words.startswith(FEW) for words in advice.warnings) == 1
    assert not cautions_on(few, "p1")  # nothing is compared with silence
    assert "of 2 of 12 people" in cautions(with_silence(twelve, ["p0", "p1"], 60))[0]  # many of few people
    assert not cautions(with_silence(twelve, list(twelve.cohort.people), 96))


def test_few_rests_of_a_person_lean_on_those_of_others(twelve: People) -> None:
    many = with_silence(twelve, list(twelve.cohort.people), 96)  # 8 of each
    assert cautions_on(many, "p0") == [
        "8 rewards after a rest are few: the level of silence is mostly that of the other people."
    ]


def test_a_person_alone_has_no_others(tmp_path: Path) -> None:
    people = people_of(cohort_of(written(tmp_path / "d.csv", table(1))))
    assert cautions(with_silence(people, ["p0"], 8)) == [
        "The level of silence is estimated from 8 rewards: too few to rely on a comparison of sending with sending "
        "nothing."
    ]
    assert not cautions(with_silence(people, ["p0"], 10))


def test_rests_that_are_too_few_to_fit_are_told(tmp_path: Path) -> None:
    rows = [row for row in table(3) if "none" not in row] + ["p0,2,none,0.5", "p0,5,none,0.5", "p1,2,none,0.5"]
    people = people_of(cohort_of(written(tmp_path / "d.csv", rows)))
    assert cautions(people) == [
        "3 rewards follow a rest, and nobody has 3 or more of them: sending is not compared with silence."
    ]


def test_a_person_whose_rewards_are_all_outside_their_interval_is_named(tmp_path: Path) -> None:
    """The interval of the ladders that were made up is 0.3 to 0.7."""
    rows = [row if not row.startswith("p0") else f"{row.rpartition(',')[0]},12" for row in table(3)]
    people = people_of(cohort_of(written(tmp_path / "d.csv", rows)))
    assert not cautions(people)  # of the family agent, whose means stay within its bounds
    normal = people._replace(fitted=people.fitted._replace(family="gaussian"))
    assert cautions(normal)[0] == (
        "p0 has rewards of walk that are all 12, and the interval of their mean is 0.3 to 0.7: this model does not "
        "describe a person so unlike the others."
    )
    assert len(cautions_on(normal, "p0")) == 2
    assert not cautions_on(normal, "p1")


def test_a_reward_of_which_less_may_be_better_brings_a_warning(tmp_path: Path) -> None:
    header = "person,decision,arm,"
    for name, warns in {"pain": True, "PHQ9_total": True, "mood": False, "painting": False}.items():
        cohort = cohort_of(written(tmp_path / "d.csv", table(2), header + name), reward=name)
        found = [note for note in cohort.notes if "Larger rewards count as better" in note]
        assert [note.startswith("Warning: ") for note in found] == [True] * warns
        assert len(cautions_on(people_of(cohort), "p0")) == warns
