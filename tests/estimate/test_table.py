"""Reading a table: what is mended is noted, what cannot be is refused by its row and its column."""

from __future__ import annotations

import codecs
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from rogue_bandits.estimate.assemble import MANY_TWICE, Scaling, assemble
from rogue_bandits.estimate.history import records_of
from rogue_bandits.estimate.reading.names import ArmOptions
from rogue_bandits.estimate.reading.numbers import NumberOptions
from rogue_bandits.estimate.table import Columns, Reading, read_table
from tests.estimate.made_up import HEADER, cohort_of, table, written

GOOD = ["a,0,walk,0.5", "a,1,none,0.9", "a,2,walk,", "a,3,,", "a,4,walk,0.25", "a,5,walk,1"]


def test_a_table_becomes_records(tmp_path: Path) -> None:
    cohort = cohort_of(written(tmp_path / "d.csv", GOOD))
    record = records_of(cohort)["a"]["walk"]
    assert record.played.tolist() == [1, 0, 1, 0, 1, 1]
    np.testing.assert_array_equal(record.rewards, [0.5, np.nan, np.nan, np.nan, 0.25, 1.0])


def test_other_names_extra_columns_and_a_scale(tmp_path: Path) -> None:
    rows = [f"x,{reward},{t},walk,a" for t, reward in enumerate((100, 50, 200))]
    path = written(tmp_path / "d.csv", rows, "note,steps,day,message,who")
    cohort = cohort_of(path, Scaling(200.0), person="who", decision="day", arm="message", reward="steps")
    assert records_of(cohort)["a"]["walk"].rewards.tolist() == [0.5, 0.25, 1.0]
    assert (cohort.reward, cohort.scale) == ("steps", 200.0)


def test_what_stands_for_a_rest_can_be_said(tmp_path: Path) -> None:
    path = written(tmp_path / "d.csv", ["a,0,Control,0.1", "a,1,none,0.2", "a,2,NA,0.3", "a,3,walk,0.4"])
    assert read_table(path, Columns(), Reading(ArmOptions(rests=("control",)))).rows.arm.tolist() == [-1, -1, -1, 0]
    arms = read_table(path, Columns(), Reading(ArmOptions(arms=("Control", "none"))))
    assert (arms.arms, arms.rows.arm.tolist()) == (["Control", "none", "walk"], [0, 1, -1, 2])


def test_unavailable_decisions_are_rests(tmp_path: Path) -> None:
    rows = [f"a,{t},walk,0.{t},{available}" for t, available in enumerate(["1", "yes", "0", "", "True", "false"])]
    cohort = cohort_of(written(tmp_path / "d.csv", rows, f"{HEADER},available"))
    assert records_of(cohort)["a"]["walk"].played.tolist() == [1, 1, 0, 1, 1, 0]
    assert (
        "Warning: 2 rows name an arm although available is 0. They count as rests: if it was sent, write 1 in the "
        "column of availability."
    ) in cohort.notes


def test_disorder_and_gaps_are_mended_and_noted(tmp_path: Path) -> None:
    cohort = cohort_of(written(tmp_path / "d.csv", ["a,9,walk,0.3", "a,5,walk,0.1", "a,6,walk,0.2"]))
    assert records_of(cohort)["a"]["walk"].played.tolist() == [1, 1, 0, 0, 1]
    assert cohort.people["a"].first == 5
    assert cohort.notes[:2] == [
        "Decisions were out of order in the file; they were sorted.",
        "2 decisions are missing between the first and the last of 1 person. A gap counts as a rest.",
    ]


