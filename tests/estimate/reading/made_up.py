"""Tables for the tests of reading."""

from __future__ import annotations

from pathlib import Path

from rogue_bandits.estimate.table import Columns, Reading, Table, read_table

READING = Reading()


def read(folder: Path, text: str | bytes, reading: Reading = READING, name: str = "d.csv", **columns: str) -> Table:
    """Read a file with this content."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_table(path, Columns(**columns), reading)


def rewards(*cells: str) -> str:
    """Return a table of one person with these rewards."""
    return "person;decision;arm;reward\n" + "".join(f"a;{t};walk;{cell}\n" for t, cell in enumerate(cells))


def arms(*cells: str) -> str:
    """Return a table of one person with these arms."""
    return "person,decision,arm,reward\n" + "".join(f"a,{t},{cell},0.5\n" for t, cell in enumerate(cells))


def times(*cells: str, person: str = "a") -> str:
    """Return a table of one person with these times."""
    return "person,time,arm,reward\n" + "".join(f"{person},{cell},walk,0.5\n" for cell in cells)
