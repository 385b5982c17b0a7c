"""Arms: nothing that was sent is an arm silently, nor are two spellings of one name two arms."""

from __future__ import annotations

from pathlib import Path

import pytest

from rogue_bandits.estimate.reading.names import ArmOptions
from rogue_bandits.estimate.table import Reading
from tests.estimate.reading.made_up import arms, read


@pytest.mark.parametrize(
    "word",
    ["0", "0.0", "No", "nothing", "rest", "Control", "no message", "No_Suggestion", "off", "N", "nein", "Holdout"],
)
def test_an_arm_that_reads_like_nothing_is_asked_for(tmp_path: Path, word: str) -> None:
    text = arms("walk", word, "sit", word)
    with pytest.raises(ValueError, match="reads as if nothing was sent") as error:
        read(tmp_path, text)
    quoted = f'"{word}"' if " " in word or "_" in word else word
    assert str(error.value) == (
        f"d.csv, row 3, column 'arm': arm '{word}' (2 rows) reads as if nothing was sent. If nothing was sent, it is a "
        f"rest: add --rest-value {quoted}. If it is an arm, add --arm-value {quoted}"
    )
    rest = read(tmp_path, text, Reading(ArmOptions(rests=(word.upper(),))))
    assert (rest.arms, rest.rows.arm.tolist()) == (["walk", "sit"], [0, -1, 1, -1])
    arm = read(tmp_path, text, Reading(ArmOptions(arms=(word,))))
    assert (arm.arms, arm.rows.arm.tolist()) == (["walk", word, "sit"], [0, 1, 2, 1])


def test_spellings_of_nothing_are_asked_for_once(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="arm 'control'") as error:
        read(tmp_path, arms("walk", "control", "CONTROL"), Reading(ArmOptions(merge_names=True)))
    assert str(error.value).count("reads as if nothing was sent") == 1
    assert read(tmp_path, arms("walk", "control", "CONTROL"), Reading(ArmOptions(rests=("control",)))).arms == ["walk"]


def test_zero_and_its_spelling_as_a_number_are_the_same_rest(tmp_path: Path) -> None:
    table = read(tmp_path, arms("1", "0.0", "0"), Reading(ArmOptions(rests=("0",))))
    assert (table.arms, table.rows.arm.tolist()) == (["1"], [0, -1, -1])


@pytest.mark.parametrize("word", ["1", "walk", "night", "nodding", "999m", "restaurant", "-1"])
def test_other_names_are_arms(tmp_path: Path, word: str) -> None:
    assert read(tmp_path, arms(word)).arms == [word]


def test_a_code_for_a_missing_arm_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="row 3, column 'arm': arm '-99' \\(1 row\\) looks like a code for a missing"):
        read(tmp_path, arms("walk", "-99"))


def test_an_arm_that_was_never_available_is_no_arm(tmp_path: Path) -> None:
    text = "person,decision,arm,reward,available\na,0,walk,1,1\na,1,0,1,0\na,2,sit,1,0\na,3,none,1,0\na,4,none,1,1\n"
    table = read(tmp_path, text, Reading(ArmOptions(rests=("0",))))
    assert table.arms == ["walk"]
    assert table.rows.available.tolist() == [True, False, False, False, True]
    assert table.rows.unavailable.tolist() == [False, False, True, False, False]
    assert table.rows.arm.tolist() == [0, -1, -1, -1, -1]
    assert table.notes == ["Nothing was available at 3 of 5 decisions: rests that were not chosen."]


def test_spellings_of_one_name_are_merged_or_refused(tmp_path: Path) -> None:
    text = arms("Walk", "WALK", " walk ", "sit", "walk", "go_out", "Go  out")
    with pytest.raises(ValueError, match="spelling") as error:
        read(tmp_path, text)
    advice = "--merge-names counts them as one arm; if they are several, give them names that differ"
    assert str(error.value).split("\n") == [
        "d.csv has 2 problems:",
        "  row 3, column 'arm': arms 'Walk' (1), 'WALK' (1) and 'walk' (2) differ in their spelling only. " + advice,
        "  row 8, column 'arm': arms 'go_out' (1) and 'Go  out' (1) differ in their spelling only. " + advice,
    ]
    table = read(tmp_path, text, Reading(ArmOptions(merge_names=True)))
    assert (table.arms, table.rows.arm.tolist()) == (["Walk", "sit", "go_out"], [0, 0, 0, 1, 0, 2, 2])
    assert table.notes[0] == "'Walk' (1), 'WALK' (1) and 'walk' (2) are one arm, 'Walk' (--merge-names)."


def test_people_whose_names_differ_in_spelling_stay_apart_with_a_warning(tmp_path: Path) -> None:
    table = read(tmp_path, "person,decision,arm,reward\nr1,0,walk,1\nR1,0,walk,1\nr2,0,walk,1\n")
    assert table.people == ["r1", "R1", "r2"]
    assert table.notes == [
        "Warning: people 'r1' (1) and 'R1' (1) differ in the spelling of their names only and count as 2 people. "
        "If they are one, rename them in the file."
    ]


def test_values_that_are_in_no_row_or_named_twice(tmp_path: Path) -> None:
    table = read(tmp_path, arms("walk"), Reading(ArmOptions(rests=("contrl",), arms=("zero",))))
    assert table.notes == [
        "Warning: --rest-value 'contrl' is in no row of column 'arm'.",
        "Warning: --arm-value 'zero' is in no row of column 'arm'.",
    ]
    with pytest.raises(ValueError, match="'0' cannot be both --rest-value and --arm-value"):
        read(tmp_path, arms("0"), Reading(ArmOptions(rests=("0",), arms=("0.0",))))
