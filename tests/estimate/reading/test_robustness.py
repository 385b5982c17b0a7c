"""Whatever a table has in it: it is read, or refused in one line that names the file, never with another error."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rogue_bandits.estimate.assemble import Scaling, assemble
from rogue_bandits.estimate.table import Columns, Reading, read_table

HEADER = ["person", "decision", "time", "arm", "reward", "available", "probability", "x"]
ROW = ["a", "{t}", "2015-07-{day} 09:30", "walk", "0.5", "1", "0.5", "3"]
COLUMNS = Columns(time="time", probability="probability", decision="decision")
ODD = st.sampled_from(
    ["", "0", "-99", "7,656", "1.234,5", "inf", "²", "9" * 400, "22/07/2015", "42207.5", "1.5.15", "=1", "½"]
)


def tried(content: bytes, columns: Columns) -> str | None:
    """Return the refusal of a file, None if it is read."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "d.csv")
        path.write_bytes(content)
        try:
            assemble(read_table(path, columns, Reading(covariates=("x",))), Scaling())
        except ValueError as error:
            return str(error)
    return None


@settings(deadline=None)
@given(
    st.integers(0, len(HEADER) - 1),
    st.lists(st.one_of(ODD, st.text(max_size=8)), min_size=1, max_size=6),
    st.booleans(),
)
@example(2, ["2015-07-22", "1e400"], True)
def test_any_cells_of_one_column(k: int, cells: list[str], numbered: bool) -> None:
    rows = [[part.format(t=t, day=10 + t) for part in ROW] for t in range(len(cells))]
    for row, cell in zip(rows, cells, strict=True):
        row[k] = cell.replace("\0", "")
    with io.StringIO(newline="") as text:
        csv.writer(text).writerows([HEADER, *rows])
        content = text.getvalue().encode("utf-8", "replace")
    says = tried(content, COLUMNS if numbered else COLUMNS._replace(decision=None))
    assert says is None or says.startswith("d.csv")


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(content: bytes) -> None:
    says = tried(content, COLUMNS)
    assert says is not None
    assert says.startswith("d.csv")


@pytest.mark.parametrize(
    "start", [b"PK\x03\x04", b"PAR1", b"\xef\xbb\xbf", b"\xff\xfe", b"\xd0\xcf\x11\xe0", b"sep=\n"]
)
def test_the_first_bytes_of_another_kind(start: bytes) -> None:
    for rest in (b"", b"abc", b"\x00" * 40, "person,decision\n".encode("utf-16-le")):
        says = tried(start + rest, COLUMNS)
        assert says is not None
        assert says.startswith("d.csv")
