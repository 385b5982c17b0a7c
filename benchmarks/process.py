"""Processes of their own, for what must not share caches or memory with the benchmark."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence


class ProcessFailed(Exception):  # noqa: N818  # it reads as it happened
    """A process ended badly; its last words are the message."""


def output_of(command: Sequence[str], extra: Mapping[str, str] | None = None) -> str:
    """What a command prints, with `extra` environment variables."""
    run = subprocess.run(command, env={**os.environ, **(extra or {})}, capture_output=True, text=True)
    if run.returncode != 0:
        raise ProcessFailed(f"{' '.join(command)}: exit code {run.returncode}\n{run.stderr[-2000:]}")
    return run.stdout
