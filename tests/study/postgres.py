"""A PostgreSQL server of our own, from Debian's packages, on a unix socket in a temporary folder."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from itertools import count
from pathlib import Path

import psycopg


def binaries() -> Path | None:
    """Return the folder with initdb and pg_ctl; None where PostgreSQL is not installed."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).parent
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return folders[-1].parent if folders else None


class Cluster:
    """A server with any number of databases; nothing listens on the network."""

    def __init__(self) -> None:
        folder = binaries()
        if folder is None:
            raise RuntimeError("PostgreSQL is not installed")
        self._bin, self.folder = folder, Path(tempfile.mkdtemp(prefix="rogue-pg-"))
        self._numbers = count(1)
        # PostgreSQL refuses to run as root.
        self._user = "postgres" if os.geteuid() == 0 else None
        if self._user is not None:
            found = pwd.getpwnam(self._user)
            os.chown(self.folder, found.pw_uid, found.pw_gid)
        self._run(
            "initdb",
            "-D",
            str(self.folder / "data"),
            "-A",
            "trust",
            "-U",
            "postgres",
            "-N",
            "-E",
            "UTF8",
            "--no-locale",
        )
        self.start()

    def start(self) -> None:
        """Start the server. Nothing here survives a loss of power, so nothing waits for the disk."""
        options = f"-k {self.folder} -c listen_addresses='' -c shared_buffers=64MB -c fsync=off"
        data = str(self.folder / "data")
        self._run("pg_ctl", "-D", data, "-l", str(self.folder / "log"), "-w", "-o", options, "start")

    def stop(self) -> None:
        """Stop the server at once, as a crash would."""
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "-w", "stop")

    def close(self) -> None:
        """Stop the server and remove all of it."""
        self.stop()
        shutil.rmtree(self.folder)

    def new_database(self) -> str:
        """Return the URL of an empty schema, which is quicker to make than a database."""
        name, url = f"study{next(self._numbers)}", f"postgresql://postgres@/postgres?host={self.folder}"
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}".encode())
        return f"{url}&options=-csearch_path%3D{name}"

    def _run(self, program: str, *args: str) -> None:
        command = [str(self._bin / program), *args]
        if self._user is not None:
            command = ["runuser", "-u", self._user, "--", *command]
        done = subprocess.run(command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{program}: {done.stderr[-500:]}")
