"""Covariates and probabilities of a table."""

from __future__ import annotations

import statistics
from pathlib import Path

import numpy as np
import pytest

from rogue_bandits.estimate.reading.numbers import NumberOptions
from rogue_bandits.estimate.table import Columns, Reading, read_table
from tests.estimate.made_up import written
from tests.estimate.reading.made_up import read

HEADER = "person,decision,arm,reward,x\n"


def text(*cells: str) -> str:
    return HEADER + "".join(f"a,{t},walk,0.5,{cell}\n" for t, cell in enumerate(cells))


X = Reading(covariates=("x",))


def test_numbers_are_standardised(tmp_path: Path) -> None:
    values = [3.0, 7.5, -1.0, 4.0]
    table = read(tmp_path, text(*map(str, values)), X)
    mean, spread = statistics.fmean(values), statistics.pstdev(values)
    np.testing.assert_allclose(table.rows.covariates[:, 0], [(value - mean) / spread for value in values])
    assert table.covariates == ["x"]
    assert table.notes == ["Covariate 'x' is standardised: 3.375 is 0, and 3.029 more is 1."]


def test_what_was_not_observed_is_the_mean(tmp_path: Path) -> None:
    table = read(tmp_path, text("1", "", "3", "-99"), Reading(covariates=("x",), numbers=NumberOptions(("-99",))))
    assert table.rows.covariates[:, 0].tolist() == [-1.0, 0.0, 1.0, 0.0]
    assert "Covariate 'x' was not observed in 2 of 4 rows: its mean is used there." in table.notes


def test_categories_are_compared_with_the_most_frequent(tmp_path: Path) -> None:
    table = read(tmp_path, text("home", "work", "home", "", "other"), X)
    assert table.covariates == ["x: work", "x: missing", "x: other"]
    assert table.rows.covariates.tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert table.notes == ["Covariate 'x' compares work, missing, other with home."]


def test_hours_of_the_day(tmp_path: Path) -> None:
    cells = [f"2015-07-{20 + k // 4} {hour:02d}:59" for k, hour in enumerate((5, 6, 17, 18, 23, 12, 20))]
    table = read(tmp_path, text(*cells), Reading(covariates=("hour",)), time="x")
    assert table.covariates == ["hour: 0 to 6", "hour: 6 to 12", "hour: 12 to 18"]
    assert table.rows.covariates.tolist() == [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [0, 0, 0],
        [0, 0, 0],
        [0, 0, 1],
        [0, 0, 0],
    ]


def test_a_column_of_that_name_comes_before_what_follows_from_the_time(tmp_path: Path) -> None:
    table = read(tmp_path, text("1", "2", "4").replace(",x\n", ",weekday\n"), Reading(covariates=("weekday",)))
    assert table.covariates == ["weekday"]


def test_one_that_never_changes_is_left_out(tmp_path: Path) -> None:
    for cell in ("1", "home"):
        table = read(tmp_path, text(cell, cell), X)
        assert (table.covariates, table.rows.covariates.shape) == ([], (2, 0))
        assert table.notes == ["Warning: covariate 'x' is the same in every row and was left out."]


BAD = {
    "d.csv has no column 'mood'. Name the right one with --covariate NAME. It has: person, decision, arm, reward, x":
        (["1"], "mood"),
    "d.csv, row 4, column 'x': covariate 'many' is no number. If it stands for a missing value, add --missing many; "
    "else write a number in its place": (["1", "2", "many"], "x"),
    "--covariate weekday follows from the times of decisions: name their column with --time": (["1"], "weekday"),
    "d.csv, column 'x': the covariate has 21 different values, such as 'a0' and 'a1': it must have numbers, or at most "
    "20 categories": ([f"a{k}" for k in range(21)], "x"),
}  # fmt: skip


@pytest.mark.parametrize("says", BAD)
def test_bad_covariates(tmp_path: Path, says: str) -> None:
    cells, name = BAD[says]
    with pytest.raises(ValueError, match=r".") as error:
        read(tmp_path, text(*cells), Reading(covariates=(name,)))
    assert str(error.value) == says


def test_hours_need_times_of_day(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="--covariate hour needs times of day, and the times are dates only"):
        read(tmp_path, text("2015-07-22"), Reading(covariates=("hour",)), time="x")


# ---- probabilities ---------------------------------------------------------------------------------------------------
def test_probabilities_and_where_there_are_none(tmp_path: Path) -> None:
    rows = ["a,0,walk,1,0.3,1", "a,1,none,1,0.7,1", "a,2,none,1,0,0", "a,3,walk,1,,1"]
    table = read(tmp_path, "person,decision,arm,reward,p,available\n" + "\n".join(rows), probability="p")
    np.testing.assert_array_equal(table.rows.probability, [0.3, 0.7, np.nan, np.nan])
    assert "1 of 3 available decisions have no probability." in table.notes


