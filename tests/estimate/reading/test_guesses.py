"""Commands that messages propose: pasted, they work."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from rogue_bandits.estimate.table import Columns, read_table
from tests.estimate.reading.made_up import read

TABLES = {
    "subject,date,time,message,score": ["s,7/22/2015,9:30 AM,walk,1", "s,7/22/2015,4:30 PM,walk,2"],
    "Patient ID,Date Sent,Time Sent,Msg,Pain": ["s,22.07.2015,9:30,walk,1", "s,22.07.2015,16:30,walk,2"],
    "subject,timestamp,message,score": ["s,7/22/2015 9:30 AM,walk,1", "s,7/22/2015 4:30 PM,walk,2"],
    "subject,date,ampm,message,score": ["s,2015-07-22,AM,walk,1", "s,2015-07-22,PM,walk,2"],
    "subject,day,time_of_day,message,score": ["s,2015-07-22,morning,walk,1", "s,2015-07-22,evening,walk,2"],
    "subject,day,time,message,score": ["s,0,9:30 AM,walk,1", "s,1,4:30 PM,walk,2"],
    "subject,day,time,sent,opened": ["s,22JUL2015,9 am,walk,1", "s,22JUL2015,4 pm,walk,0"],
    "ID,Date,Time,Message,Reaction": ["s,7/22/2015,9:30 AM,walk,1", "s,7/22/2015,4:30 PM,walk,2"],
    "subject,when,message,clicked": ["s,2015-07-22 9am,walk,1", "s,2015-07-22 4 p.m.,walk,0"],
    "Teilnehmer,Datum,Intervention,Stimmung": ["s,22.07.2015,walk,1", "s,23.07.2015,walk,2"],
    "Pat.-Nr.;Datum;Intervention;Schritte (Tsd.)": ["1;22.07.2015;walk;1,5", "1;23.07.2015;walk;2,1"],
    "email,sent_at_ms,variant,opened": ["s@x.org,1437523200000,A,TRUE", "s@x.org,1437609600000,B,FALSE"],
    "user_id,date,action,brushing_sec": ["s,2015-07-22,walk,1", "s,2015-07-23,walk,2"],
}  # fmt: skip


@pytest.mark.parametrize("header", TABLES)
def test_a_proposed_command_reads_the_table(tmp_path: Path, header: str) -> None:
    text = "\n".join([header, *TABLES[header], ""])
    with pytest.raises(ValueError, match="Say which of yours these are, such as") as error:
        read(tmp_path, text)
    command = re.search(r"^  rogue fit d\.csv (.*)$", str(error.value), re.MULTILINE)
    assert command is not None
    words = shlex.split(command[1])
    options = {name.removeprefix("--"): value for name, value in zip(words[::2], words[1::2], strict=True)}
    assert read_table(tmp_path / "d.csv", Columns(**options)).rows.decision.tolist() == [0, 1]


def test_one_absent_column_of_decisions_is_found_by_its_cells(tmp_path: Path) -> None:
    rows = "a,7/22/2015,9:30 AM,walk,1\na,7/22/2015,4:30 PM,walk,1\n"
    with pytest.raises(ValueError, match=r"say when it was, add --time date --clock time\. It has"):
        read(tmp_path, f"person,date,time,arm,reward\n{rows}")
    with pytest.raises(ValueError, match="'time' has times of day: name the dates beside them"):
        read(tmp_path, "person,time,arm,reward\na,9:30 AM,walk,1\n")
    with pytest.raises(ValueError, match="time '9:30 AM' is no date; --time names the dates, and --clock time these"):
        read(tmp_path, "person,time,arm,reward\na,9:30 AM,walk,1\n", time="time")


def test_halves_of_the_day_in_a_column_of_their_own_bring_a_warning(tmp_path: Path) -> None:
    for name in ("ampm", "AM/PM", "am_pm"):
        text = f"person,date,time,{name},arm,reward\na,7/22/2015,9:30,AM,walk,1\na,7/22/2015,4:30,PM,walk,1\n"
        assert read(tmp_path, text, time="date", clock="time").notes[0] == (
            f"Warning: column '{name}' is not used. If it says whether times in 'time' are before or after noon, put "
            "both in one column, such as 4:30 PM."
        )
        assert not any("before or after noon" in note for note in read(tmp_path, text, time="date", clock=name).notes)


def test_a_diary_without_a_column_of_people_is_told_what_to_add(tmp_path: Path) -> None:
    alone = "If all rows are of one person, add a column 'person' with the same name in every row"
    for header in ("date,activity,mood", "decision,arm,reward"):
        with pytest.raises(ValueError, match=alone):
            read(tmp_path, f"{header}\n2015-07-22,walk,1\n")
    with pytest.raises(ValueError, match="Say which") as error:
        read(tmp_path, "id,date,activity,mood\na,2015-07-22,walk,1\n")
    assert alone not in str(error.value)
