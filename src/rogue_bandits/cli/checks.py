"""What every command refuses, and how it says so."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

INTERRUPTED = 130  # what shells report for Ctrl-C


class Refused(click.ClickException):
    """What was asked for cannot be done: one line, and no traceback."""

    exit_code = 2


def checked_workers(workers: int | None) -> int:
    """The number of cores to use, as `simulate` has it."""
    if workers is None:
        return -1
    from rogue_bandits.model.validation import checked_workers as checked

    try:
        return checked(workers, "workers")
    except ValueError as error:
        raise Refused(str(error)) from None


def named_folder(name: str | Path) -> Path:
    """The folder of a name; an empty one would be the folder that happens to be open."""
    if not str(name).strip():
        raise Refused("--out '' must name a folder; . is the one that is open now")
    return Path(name)


def checked_folder(folder: Path, *inside: str) -> Path:
    """A folder that can be written, with these inside; better to know before the work is done than after."""
    try:
        for place in (folder, *(folder / name for name in inside)):
            place.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=place):
                pass
    except (FileExistsError, NotADirectoryError):
        raise Refused(
            f"output folder '{folder}' cannot be made: a file is in the way. Name another with --out."
        ) from None
    except OSError as error:
        reason = f"{error.strerror or error} ('{error.filename or folder}')"
        raise Refused(f"output folder '{folder}' cannot be written: {reason}. Name another with --out.") from None
    return folder
