"""Checks that several commands share."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

INTERRUPTED = 130  # exit code of shells after Ctrl-C


class Refused(click.ClickException):
    """An error that is reported in one line, without a traceback."""

    exit_code = 2


def checked_workers(workers: int | None) -> int:
    """The number of cores to use, -1 for all."""
    if workers is None:
        return -1
    from rogue_bandits.model.validation import checked_workers as checked

    try:
        return checked(workers, "workers")
    except ValueError as error:
        raise Refused(str(error)) from None


def named_folder(name: str | Path) -> Path:
    """The folder with this name; an empty name, which would be the current folder, is refused."""
    if not str(name).strip():
        raise Refused("--out '' must name a folder; . is the current folder")
    return Path(name)


def checked_folder(folder: Path, *inside: str) -> Path:
    """Create a folder with these subfolders and check, before the work begins, that files can be written there."""
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
