"""Leave figures undrawn where a test is about something else: drawing takes most of the time of a report.

Import the fixture where it is used: `from tests.pictures import undrawn as undrawn`. tests/report/test_figures.py
draws them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

import pytest
from matplotlib.figure import Figure

from tests.matrix import FULL

EMPTY = {"svg": b'<svg xmlns="http://www.w3.org/2000/svg"/>', "png": b"\x89PNG\r\n\x1a\n"}


@pytest.fixture
def undrawn() -> Iterator[None]:
    """Figures are made and saved as empty pictures; they are drawn in `make verify`."""
    with pytest.MonkeyPatch.context() as patch:
        if not FULL:
            patch.setattr(Figure, "savefig", save_empty)
        yield


def save_empty(figure: Figure, file: BinaryIO, *, format: str, **_: Any) -> None:
    file.write(EMPTY[format])