def test_only_differences_between_decisions_count(tmp_path: Path) -> None:
    """Days before a start are below 0, and a note has the first row of the lowest."""
    rows = [f"{who},{{}},{'walk' if t % 2 else 'none'},0.{t}" for t in range(8) for who in "ab"]
    later, earlier = (
        cohort_of(written(tmp_path / "d.csv", [row.format(k // 2 + first) for k, row in enumerate(rows)]))
        for first in (0, -5)
    )
    for name, history in earlier.people.items():
        assert history.first == -5
        for one, other in zip(history[1:], later.people[name][1:], strict=True):
            np.testing.assert_array_equal(one, other)
    assert [words for words in earlier.notes if words not in later.notes] == [
        "10 decisions have numbers below 0, as days before a start have; the lowest is -5 (row 2, column 'decision'). "
        "Only differences between the decisions of a person count: the first of each person is their beginning."
    ]


@pytest.mark.parametrize(("decisions", "warned"), [
    ([-99, *range(8)], True), ([*range(8), -9], True), ([*range(-9, 9)], False), ([-7, 0, 7, 14], False),
    ([-5, *range(8)], False), ([-99, 0], False),
])  # fmt: skip
def test_a_decision_that_may_be_a_code_brings_a_warning(tmp_path: Path, decisions: list[int], warned: bool) -> None:
    path = written(tmp_path / "d.csv", [f"a,{t},walk,0.5" for t in decisions])
    (note,) = (words for words in read_table(path, Columns()).notes if str(min(decisions)) in words)
    assert note.startswith("Warning: ") == warned
    assert f"(row {decisions.index(min(decisions)) + 2}, column 'decision')" in note


def test_rewards_that_are_not_used_are_noted(tmp_path: Path) -> None:
    notes = cohort_of(written(tmp_path / "d.csv", GOOD)).notes
    assert (
        "2 decisions are rests. Rewards that follow a rest are the level of silence, beside which arms are weighed."
        in (notes)
    )
    assert "1 sending has no reward. The arm counts as sent all the same." in notes
    assert "There is one arm only, 'walk': the choice is between sending it and sending nothing." in notes
    alone = cohort_of(written(tmp_path / "d.csv", [f"a,{t},walk,0.{t}" for t in range(5)])).notes
    assert "There is one arm only, 'walk': it is fitted, but there is nothing to choose from." in alone


def test_rewards_outside_are_clipped_when_asked_and_counted(tmp_path: Path) -> None:
    path = written(tmp_path / "d.csv", ["a,0,walk,5", "a,1,walk,15", "a,2,walk,-1", "a,3,none,30"])
    cohort = cohort_of(path, Scaling(10.0, clip=True))
    assert cohort.people["a"].reward.tolist() == [0.5, 1.0, 0.0, 1.0]
    assert "2 rewards were outside [0, 1] after dividing by 10 and clipped (66.7% of those used)." in cohort.notes


def test_an_arm_with_few_rewards_is_left_out(tmp_path: Path) -> None:
    cohort = cohort_of(written(tmp_path / "d.csv", [*table(1), "p0,24,talk,0.5", "p0,25,talk,0.5"]))
    assert list(records_of(cohort)["p0"]) == ["walk", "sleep"]
    assert cohort.notes[-1] == "Left out, with fewer than 3 rewards: 1 of 3 arms of people: person p0 (talk, 2)."


def test_a_history_has_everything_that_the_table_has(tmp_path: Path) -> None:
    rows = ["a,7,walk,5,1,0.5,2", "a,4,none,3,1,0.25,4", "a,6,walk,9,0,0,4", "a,5,sit,,1,0.25,2"]
    rows += [f"b,{t},walk,1,1,0.5,2" for t in range(3)]
    path = written(tmp_path / "d.csv", rows, f"{HEADER},available,p,mood")
    table = read_table(path, Columns(probability="p"), Reading(covariates=("mood",)))
    cohort = assemble(table, Scaling(10.0, family="agent"))
    history = cohort.people["a"]
    assert (history.first, history.length, history.decisions().tolist()) == (4, 4, [4, 5, 6, 7])
    assert (history.arm.tolist(), history.rests().tolist()) == ([-1, 1, -1, 0], [True, False, True, False])
    assert history.available.tolist() == [True, True, False, True]
    np.testing.assert_array_equal(history.reward, [0.3, np.nan, 0.9, 0.5])
    np.testing.assert_array_equal(history.probability, [0.25, 0.25, np.nan, 0.5])
    low, high = sorted({*table.rows.covariates[:, 0].tolist()})
    assert history.covariates.tolist() == [[high], [low], [high], [low]]
    assert cohort.covariates == ["mood"]
    assert cohort.baseline().tolist() == [0.3, 0.9]
    assert cohort.rewards().tolist() == [0.5, 0.1, 0.1, 0.1]


def test_a_gap_that_may_decide_the_estimate_is_a_warning(tmp_path: Path) -> None:
    rows = ["a,0,walk,0.3", "a,1,walk,0.2", "a,2,walk,0.1", "a,49964,walk,0.4"]
    notes = cohort_of(written(tmp_path / "d.csv", rows)).notes
    assert [note for note in notes if note.startswith("Warning")] == [
        "Warning: person 'a' has no row for 49,961 decisions in a row, between row 4 and row 5 of the file, and only 4 "
        "rows in all. A gap counts as rests, so an arm is taken to have recovered as far as it can by row 5, and the "
        "rewards from there on may alone decide how far that is. If a number or a date is a typing error, mend it; if "
        "the person was away, give them another name from row 5 on."
    ]
    two = cohort_of(written(tmp_path / "d.csv", [*rows, *(row.replace("a", "b", 1) for row in rows)])).notes
    assert any("rows in all. (1 more person has such a gap.) A gap" in note for note in two)
    short = [f"a,{t},walk,0.{t % 10}" for t in (*range(30), *range(50, 60))]
    assert not any(note.startswith("Warning") for note in cohort_of(written(tmp_path / "d.csv", short)).notes)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    path = written(tmp_path / "d.csv", ["José,0,café,0.5"], encoding=encoding)
    read = read_table(path, Columns())
    assert (read.people, read.arms) == (["José"], ["café"])
    other = ["d.csv is not UTF-8; it was read as Windows-1252. Check names that have accents."]
    assert read.notes == (other if encoding in ("latin-1", "cp1252") else [])


def test_dashes_of_windows_and_bytes_that_it_does_not_have(tmp_path: Path) -> None:
    """Windows has characters where Latin-1 has none; five bytes are Latin-1 only."""
    dash = written(tmp_path / "d.csv", ["ann,0,walk,5"], header="person,decision,arm,stress (0–10)", encoding="cp1252")
    assert read_table(dash, Columns(reward="stress (0–10)")).arms == ["walk"]
    (tmp_path / "e.csv").write_bytes(b"person,decision,arm,reward\nann,0,caf\xe9\x81,5\n")
    assert "read as Latin-1" in read_table(tmp_path / "e.csv", Columns()).notes[0]


def test_rows_that_repeat_others_exactly_are_left_out_with_a_warning(tmp_path: Path) -> None:
    """A decision with two rows that differ is refused; two decisions of a day, known by its date, may look alike."""
    rows = ["a,0,walk,1", "a,1,walk,1", "a,0,walk,1", "b,0,walk,2", "b,0,walk,2"]
    read = read_table(written(tmp_path / "d.csv", rows), Columns())
    assert read.rows.row.tolist() == [2, 3, 5]
    assert read.notes == ["Warning: 2 rows repeat others exactly and were left out (the first: row 4 repeats row 2)."]
    for day in ("2015-07-22", "2015-07-22 00:00:00"):
        dates = written(tmp_path / "d.csv", [f"a,{day},walk,1"] * 2, header="person,time,arm,reward")
        with pytest.raises(ValueError, match="Several decisions a day need the time of day"):
            read_table(dates, Columns(time="time"))
    for time in ("2015-07-22 09:00", "1437555600", "1437555600000", "42207.375"):
        times = written(tmp_path / "d.csv", [f"a,{time},walk,1"] * 2, header="person,time,arm,reward")
        assert read_table(times, Columns(time="time")).rows.row.tolist() == [2]


def test_columns_that_seem_useful_and_are_not_used_are_named(tmp_path: Path) -> None:
    """Unless they are."""
    header = "person,decision,arm,reward,avail,act_prob"
    path = written(tmp_path / "d.csv", ["a,0,walk,1,1,0.5"], header=header)
    notes = read_table(path, Columns()).notes
    assert notes == [
        "Column 'avail' is not used. If it says whether anything could be sent, add --available avail.",
        "Column 'act_prob' is not used. If it has the probability of what was chosen in a row, add --probability "
        "act_prob; if that of sending anything, --send-probability.",
    ]
    assert read_table(path, Columns(available="avail", probability="act_prob")).notes == []
    covariate = read_table(path, Columns(available="avail"), Reading(covariates=("act_prob",)))
    assert not any("is not used" in note for note in covariate.notes)


def test_rows_without_an_arm_beside_a_word_for_a_rest_bring_a_warning(tmp_path: Path) -> None:
    """What was sent may be unknown there."""
    path = written(tmp_path / "d.csv", ["a,0,walk,1", "a,1,none,1", "a,2,NA,1"])
    assert read_table(path, Columns()).notes == [
        "Warning: 1 row has no arm (empty or NA), beside those with 'none': they count as rests too. If it is not "
        "known what was sent, leave these rows out."
    ]
    assert read_table(written(tmp_path / "d.csv", ["a,0,walk,1", "a,1,,1"]), Columns()).notes == []


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_other_separators(tmp_path: Path, separator: str) -> None:
    path = written(tmp_path / "d.csv", [separator.join(GOOD[0].split(","))], separator.join(HEADER.split(",")))
    assert read_table(path, Columns()).rows.reward.tolist() == [0.5]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"format": "rogue-bandits/people", "people": [' + "0, " * 60_000 + "0]}", "d.csv is JSON, not a table: "
         "`rogue fit` reads CSV, xlsx and Parquet, and `rogue advise` the people.json of a fit"),
        ('[\n  {"person": "a"}\n]', "d.csv is JSON, not a table: "),
        ("x" * 200_000, "d.csv, row 1 has a cell of more than 131,072 characters: it must have the names of the "
         "columns, separated by commas, semicolons, tabs or |"),
        (f"{HEADER}\na,0,walk,{'1' * 200_000}", "d.csv, row 2 has a cell of more than 131,072 characters; look for a "
         "quotation mark that is never closed"),
    ],
)  # fmt: skip
def test_json_and_endless_cells_are_refused_in_words(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "d.csv").write_text(text)
    with pytest.raises(ValueError, match="^" + re.escape(says)):
        read_table(tmp_path / "d.csv", Columns())


def test_a_header_longer_than_a_cell_may_be_is_read(tmp_path: Path) -> None:
    more = "".join(f",column {k}" for k in range(15_000))
    assert read_table(written(tmp_path / "d.csv", GOOD, HEADER + more), Columns()).rows.reward[0] == 0.5


def test_empty_rows_of_a_spreadsheet_are_no_rows(tmp_path: Path) -> None:
    path = written(tmp_path / "d.csv", ["a,0,walk,0.5", "", ",,,", "a,1,walk,oops"])
    with pytest.raises(ValueError, match=r"^d\.csv, row 5, column 'reward': reward 'oops' is no number"):
        read_table(path, Columns())
    path = written(tmp_path / "d.csv", ["a,0,walk,0.5", "", ",,,", "a,1,walk,0.1"])
    assert read_table(path, Columns()).rows.row.tolist() == [2, 5]


BAD = {
    "row 3, column 'reward': reward 'much' is no number. If it stands for a missing value, add --missing much; else "
    "write a number in its place": ["a,0,walk,0.5", "a,1,walk,much"],
    "row 2, column 'reward': reward 'inf' must be finite": ["a,0,walk,inf"],
    "row 2, column 'decision': decision 'Monday' must be a whole number, such as 0, 1, 2": ["a,Monday,walk,0.5"],
    "row 2, column 'decision': decision '1.5' must be a whole number, such as 0, 1, 2": ["a,1.5,walk,0.5"],
    "row 2, column 'decision': the number of the decision is missing": ["a,,walk,0.5"],
    "row 2, column 'person': the name of the person is missing": [",0,walk,0.5"],
    "row 4, column 'decision': person 'a' has decision 0 already, in row 2": ["a,0,walk,1", "a,1,walk,1", "a,0,walk,0"],
    "row 3, column 'reward': reward 9 must be from 0 to 1. 1 more is outside. --reward-scale 12 divides by the "
    "largest, --clip counts those outside as 0 or 1": ["a,0,walk,0.5", "a,1,walk,9", "a,2,walk,12"],
    "row 2, column 'reward': reward -1 must be from 0 to 1. --clip counts those outside as 0 or 1": ["a,0,walk,-1"],
    "row 2 has 6 cells where the header has 4: put a cell that contains a comma in quotation marks":
        ["a,0,walk,0.5,1,2"],
    "row 3 has 5 cells where the header has 4: put a cell that contains a comma in quotation marks":
        ["a,0,walk,0.5", "a,1,walk,1,234"],
    "row 2 opens a quotation mark that is never closed": ['a,0,"walk,0.5', "a,1,walk,0.5"],
    "row 3, column 'decision': 1447632000 comes 1,447,632,000 after 0, and each decision between counts as a rest: "
    "that is more than fits in memory. Number the decisions of a person 0, 1, 2, …":
        ["a,0,walk,1", "a,1447632000,walk,1"],
    "column 'arm': no arm was ever played, every decision is a rest": ["a,0,none,0.5", "a,1,,0.5"],
    "column 'reward': nobody has 3 rewards of the same arm, and fewer say nothing: there is nothing to fit":
        ["a,0,walk,0.5", "a,1,walk,0.5", "b,0,walk,0.5"],
}  # fmt: skip


@pytest.mark.parametrize(("says", "rows"), BAD.items())
def test_bad_cells_are_refused_by_row_and_column(tmp_path: Path, says: str, rows: list[str]) -> None:
    with pytest.raises(ValueError, match=r"d\.csv") as error:
        cohort_of(written(tmp_path / "d.csv", rows), Scaling(family="agent"))
    assert str(error.value) == f"d.csv, {says}"


@pytest.mark.parametrize(
    ("zeros", "lowest", "values", "asked"),
    [(30, 2000, 300, True), (0, 2000, 300, False), (150, 2000, 300, False), (20, 10, 300, False), (30, 1, 9, False)],
)
def test_zeros_far_below_all_other_rewards_are_asked_about(
    tmp_path: Path, zeros: int, lowest: int, values: int, asked: bool
) -> None:
    """0 steps of a tracker that was not worn fell with time, as wear of trackers does, without a word."""
    steps = [0] * zeros + [lowest + 30 * (t % values) for t in range(300)]
    path = written(tmp_path / "d.csv", [f"a,{t},walk,{cell}" for t, cell in enumerate(steps)])
    found = [note for note in cohort_of(path).notes if "add --missing 0" in note]
    assert len(found) == asked
    if asked:
        assert found[0].startswith(
            "30 rewards are 0, and hardly any is near 0 beside (half of the others are above 6485)"
        )
        read = read_table(path, Columns(), Reading(numbers=NumberOptions(missing=("0",))))
        assert assemble(read, Scaling()).people["a"].rewards_of(0) == 300
        answered = read_table(path, Columns(), Reading(numbers=NumberOptions(missing=("none",))))
        assert not any("--missing" in note for note in answered.notes)


@pytest.mark.parametrize(("yes", "no"), [("ja", "nein"), ("Y", "N"), ("T", "F")])
def test_yes_and_no_of_other_programs_and_in_german(tmp_path: Path, yes: str, no: str) -> None:
    path = written(tmp_path / "d.csv", [f"a,0,walk,{yes},{yes}", f"a,1,none,{no},{no}"], f"{HEADER},available")
    rows = read_table(path, Columns()).rows
    assert (rows.available.tolist(), rows.reward.tolist()) == ([True, False], [1.0, 0.0])


def test_a_bad_word_for_available(tmp_path: Path) -> None:
    path = written(tmp_path / "d.csv", ["a,0,walk,0.5,maybe"], f"{HEADER},available")
    with pytest.raises(ValueError, match=r"row 2, column 'available': available 'maybe' must be 1 or 0"):
        read_table(path, Columns())


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("person,decision,arm,Rewards", "d.csv has no column 'reward'. Did you mean 'Rewards'? Then add --reward "
                                        "Rewards. It has: person, decision, arm, Rewards"),
        ("person,decision,sent message,reward", "d.csv has no column 'arm'. If it is 'sent message', add --arm "
         '"sent message"; else name it with --arm NAME. It has: person, decision, sent message, reward'),
        ("person,decision,arm,reward,arm", "d.csv has 2 columns 'arm': rename all but one"),
    ],
)  # fmt: skip
def test_bad_headers(tmp_path: Path, header: str, says: str) -> None:
    with pytest.raises(ValueError, match=r"d\.csv") as error:
        read_table(written(tmp_path / "d.csv", [], header), Columns())
    assert str(error.value) == says


