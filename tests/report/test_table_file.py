"""Tables as CSV and as Parquet have the same rows."""

from __future__ import annotations

import builtins
import csv
import io
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from rogue_bandits.cli import main
from rogue_bandits.report.experiment.data import curves_table, sweep_table
from rogue_bandits.report.table_file import as_files, kind_of, raise_without_arrow, table_bytes
from tests.report.made_up import made_up

ROWS: list[list[object]] = [
    ["arm", "n", "mean", "note", "none"],
    ["walk", 3, 0.5, None, None],
    ["sleep", 4, float("nan"), "ok", None],
]


def read(content: bytes) -> Any:
    return pq.read_table(pa.BufferReader(content))


def test_types_and_empty_cells() -> None:
    table = read(table_bytes(ROWS, "parquet"))
    assert [str(kind) for kind in table.schema.types] == ["string", "int64", "double", "string", "double"]
    assert table.to_pydict() == {
        "arm": ["walk", "sleep"], "n": [3, 4], "mean": [0.5, None], "note": [None, "ok"], "none": [None, None],
    }  # fmt: skip
    assert read(table_bytes(ROWS[:1], "parquet")).num_rows == 0


def test_numbers_of_csv_are_shown_as_asked() -> None:
    text = table_bytes(ROWS, "csv", {"mean": ".2f", "n": ".2f"}, "utf-8-sig").decode("utf-8-sig")
    assert text.splitlines() == ["arm,n,mean,note,none", "walk,3,0.50,,", "sleep,4,,ok,"]


@pytest.mark.parametrize("table", [curves_table, sweep_table])
def test_an_experiment_has_the_same_numbers_in_both(table: Any) -> None:
    rows = table(made_up())
    lines = list(csv.DictReader(io.StringIO(table_bytes(rows, "csv").decode())))
    found = read(table_bytes(rows, "parquet")).to_pylist()
    assert len(lines) == len(found) > 1
    for line, row in zip(lines, found, strict=True):
        assert line == {name: "" if value is None else str(value) for name, value in row.items()}


def test_the_other_kind_of_an_earlier_run_is_removed(tmp_path: Path) -> None:
    (tmp_path / "curves.csv").write_text("old")
    (tmp_path / "mine.csv").write_text("mine")
    assert list(as_files({"curves": ROWS}, "parquet", tmp_path)) == ["curves.parquet"]
    assert [path.name for path in tmp_path.iterdir()] == ["mine.csv"]


def test_kinds_by_suffix() -> None:
    assert kind_of(Path("a.csv")) == "csv"
    with pytest.raises(ValueError, match=r"'a\.xlsx' must end with \.csv or \.parquet"):
        kind_of(Path("a.xlsx"))


def test_without_pyarrow_parquet_is_refused_before_the_work_begins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ValueError, match="pip install rogue-bandits"):
        raise_without_arrow("parquet")
    words = ["reproduce", "logistic", "--format", "parquet", "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(main, words)
    assert (result.exit_code, "Parquet needs pyarrow" in result.output) == (2, True)
    assert not (tmp_path / "out").exists()
