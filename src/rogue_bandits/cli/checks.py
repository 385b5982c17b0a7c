"""Errors and checks that several commands share."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

INTERRUPTED = 130  # exit code of shells after Ctrl-C


class Refused(click.ClickException):
    """An error that is reported in one line, without a traceback."""

    exit_code = 2


@contextmanager
def refused(before: str = "", after: str = "") -> Iterator[None]:
    """Report a TypeError or a ValueError in one line."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise Refused(f"{before}{error}{after}") from None


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Report a file that cannot be read in one line."""
    try:
        yield
    except OSError as error:
        raise Refused(f"'{path}' cannot be read: {error.strerror or error}") from None


@contextmanager
def writable(path: Path, after: str = "") -> Iterator[None]:
    """Report a file that cannot be written in one line."""
    try:
        yield
    except OSError as error:
        raise Refused(f"'{error.filename or path}' cannot be written: {error.strerror or error}{after}") from None


@contextmanager
def notes_once() -> Iterator[None]:
    """Print each distinct RuntimeWarning once, as a note of one line."""
    seen: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        if str(message) not in seen:
            seen.add(str(message))
            click.echo(f"note: {message}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", RuntimeWarning)
        warnings.showwarning = show
        yield


@contextmanager
def resumable(out: Path, too_large: str, stored: Callable[[], str]) -> Iterator[None]:
    """Report an interruption, with what is stored, or a lack of disk or memory, in one line."""
    try:
        with writable(out):
            yield
    except KeyboardInterrupt:
        click.echo(f"\nStopped. {stored()}", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    except MemoryError:
        raise Refused(too_large) from None


def format_option() -> click.Option:
    """Return --format, of tables."""
    return click.Option(
        ["--format", "kind"], type=click.Choice(["csv", "parquet"]), default="csv", show_default=True,
        callback=_checked_format, help="format of the tables that are written",
    )  # fmt: skip


def _checked_format(_: click.Context, __: click.Parameter, kind: str) -> str:
    """Return the format; refuse, before the work begins, one that cannot be written."""
    if kind != "csv":
        from rogue_bandits.report.table_file import raise_without_arrow

        with refused():
            raise_without_arrow(kind)
    return kind


def checked_workers(workers: int | None) -> int:
    """Return the number of cores to use, -1 for all."""
    if workers is None:
        return -1
    from rogue_bandits.model.numbers import checked_workers as checked

    with refused():
        return checked(workers, "workers")


def named_folder(name: str | Path) -> Path:
    """Return the folder with this name; an empty name, which would be the current folder, is refused."""
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
