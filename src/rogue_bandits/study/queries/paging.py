"""All decisions of a study, some at a time: there may be millions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rogue_bandits.study.storage.contract import Reader

AT_A_TIME = 5_000  # rows


def paged(reader: Reader, columns: str, condition: str = "") -> Iterator[list[tuple[Any, ...]]]:
    """Yield pid, number and columns of all decisions in this order, some at a time: there may be millions."""
    last: tuple[str, int] = ("", -1)
    sql = (
        f"SELECT pid, number, {columns} FROM decisions WHERE (pid, number) > (?, ?) {condition} "
        "ORDER BY pid, number LIMIT ?"
    )
    while page := reader.rows(sql, (*last, AT_A_TIME)):
        yield page
        last = page[-1][0], int(page[-1][1])
