"""Warnings that need the fit: on arms of different people, on silence with few rewards, on people unlike all others."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from rogue_bandits.estimate.advise import advise
from rogue_bandits.estimate.cautions import cautions, cautions_on
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.ladder.compare import CONSTANT
from rogue_bandits.report.cohort.verdict import verdicts
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
        "8 rewards after a rest are few: the level of silence depends on that of the other people."
    ]


def test_a_person_alone_has_no_others(tmp_path: Path) -> None:
    people = people_of(cohort_of(written(tmp_path / "d.csv", table(1))))
    assert cautions(with_silence(people, ["p0"], 8)) == [
        "The level of silence is estimated from 8 rewards: too few to rely on a comparison of sending with sending "
        "nothing."
    ]
    assert not cautions(with_silence(people, ["p0"], 10))


def test_rests_that_are_too_few_to_fit_are_reported(tmp_path: Path) -> None:
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


@pytest.mark.parametrize(("model_mean", "warned"), [(0.037, True), (0.031, False)])
def test_a_model_with_another_mean_than_the_data_brings_a_warning(
    twelve: People, model_mean: float, warned: bool
) -> None:
    """Of 3 % clicks, 6 decisions of each of 500 people, the reported means were larger than the data's by a quarter."""
    ladder = arm_ladder(twelve.cohort.people, CONSTANT)
    ladder = ladder._replace(check=ladder.check._replace(mean=0.029, model_mean=model_mean))
    people = people_of(twelve.cohort, ladder)
    clicks = people._replace(fitted=people.fitted._replace(family="logit"))
    means = "Rewards drawn from the model of walk have a mean of 0.037, and those of the data one of 0.029."
    assert any(words.startswith(means) for words in cautions(clicks)) == warned
    assert not cautions(people)  # of the family agent, whose levels are means


def test_a_reward_of_which_less_may_be_better_brings_a_warning(tmp_path: Path) -> None:
    header = "person,decision,arm,"
    names = {"pain": True, "PHQ9_total": True, "share_stressed": True, "mood": False, "painting": False}
    for name, warns in names.items():
        cohort = cohort_of(written(tmp_path / "d.csv", table(2), header + name), reward=name)
        found = [note for note in cohort.notes if "Larger rewards count as better" in note]
        assert [note.startswith("Warning: ") for note in found] == [True] * warns
        assert len(cautions_on(people_of(cohort), "p0")) == warns
        first = next(verdicts(people_of(cohort)))
        assert first.endswith(f" Larger values of '{name}' count as better here.") == warns


def groups(twelve: People, groups: dict[str, list[str]], levels: dict[str, float]) -> People:
    """Arms with the levels of these people, and no others."""
    arms = {}
    for arm, who in groups.items():
        ladder = arm_ladder(who, CONSTANT)
        persons = {name: ladder.persons[name]._replace(fresh=[0.0, levels[name], 9.0]) for name in who}
        middle = float(np.mean([levels[name] for name in who]))
        arms[arm] = ladder._replace(people=len(who), persons=persons, fresh=[middle - 0.1, middle, middle + 0.1])
    return twelve._replace(fitted=twelve.fitted._replace(arms=arms))


@pytest.mark.parametrize(("apart", "words"), [(1.0, "1, is not larger than that."), (6.0, "6, is larger than that.")])
def test_arms_of_different_people_differ_by_who_these_are(twelve: People, apart: float, words: str) -> None:
    """The standard error of the difference of two means of people: here 2 of 6 people, s = √(6 · 2² / 5) each."""
    names = list(twelve.cohort.people)
    levels = {name: 5.0 + 2.0 * (-1) ** i + apart * (i >= 6) for i, name in enumerate(names)}
    parallel = groups(twelve, {"walk": names[:6], "sleep": names[6:]}, levels)
    adds = 1.96 * math.sqrt(2 * (6 * 2.0**2 / 5) / 6)
    assert cautions(parallel) == [
        "walk and sleep were given to different people (6 and 6; 0 have both), and their numbers are those of these "
        f"people. That adds ± {adds:.3g} to a difference between the two; theirs, {words}"
    ]


@pytest.mark.parametrize(("both", "warned"), [(0, True), (1, True), (2, False), (8, False)])
def test_people_with_both_arms_compare_them(twelve: People, both: int, warned: bool) -> None:
    """Of 8 people of the smaller arm a quarter are 2."""
    names = [f"q{i}" for i in range(20)]
    levels = {name: float(i % 3) for i, name in enumerate(names)}
    found = cautions(groups(twelve, {"walk": names[:8], "sleep": names[8 - both : 18 - both]}, levels))
    assert bool(found) == warned
    assert not found or ("given mostly to" in found[0]) == bool(both)


def test_one_person_of_an_arm_does_not_say_how_people_differ(twelve: People) -> None:
    one = groups(twelve, {"walk": ["p0"], "sleep": ["p1", "p2"]}, {"p0": 1.0, "p1": 2.0, "p2": 3.0})
    assert cautions(one)[0].endswith("What that adds to a difference between the two cannot be said from one person.")


def test_of_many_arms_of_different_people_the_largest_pairs_are_named(twelve: People) -> None:
    sizes = {"a": 2, "b": 3, "c": 4, "d": 5}
    who = {arm: [f"{arm}{i}" for i in range(n)] for arm, n in sizes.items()}
    levels = {name: float("abcd".index(name[0])) * 10 + i % 2 for names in who.values() for i, name in enumerate(names)}
    found = cautions(groups(twelve, who, levels))
    assert len(list(combinations(sizes, 2))) == 6
    assert [words.split(" were")[0] for words in found[:3]] == ["c and d", "b and d", "a and d"]
    assert found[3:] == ["Of 3 more pairs of arms the same holds; the differences of 3 are larger than that."]