def test_one_column_for_two_meanings(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="column 'arm' cannot be both --arm and --reward: each is a column of its own"):
        read_table(written(tmp_path / "d.csv", GOOD), Columns(reward="arm"))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "d.csv is empty: it must have a row with the names of the columns, and data"),
        (b"\n\n", "d.csv, row 1 is empty: it must have the names of the columns"),
        (HEADER.encode(), "d.csv has the names of columns, but no data below them"),
        (
            b"PK\x03\x04...",
            "d.csv is an archive or a damaged workbook, not a table: open it and save it as CSV (UTF-8) or as xlsx",
        ),
        ("a,b".encode("utf-16-le"), "d.csv is not a text that can be read (it has zero bytes): save it as UTF-8"),
        (codecs.BOM_UTF16_LE + b"a", "d.csv begins as utf-16 does and is not: save it as UTF-8"),
    ],
)
def test_files_that_are_no_tables(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "d.csv").write_bytes(content)
    with pytest.raises(ValueError, match=r"d\.csv") as error:
        read_table(tmp_path / "d.csv", Columns())
    assert str(error.value) == says


def test_many_rows_take_little_memory_and_tell_how_far_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At most 1 kB a row: a million rows need the same for each, and 2 GB are allowed."""
    monkeypatch.setattr("rogue_bandits.estimate.reading.text.ROWS_AT_ONCE", 10_000)
    text = "\n".join(f"p{i // 300},{i % 300},walk,0.5,some other text" for i in range(30_000))
    (tmp_path / "d.csv").write_text(f"{HEADER},note\n{text}\n")
    bytes_read: list[int] = []
    tracemalloc.start()
    rows = read_table(tmp_path / "d.csv", Columns(), progress=bytes_read.append).rows
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows.row.size == 30_000
    assert len(bytes_read) == 3
    assert sum(bytes_read) == (tmp_path / "d.csv").stat().st_size
    assert peak < 30e6


def test_all_problems_of_a_table_are_reported_at_once(tmp_path: Path) -> None:
    rows = ["ann,0,walk,x", "ann,one,walk,3", ",2,walk,4", "bob,0,Walk,5%", "bob,1,0,6", "bob,2,sit,-99"]
    with pytest.raises(ValueError, match="problems") as error:
        cohort_of(written(tmp_path / "d.csv", rows))
    first, *others = str(error.value).split("\n")
    assert first == f"d.csv has {len(others)} problems:"
    for words in (
        "row 4, column 'person': the name of the person is missing",
        "row 6, column 'arm': arm '0' (1 row) reads as if nothing was sent.",
        "row 5, column 'arm': arms 'walk' (3) and 'Walk' (1) differ in their spelling only.",
        "row 2, column 'reward': reward 'x' is no number",
        "row 5, column 'reward': reward '5%' has a % sign, and row 3, '3', has none",
        "row 7, column 'reward': -99 looks like a code for a missing value",
        "row 3, column 'decision': decision 'one' must be a whole number",
    ):
        assert any(line.strip().startswith(words) for line in others), words


def test_only_the_first_problems_are_reported_one_by_one(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="problems") as error:
        cohort_of(written(tmp_path / "d.csv", [f"ann,{t},walk,bad{t}" for t in range(50)]))
    lines = str(error.value).split("\n")
    assert (lines[0], len(lines), lines[-1]) == ("d.csv has 50 problems:", 22, "  … and 30 more")


def test_all_missing_columns_are_reported_at_once(tmp_path: Path) -> None:
    """With a command that names those that are like them."""
    with pytest.raises(ValueError, match=r"d\.csv has no columns 'decision' and 'reward'.*\n.*\nIt has: ") as error:
        cohort_of(written(tmp_path / "d.csv", ["ann,0,walk,1"], header="person,study day,arm,y"))
    assert '\n  rogue fit d.csv --decision "study day" --reward y\n' in str(error.value)
    other = written(tmp_path / "d.csv", ["ann,0,walk,1"], header="user_id,when,action,seconds [s]")
    with pytest.raises(ValueError, match=r"no columns 'arm' and 'reward'") as error:
        cohort_of(other, person="user_id", time="when")
    assert '--arm action --reward "seconds [s]" --person user_id --time when' in str(error.value)
    with pytest.raises(ValueError, match=r"no columns 'usr', 'arm', 'reward' and 'hour'") as error:
        cohort_of(other, person="usr", time="when", clock="hour")
    command = 'rogue fit d.csv --person user_id --arm action --reward "seconds [s]" --clock NAME --time when'
    assert f"\n  {command}\n" in str(error.value)


def test_a_table_with_a_row_for_each_person_is_called_so(tmp_path: Path) -> None:
    """And how to reshape it."""
    header = "id,arm_1,steps_1,arm_2,steps_2,arm_3,steps_3"
    with pytest.raises(ValueError, match=r"a column for each decision \(arm_1, arm_2, …\).*pivot_longer"):
        cohort_of(written(tmp_path / "d.csv", ["ann,x,1,x,2,y,3"], header=header))
    items = "id,study_day,phq1,phq2,phq3,gad1,gad2,gad3,sent,mood"
    with pytest.raises(ValueError, match=r"rogue fit d\.csv --person id --decision study_day --arm sent --reward mood"):
        cohort_of(written(tmp_path / "d.csv", ["ann,0,1,1,1,1,1,1,walk,3"], header=items))


@pytest.mark.parametrize(("header", "says"), [
    ("person decision arm reward", "d.csv has one column, 'person decision arm reward': columns must be separated by "
     "commas, semicolons or tabs"),
    ("ann,0,walk,0.5", "d.csv, row 1 must have the names of the columns, and it has numbers: ann, 0, walk, 0.5"),
])  # fmt: skip
def test_a_file_without_columns_or_names_of_columns(tmp_path: Path, header: str, says: str) -> None:
    """Is not asked which of its columns are which."""
    with pytest.raises(ValueError, match=r"d\.csv") as error:
        read_table(written(tmp_path / "d.csv", [header.replace("ann", "bob")], header=header), Columns())
    assert str(error.value) == says


@pytest.mark.parametrize(("cell", "hint"), [
    ("56 min", ", write the number alone: 56"), ("5,5h", ", write the number alone: 5,5"),
    ("not worn", '. If it stands for a missing value, add --missing "not worn"; else write a number in its place'),
    ("low", ". If it stands for a missing value, add --missing low; else write a number in its place"),
    ("ca. 40", ": write one, or leave the cell empty if nothing was observed"),
])  # fmt: skip
def test_rewards_with_units_and_words_say_what_to_write(tmp_path: Path, cell: str, hint: str) -> None:
    """With the row and the column."""
    with pytest.raises(ValueError, match=r"row 2, column 'reward'") as error:
        read_table(written(tmp_path / "d.csv", [f'a,0,walk,"{cell}"']), Columns())
    assert str(error.value).endswith(f"reward '{cell}' is no number{hint}")


def test_numbers_of_decisions_that_begin_anew_are_called_so(tmp_path: Path) -> None:
    """In one message, with the first rows and how many there are."""
    with pytest.raises(ValueError, match="begin anew") as error:
        cohort_of(written(tmp_path / "d.csv", [f"{who},{t % 7},walk,{t}" for t in range(12) for who in "ba"]))
    assert str(error.value) == (
        "d.csv, column 'decision': 10 rows have a decision that their person has already: row 16 (person 'b' has "
        "decision 0 in row 2), row 17 (person 'a' has decision 0 in row 3), row 18 (person 'b' has decision 1 in row "
        "4) and 7 more. Numbers that begin anew, each week or day, must be counted through; or name dates with --time"
    )


def test_three_decisions_that_come_twice_have_a_line_each(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^d\.csv has 3 problems:\n  row 22, column 'decision': person 'a' has "):
        cohort_of(written(tmp_path / "d.csv", [f"a,{t % 20},walk,{t}" for t in range(23)]))


@pytest.mark.parametrize(("twice", "many"), [(MANY_TWICE - 1, False), (MANY_TWICE, True)])
def test_a_few_decisions_that_come_twice_are_slips(tmp_path: Path, twice: int, many: bool) -> None:
    """From ten on they are numbers that begin anew."""
    with pytest.raises(ValueError, match=f": {twice} rows have a decision") as error:
        cohort_of(written(tmp_path / "d.csv", [f"a,{t % 20},walk,{t}" for t in range(20 + twice)]))
    assert ("begin anew" in str(error.value)) == many


@pytest.mark.parametrize(("name", "kind"), [("d.xlsx", "a workbook"), ("d.parquet", "a Parquet file")])
def test_a_damaged_file_is_not_called_a_text(tmp_path: Path, name: str, kind: str) -> None:
    (tmp_path / name).write_bytes(b"\x01\x00\x02\xff" * 9)
    with pytest.raises(ValueError, match=rf"^{re.escape(name)} is not {kind}, or is damaged: "):
        read_table(tmp_path / name, Columns())


def test_a_table_with_a_column_for_each_day_is_to_be_reshaped(tmp_path: Path) -> None:
    days = [f"day{t}" for t in range(1, 9)]
    path = written(tmp_path / "d.csv", ["a,usual" + ",5" * 8], ",".join(["id", "group", *days]))
    with pytest.raises(ValueError, match=r"a column for each decision \(day1, day2, …\)\. It must have a row"):
        read_table(path, Columns())


def test_the_note_on_yes_and_no_has_the_words_of_the_file(tmp_path: Path) -> None:
    rows = [f"a,{t},walk,{cell}" for t, cell in enumerate(["True", "False", "True", "no"])]
    words = "Column 'reward' has words for yes and no: True as 1, False and no as 0."
    assert words in read_table(written(tmp_path / "d.csv", rows), Columns()).notes


def test_a_probability_in_percent_is_told_how_to_be_written(tmp_path: Path) -> None:
    path = written(tmp_path / "d.csv", ["a,0,walk,0.5,40"], f"{HEADER},p")
    with pytest.raises(ValueError, match=r"probability 40 must be .* a percentage is written as a share, such as 0\.4"):
        read_table(path, Columns(probability="p"))
