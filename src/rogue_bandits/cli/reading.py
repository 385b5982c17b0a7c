"""The options of `rogue fit` that say how its table is read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rogue_bandits.cli.checks import Refused, readable, refused

if TYPE_CHECKING:
    from rogue_bandits.estimate.reading.sources import Source
    from rogue_bandits.estimate.table import Table

COLUMNS = {
    "person": "column that names the person [default: person]",
    "decision": "column that counts a person's decisions 0, 1, 2, …, or from another whole number on, such as -5: only "
    "differences count [default: decision]",
    "time": "column with dates or times, from which decisions follow if --decision is not given",
    "clock": "column with times of day, if --time has dates only",
    "arm": "column that says what was sent; empty or none is a rest [default: arm]",
    "reward": "column that says what followed; empty is not observed [default: reward]",
    "available": "column that says whether anything could be sent, 1 or 0 [default: available, if there is one]",
    "probability": "column with the probability of what was chosen in the row, the arm or the rest",
    "send-probability": "column with the probability that anything is sent, in place of --probability",
}
READING_OPTIONS = [
    *(click.Option([f"--{name}"], metavar="NAME", help=words) for name, words in COLUMNS.items()),
    click.Option(["--covariate"], multiple=True, metavar="NAME",
                 help="column that may explain rewards, or weekday or hour, which follow from --time; may be repeated"),
    click.Option(["--rest-value"], multiple=True, metavar="VALUE",
                 help="arm that stands for a rest, beside none; may be repeated"),
    click.Option(["--arm-value"], multiple=True, metavar="VALUE",
                 help="arm that looks like a rest (0, control) but is an arm; may be repeated"),
    click.Option(["--merge-names"], is_flag=True, default=False,
                 help="count arms whose names differ in case or blanks as one"),
    click.Option(["--missing"], multiple=True, metavar="VALUE",
                 help="number or word that stands for a missing value, such as -99; may be repeated. "
                 "none: all numbers are real"),
    click.Option(["--comma"], type=click.Choice(["decimal", "thousands"]),
                 help="meaning of a comma in a number [default: as the column shows]"),
    click.Option(["--date-order"], type=click.Choice(["day-first", "month-first"]),
                 help="order of dates such as 3/4/2015 [default: as the column shows]"),
    click.Option(["--zone"], metavar="ZONE",
                 help="time zone of the people, such as Europe/Berlin: times are converted to it; those without an "
                 "offset are then UTC [default: times as written]"),
    click.Option(["--step"], metavar="LENGTH",
                 help="time between decisions, such as 2h or 1d [default: as many decisions a day as --time shows]"),
    click.Option(["--sheet"], metavar="NAME", help="sheet of a workbook [default: the one that has the columns]"),
]  # fmt: skip


@contextmanager
def reading_of(path: Path, chosen: dict[str, Any]) -> Iterator[tuple[Source, Table]]:
    """Yield a file, or the standard input (`-`), and the table in it; report errors in one line, also of the body."""
    from rogue_bandits.estimate.reading.names import ArmOptions
    from rogue_bandits.estimate.reading.numbers import NumberOptions
    from rogue_bandits.estimate.reading.sources import source_of
    from rogue_bandits.estimate.reading.times import TimeOptions
    from rogue_bandits.estimate.table import Columns, Reading, read_table
    from rogue_bandits.report.terminal import bar

    names = {name.replace("-", "_"): chosen[name.replace("-", "_")] for name in COLUMNS}
    columns = Columns(**{name: value for name, value in names.items() if value is not None})
    for option in ("zone", "step", "date_order"):
        if chosen[option] is not None and columns.time is None:
            raise Refused(
                f"--{option.replace('_', '-')} {chosen[option]} is about times: name their column with --time"
            )
    reading = Reading(
        ArmOptions(chosen["rest_value"], chosen["arm_value"], chosen["merge_names"]),
        NumberOptions(chosen["missing"], chosen["comma"]),
        TimeOptions(chosen["date_order"], chosen["zone"]),
        chosen["step"],
        chosen["covariate"],
        chosen["sheet"],
    )
    try:
        with refused(), readable(path):
            source = source_of(path)
            with bar(f"reading {source.name}", source.size) as advance:
                yield source, read_table(source, columns, reading, advance)
    except MemoryError:
        raise Refused(f"'{path}' needs more memory than there is: split it by person") from None
