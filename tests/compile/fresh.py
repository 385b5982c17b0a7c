"""Processes in which the package is not imported yet, forked from one that has imported numba.

To import numba and to set up its compiler takes a second of processor time, and is not what the tests are about.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

# Reads jobs, one to a line: a text to run in a fork, whose number it prints; or the number of one to wait for.
FORKS = """
import json, os, signal, sys, traceback
import numba
numba.njit(lambda x: x + 1.0)(1.0)

def run(text, environment, arguments, folder, files):
    signal.alarm(120)  # seconds, then it is killed
    for number, file in enumerate(files, 1):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), number)
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv[1:], sys.path[:0] = arguments, environment.get("PYTHONPATH", "").split(os.pathsep)
    try:
        exec(compile(text, "<text>", "exec"), globals())  # those of __main__
    except BaseException:
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0

for line in sys.stdin:
    job = json.loads(line)
    if isinstance(job, int):
        answer = os.waitstatus_to_exitcode(os.waitpid(job, 0)[1])
    else:
        assert "rogue_bandits" not in sys.modules
        answer = os.fork()
        if not answer:
            os._exit(run(**job))
    print(answer, flush=True)
"""


class Ended(NamedTuple):
    """What a process printed."""

    out: str
    errors: str


class Fresh:
    """Starts processes that are forked from one."""

    def __init__(self, process: Any, folder: Path) -> None:
        self._process, self._folder = process, folder
        self._files: dict[int, list[Path]] = {}

    def start(self, text: str, environment: dict[str, str], folder: Path, arguments: tuple[str, ...] = ()) -> int:
        """Run a text, and return a number to ask for its end with."""
        files = [self._folder / f"{len(self._files)}.{name}" for name in ("out", "errors")]
        number = self._ask({"text": text, "environment": environment, "arguments": arguments, "folder": str(folder),
                            "files": [str(file) for file in files]})  # fmt: skip
        self._files[number] = files
        return number

    def ended(self, number: int) -> Ended:
        """Wait for the end of a process, which must be without an error."""
        code, (out, errors) = self._ask(number), (file.read_text() for file in self._files[number])
        assert code == 0, errors
        return Ended(out, errors)

    def _ask(self, job: Any) -> int:
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


@contextmanager
def fresh_processes(folder: Path) -> Iterator[Fresh]:
    """A process to fork from; what forks print goes to files in `folder`."""
    with subprocess.Popen(
        [sys.executable, "-c", FORKS],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Fresh(process, folder)
        process.stdin.close()  # type: ignore[union-attr]  # a pipe
