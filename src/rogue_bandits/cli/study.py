"""`rogue study …` and `rogue serve`: set up, serve, check and copy a study."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rogue_bandits.cli.checks import Refused, checked_folder, refused, writable

if TYPE_CHECKING:
    from rogue_bandits.study.storage.sql import Storage

DIFFERS = 1
FILE = click.argument("study", metavar="STUDY.TOML", type=click.Path(path_type=Path))
DATABASE = click.option("--database", metavar="URL", help="instead of the one in the study file")


@contextmanager
def reported() -> Iterator[None]:
    """Report faults of study files and databases without a traceback."""
    from rogue_bandits.study.storage.contract import StorageDown, StorageFault

    try:
        with refused():
            yield
    except ModuleNotFoundError as error:
        raise Refused(f"{error.name} is not installed: pip install 'rogue-bandits[serve]'") from None
    except StorageDown as error:
        raise Refused(f"the database cannot be reached: {error}") from None
    except StorageFault as error:
        raise Refused(f"the database cannot be read or written: {error}") from None


@contextmanager
def storage_of(study: Path, url: str | None) -> Iterator[Storage]:
    """Open the database of a study file, which must exist."""
    from rogue_bandits.study.file import read_study
    from rogue_bandits.study.storage.open import storage_at
    from rogue_bandits.study.storage.sqlite import SqliteStorage

    with reported():
        storage = storage_at(url or read_study(study).database.url, study.parent)
        if isinstance(storage, SqliteStorage) and not storage.path.exists():
            raise Refused(f"'{storage.path}' does not exist: `rogue serve {study}` makes it")
        storage.create()
        try:
            yield storage
        finally:
            storage.close()


@click.group("study", short_help="Set up, check and copy a study that is served.")
def study_group() -> None:
    """Set up, check and copy a study that `rogue serve` serves."""


@study_group.command("init")
@click.argument("folder", type=click.Path(path_type=Path))
def init_command(folder: Path) -> None:
    """Write a commented study.toml to a new FOLDER."""
    from rogue_bandits.study.template import study_template

    path = checked_folder(folder) / "study.toml"
    if path.exists():
        raise Refused(f"'{path}' exists: name another folder")
    path.write_text(study_template(folder.resolve().name), encoding="utf-8")
    click.echo(
        f"{path}\n\nNext:\n  rogue study token {path} --role app    # prints a token, once\n  rogue serve {path}"
    )


@study_group.command("check")
@FILE
@DATABASE
def check_command(study: Path, database: str | None) -> None:
    """Check a study file and say all that is wrong with it, and what differs from the version that is served."""
    from rogue_bandits.study.checking import checked_study
    from rogue_bandits.study.file import StudyFileError
    from rogue_bandits.study.served import compared

    with reported():
        found = checked_study(study)
        lines, faults = ([], []) if found.file is None else compared(found, database, study.parent)
        if found.faults or faults:
            raise StudyFileError(study, [*found.faults, *faults])
    assert found.design is not None
    design = found.design
    click.echo(f"{design.file.study.name}: {len(design.arms)} arms, {design.file.policy.id}, every available arm with "
               f"probability {design.least:g} or more. Settings {design.hash[:12]}.")  # fmt: skip
    for line in lines:
        click.echo(line)


@study_group.command("token")
@FILE
@click.option("--role", type=click.Choice(["app", "staff", "auditor"]), required=True, help="what it may be used for")
@click.option("--label", default="", help="a note on who has it")
@click.option("--days", type=click.FloatRange(0.01, 3650), default=365, show_default=True, help="days until it expires")
@DATABASE
def token_command(study: Path, role: str, label: str, days: float, database: str | None) -> None:
    """Print a new token. It is shown once: the database has its hash."""
    from rogue_bandits.study.clock import utc_now
    from rogue_bandits.study.file import read_study
    from rogue_bandits.study.storage.open import storage_at
    from rogue_bandits.study.storage.sqlite import SqliteStorage
    from rogue_bandits.study.tokens import issue

    with reported():
        storage = storage_at(database or read_study(study).database.url, study.parent)
        if isinstance(storage, SqliteStorage) and not storage.path.exists():
            click.echo(f"There was no database '{storage.path}': it is made, without people.", err=True)
        storage.create()
        with storage.writing() as tx:
            text = issue(tx, role, label, utc_now(), days)
        storage.close()
    click.echo(text)


@study_group.command("tokens")
@FILE
@DATABASE
def tokens_command(study: Path, database: str | None) -> None:
    """List tokens: id, role, label, expiry."""
    from rogue_bandits.study.tokens import all_tokens

    with storage_of(study, database) as storage, storage.reading() as reader:
        for token in all_tokens(reader):
            state = "revoked" if token.revoked is not None else f"until {token.expires[:10]}"
            click.echo(f"{token.id}  {token.role:8} {state:16} {token.label}")


@study_group.command("revoke")
@FILE
@click.argument("token_id")
@DATABASE
def revoke_command(study: Path, token_id: str, database: str | None) -> None:
    """Revoke a token by its id, which `rogue study tokens` lists."""
    from rogue_bandits.study.clock import utc_now
    from rogue_bandits.study.tokens import revoke

    with storage_of(study, database) as storage, storage.writing() as tx:
        if not revoke(tx, token_id, utc_now()):
            raise Refused(f"there is no valid token '{token_id}'; `rogue study tokens {study}` lists them")
    click.echo(f"revoked {token_id}; servers refuse it within 5 seconds")


@study_group.command("replay")
@FILE
@DATABASE
def replay_command(study: Path, database: str | None) -> None:
    """Rebuild every person from the log, make every decision again, and report any that differs, bit for bit."""
    from rogue_bandits.study.replay import SHOWN, replay

    with storage_of(study, database) as storage, storage.reading() as reader:
        found = replay(reader)
    click.echo(f"{found.people:,} people, {found.decisions:,} decisions made again, {found.snapshots:,} snapshots "
               f"compared: {len(found.differences):,} differ")  # fmt: skip
    for difference in found.differences[:SHOWN]:
        click.echo(f"  {difference}")
    if found.differences:
        raise click.exceptions.Exit(DIFFERS)


@study_group.command("verify")
@FILE
@DATABASE
def verify_command(study: Path, database: str | None) -> None:
    """Check the chain of hashes, and that the derived tables follow from the events."""
    from rogue_bandits.study.replay import SHOWN, verify

    with storage_of(study, database) as storage, storage.reading() as reader:
        found = verify(reader)
    click.echo(f"{found.events:,} events: {len(found.faults):,} fault(s)")
    for fault in found.faults[:SHOWN]:
        click.echo(f"  {fault}")
    if found.faults:
        raise click.exceptions.Exit(DIFFERS)


@study_group.command("backup")
@FILE
@click.argument("to", type=click.Path(path_type=Path))
@DATABASE
def backup_command(study: Path, to: Path, database: str | None) -> None:
    """Copy the study, of one moment, to a new SQLite file; it may be served meanwhile."""
    from rogue_bandits.study.backup import backup

    with storage_of(study, database) as storage:
        try:
            events = backup(storage, to)
        except OSError as error:
            raise Refused(str(error)) from None
    click.echo(f"{to}: {events:,} events")


@study_group.command("export")
@FILE
@click.argument("to", type=click.Path(path_type=Path))
@DATABASE
def export_command(study: Path, to: Path, database: str | None) -> None:
    """Write one row a decision to a .csv or .parquet file, with a codebook beside it."""
    from rogue_bandits.study.checking import read_design
    from rogue_bandits.study.export import as_csv, codebook_csv, write_parquet

    if to.suffix not in (".csv", ".parquet"):
        raise Refused(f"'{to}' must end with .csv or .parquet")
    with storage_of(study, database) as storage, storage.reading() as reader:
        design = read_design(study)
        book = to.with_suffix(".codebook.csv")
        with writable(to):
            with to.open("wb") as out:
                if to.suffix == ".csv":
                    out.writelines(text.encode() for text in as_csv(reader, design))
                else:
                    write_parquet(reader, design, out)
            book.write_text(codebook_csv(design), encoding="utf-8")
    click.echo(f"{to}\n{book}")


@click.command("serve", short_help="Serve a study: decisions, rewards and the page.")
@FILE
@click.option("--host", default="127.0.0.1", show_default=True, help="address to listen on")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any that is free")
@click.option("--proxies", default="", metavar="ADDRESSES", help="proxies whose X-Forwarded-For header is trusted")
@click.option("--verbose", is_flag=True, help="log every request, not only those that are refused")
@DATABASE
def serve_command(study: Path, host: str, port: int, proxies: str, verbose: bool, database: str | None) -> None:
    """Serve the study of a study file until Ctrl-C."""
    with reported():
        from rogue_bandits.study.serving import serve

        try:
            serve(study, host, port, database, click.echo, proxies, verbose)
        except OSError as error:
            raise Refused(f"{host}:{port} cannot be listened on: {error.strerror or error}; "
                          "choose others with --host and --port") from None  # fmt: skip


@study_group.command("demo")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="address to listen on")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any that is free")
@click.option("--people", type=click.IntRange(1, 1000), default=30, show_default=True, help="simulated people")
@click.option("--seconds", type=click.FloatRange(0, 3600), default=3, show_default=True, help="seconds a simulated day")
@click.option("--days", type=click.IntRange(1, 3650), default=365, show_default=True, help="number of simulated days")
def demo_command(folder: Path, host: str, port: int, people: int, seconds: float, days: int) -> None:
    """Serve a demonstration study in a new FOLDER, with simulated people who live through the public API."""
    with reported():
        from rogue_bandits.study.serving import serve_demonstration

        if (folder / "study.db").exists():
            raise Refused(f"'{folder}' has a study already: name another folder, or remove it")
        try:
            serve_demonstration(folder, host, port, people, seconds, days, click.echo)
        except OSError as error:
            raise Refused(f"{host}:{port} or '{folder}' cannot be used: {error.strerror or error}") from None
        except KeyboardInterrupt:
            click.echo(f"Stopped. The study is in '{folder}'.")
