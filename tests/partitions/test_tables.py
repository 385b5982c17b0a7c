"""Tables that cannot be read: the error names the file, the row, the column and the value, and nothing changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rogue_bandits.partitions import bandit_of, create, put_back, run, status
from rogue_bandits.partitions.bad_cells import ROWS_OF_A_BLOCK
from tests.partitions.nights import ARMS, PEOPLE, POLICY

HEAD = "person,decision,reward\n"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A population that no test may change."""
    folder = tmp_path_factory.mktemp("tables") / "population"
    create(folder, ARMS, POLICY, PEOPLE, seed=5, partition_size=6)
    return folder


def test_after_a_table_that_was_refused_nothing_has_changed(tmp_path: Path) -> None:
    folder = tmp_path / "population"
    create(folder, ARMS, POLICY, PEOPLE, seed=5, partition_size=6)
    (tmp_path / "r.csv").write_text(f"{HEAD}1,0,much\n")
    before = status(folder)
    with pytest.raises(ValueError, match="must be a number"):
        run(folder, tmp_path / "r.csv")
    assert status(folder) == before
    put_back(folder, 7, bandit_of(folder, 7))
    assert run(folder, name="another").version == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "person,decision\n1,0\n",
            r"r\.csv' has no column 'reward', among 'person', 'decision'\. It needs person \(a ",
        ),
        (f"{HEAD}1,0,1\nann,0,1\n", r"r\.csv', row 3, column 'person': 'ann' must be a whole number"),
        (f"{HEAD}1,0,1\n\n1,0,much\n", r"r\.csv', row 4, column 'reward': 'much' must be a number"),
        (f"{HEAD}1,0,1\n1,0.5,1\n1,0,much\n", "row 3, column 'decision': '0.5' must be a whole number"),
        (f"{HEAD}1,0,1\n1,0\nann,0,1\n", "row 3: it has 2 cells, and the header 3"),
        (f"{HEAD}1,x,1\n1,0\n", "row 2, column 'decision': 'x' must be a whole number"),
        (f'{HEAD}1,0,"0,5"\n', "row 2, column 'reward': '0,5' must be a number"),
        (HEAD + "1,0,1\n" * (ROWS_OF_A_BLOCK + 5) + "1,0,?\n", f"row {ROWS_OF_A_BLOCK + 7}, column 'reward': '[?]'"),
        (f"{HEAD}99999999999999999999,0,1\n", "row 2, column 'person': '99999999999999999999' must be a whole"),
        (f"{HEAD},0,1\n", "1 rows without a person"),
        ("person;decision;reward\n1;0;1\n", r"Its columns are separated by semicolons: write them with commas"),
        ("person\tdecision\treward\n1\t0\t1\n", "separated by tabs"),
        ("person,decision,reward,reward\n1,0,1,1\n", "has 2 columns 'reward': it must have one"),
        ("", "is empty: it has no header"),
        (HEAD, r"r\.csv' has no rows: if it is right that nothing came, say --allow-empty, or leave --rewards out"),
        (f"{HEAD}1,0,1\n".encode("utf-16"), "is not UTF-8 text: save it as CSV in UTF-8"),
        (f"{HEAD}1,0,1\n".encode() + b"1,0,\xff\n", "is not UTF-8 text"),
    ],
)
def test_csv(shared: Path, tmp_path: Path, text: str | bytes, message: str) -> None:
    (tmp_path / "r.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=message):
        run(shared, tmp_path / "r.csv")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"person": ["1", "ann"]}, r"r\.parquet', row 2, column 'person': 'ann' must be a whole number"),
        ({"person": [1.0, 1.5]}, "row 2, column 'person': 1.5 must be a whole number"),
        ({"person": [[1], [2]]}, r"row 1, column 'person': \[1\] must be a whole number"),
        ({"reward": ["1", "much"]}, "row 2, column 'reward': 'much' must be a number"),
        ({"reward": pa.array([1, 2], pa.timestamp("s"))}, "column 'reward': datetime.* must be a number"),
        ({"decision": None}, "has no column 'decision', among 'person', 'reward'"),
    ],
)
def test_parquet(shared: Path, tmp_path: Path, columns: dict[str, Any], message: str) -> None:
    table = {"person": [1, 2], "decision": [0, 0], "reward": [1.0, 0.0], **columns}
    pq.write_table(pa.table({k: v for k, v in table.items() if v is not None}), tmp_path / "r.parquet")
    with pytest.raises(ValueError, match=message):
        run(shared, tmp_path / "r.parquet")


