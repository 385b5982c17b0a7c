"""Faults of a table, gathered so that all of them are reported at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

MOST = 20  # that are told one by one
T = TypeVar("T")


class FaultsError(ValueError):
    """Several faults of a file, with a line for each of the first `MOST`.

    >>> print(FaultsError("d.csv", ["d.csv, row 2: 'x' is no number", "d.csv, row 9: 'y' is no number"]))
    d.csv has 2 problems:
      row 2: 'x' is no number
      row 9: 'y' is no number
    """

    def __init__(self, file: str, messages: Iterable[str]) -> None:
        self.messages = list(messages)
        each = (one.removeprefix(file).removeprefix(",").strip() for one in self.messages[:MOST])
        lines = [f"{file} has {len(self.messages):,} problems:", *(f"  {one}" for one in each)]
        if len(self.messages) > MOST:
            lines.append(f"  … and {len(self.messages) - MOST:,} more")
        super().__init__("\n".join(lines))


class Gathered:
    """Faults of a file so far.

    >>> faults = Gathered("d.csv")
    >>> [faults.of(0, int, cell) for cell in ("1", "x", "3")]
    [1, 0, 3]
    >>> faults.tell()
    Traceback (most recent call last):
    ValueError: invalid literal for int() with base 10: 'x'
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.errors: list[ValueError] = []

    def of(self, otherwise: Any, function: Callable[..., T], *args: object) -> T:
        """Return what the function returns; if it raises a ValueError, that is gathered, and `otherwise` returned."""
        try:
            return function(*args)
        except ValueError as error:
            self.errors.append(error)
            found: T = otherwise
            return found

    def add(self, error: ValueError) -> None:
        """Gather a fault."""
        self.errors.append(error)

    def tell(self) -> None:
        """Raise what was gathered, if anything: a single fault as it was raised, several as one `FaultsError`."""
        if len(self.errors) == 1:
            raise self.errors[0]
        if self.errors:
            every = (error.messages if isinstance(error, FaultsError) else [str(error)] for error in self.errors)
            raise FaultsError(self.file, (message for messages in every for message in messages))