@pytest.mark.parametrize("cell", ["0", "1.5", "-0.1"])
def test_impossible_probabilities(tmp_path: Path, cell: str) -> None:
    with pytest.raises(ValueError, match=r"row 3, column 'x': probability .* must be above 0 and at most 1"):
        read(tmp_path, text("0.5", cell), probability="x")


def test_two_kinds_of_probabilities(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="--probability and --send-probability say the same in two ways"):
        read(tmp_path, HEADER.replace("x", "x,y") + "a,0,walk,1,0.5,0.5\n", probability="x", send_probability="y")


def drawn(column: str) -> str:
    """Return a log of 4,000 decisions: walk with 0.3, sit with 0.3, a rest with 0.4."""
    rng = np.random.default_rng(11)
    chance = {"walk": 0.3, "sit": 0.3, "none": 0.4}
    chosen = rng.choice(list(chance), 4000, p=list(chance.values()))
    cells = chance if column == "chosen" else dict.fromkeys(chance, 0.6)
    return HEADER + "".join(f"a,{t},{arm},0.5,{cells[arm]}\n" for t, arm in enumerate(chosen))


def test_probabilities_that_cannot_be_those_of_what_was_chosen(tmp_path: Path) -> None:
    """Fails at random with probability below 1e-6: the limit is five standard errors."""
    assert read(tmp_path, drawn("chosen"), probability="x").notes == []
    (warning,) = read(tmp_path, drawn("sending"), probability="x").notes
    assert warning.startswith(
        "Warning: where a rest was chosen, column 'x' has the probability 0.6 on average, and that "
    )
    assert warning.endswith("a column with that of sending anything is named by --send-probability.")


def test_a_probability_of_sending_near_a_half_is_recognised(tmp_path: Path) -> None:
    """An adaptive trial's column `prob` is that of sending. Fails at random with probability below 0.01."""
    rng = np.random.default_rng(3)
    sending = rng.choice([0.4, 0.5, 0.6], 20_000)
    sent = rng.random(20_000) < sending
    rows = [f"a,{t},{'walk' if s else 'none'},0.5,{p}\n" for t, (s, p) in enumerate(zip(sent, sending, strict=True))]
    (warning,) = read(tmp_path, HEADER + "".join(rows), probability="x").notes
    assert warning.endswith("if it is that, name it with --send-probability in place of --probability.")
    assert read(tmp_path, HEADER + "".join(rows), send_probability="x").notes == []


def test_the_probability_of_sending_is_shared_among_the_arms(tmp_path: Path) -> None:
    table = read(tmp_path, drawn("sending"), send_probability="x")
    arm, probability = table.rows.arm, table.rows.probability
    shares = [(arm == k).sum() / (arm >= 0).sum() for k in (0, 1)]
    names = {name: 0.6 * share for name, share in zip(table.arms, shares, strict=True)}
    for k, name in enumerate(table.arms):
        np.testing.assert_allclose(probability[arm == k], names[name])
    np.testing.assert_allclose(probability[arm < 0], 0.4)
    assert table.notes[0].startswith("Of several arms, each is taken to be sent with the share in which it was sent (")


def test_what_was_not_chosen_as_often_as_planned_brings_a_warning(tmp_path: Path) -> None:
    """By more than three standard errors, the limit of the report; of few decisions nothing is said."""
    wrong = drawn("sending").replace(",0.6\n", ",0.5\n")
    *_, warning = read(tmp_path, wrong, send_probability="x").notes
    assert warning.startswith("Warning: what was chosen does not agree with the probabilities of column 'x'")
    assert not any(note.startswith("Warning") for note in read(tmp_path, drawn("sending"), send_probability="x").notes)
    slightly = drawn("chosen").replace(",0.4\n", ",0.43\n")  # below the tenth from which another column is proposed
    (warning,) = read(tmp_path, slightly, probability="x").notes
    assert warning.startswith("Warning: what was chosen does not agree")
    assert read(tmp_path, text(*["0.9"] * 20), probability="x").notes == []
    assert len(read(tmp_path, text(*["0.9"] * 200), probability="x").notes) == 1


def test_a_column_with_the_name_of_what_follows_from_the_time_is_used_with_a_note(tmp_path: Path) -> None:
    """It is what the file has; to use the weekday of the times, the column needs another name."""
    rows = [f"a,2015-07-{20 + k},walk,1,{('Mon', 'Tue')[k % 2]}" for k in range(4)]
    path = written(tmp_path / "d.csv", rows, header="person,time,arm,reward,weekday")
    table = read_table(path, Columns(time="time"), Reading(covariates=("weekday",)))
    assert table.covariates == ["weekday: Tue"]
    assert (
        "Covariate 'weekday' is the column 'weekday' of the file, not the weekday of 'time'. To use the latter, give "
        "the column another name." in table.notes
    )