def test_parquet_of_other_types_that_hold_the_same_numbers_is_read(shared: Path, tmp_path: Path) -> None:
    columns = {
        "person": pa.array(["1", "2"]).dictionary_encode(), "decision": pa.array([0, 0], pa.uint8()),
        "reward": [True, False],
    }  # fmt: skip
    pq.write_table(pa.table(columns), tmp_path / "r.parquet")
    assert run(shared, tmp_path / "r.parquet", dry_run=True).refused == {"awaits no reward": 2}


def test_files_that_are_not_parquet_and_columns_that_are_there_twice(shared: Path, tmp_path: Path) -> None:
    (tmp_path / "r.parquet").write_text("person,decision,reward\n")
    with pytest.raises(ValueError, match=r"r\.parquet' is not a Parquet file, or is damaged"):
        run(shared, tmp_path / "r.parquet")
    twice = pa.table([[1], [0], [1.0], [1.0]], names=["person", "decision", "reward", "reward"])
    pq.write_table(twice, tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="has 2 columns 'reward'"):
        run(shared, tmp_path / "t.parquet")


def test_the_bad_file_of_a_folder_is_named(shared: Path, tmp_path: Path) -> None:
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "a.csv").write_text(f"{HEAD}1,0,1\n")
    (tmp_path / "r" / "b.csv").write_text(f"{HEAD}1,0,x\n")
    with pytest.raises(ValueError, match=r"b\.csv', row 2, column 'reward'"):
        run(shared, tmp_path / "r")


def test_availability(shared: Path, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("person,walk,sleep\n1,true,0\n2,yes,true\n")
    with pytest.raises(ValueError, match="row 3, column 'walk': 'yes' must be true or false, or 1 or 0"):
        run(shared, available=tmp_path / "a.csv")
    pq.write_table(pa.table({"person": [1, 2], "walk": [1, 0], "sleep": [1, 2]}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="row 2, column 'sleep': 2 must be true or false, or 1 or 0"):
        run(shared, available=tmp_path / "a.parquet")
    (tmp_path / "a.csv").write_text("person,walk,sleep\n")
    with pytest.raises(ValueError, match=r"has no rows: .* leave --available out"):
        run(shared, available=tmp_path / "a.csv")


def test_a_table_without_rows_may_be_allowed(tmp_path: Path) -> None:
    folder = tmp_path / "population"
    create(folder, ARMS, POLICY, PEOPLE, seed=5, partition_size=6)
    (tmp_path / "r.csv").write_text(HEAD)
    pq.write_table(pa.table({"person": pa.array([], pa.int64()), "walk": [], "sleep": []}), tmp_path / "a.parquet")
    report = run(folder, tmp_path / "r.csv", tmp_path / "a.parquet", allow_empty=True)
    assert (report.learned, report.decided, report.version) == (0, PEOPLE, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("person\n", "and has no rows"),
        ("person,age\n,3\nann,4\n", "and has 1 rows without one"),
        ("who\nann\n", "has no column 'person', among 'who'"),
        ("person;age\nann;4\n", "separated by semicolons"),
    ],
)
def test_ids(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "ids.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        create(tmp_path / "new", ARMS, POLICY, ids=tmp_path / "ids.csv")
    assert not (tmp_path / "new").exists()
