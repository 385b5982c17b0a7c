"""The command as a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

ROGUE = sys.executable, "-m", "rogue_bandits"
SLOWER = "epsilon-rogue"  # takes ten times as long as random choices


def test_the_version() -> None:
    done = subprocess.run([*ROGUE, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"rogue, version {version('rogue-bandits')}\n"


def test_help_does_not_wait_for_what_it_does_not_need() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from rogue_bandits.cli import main; "
        "assert CliRunner().invoke(main, ['--help']).exit_code == 0; "
        "assert not {'numba', 'numpy', 'pandas', 'matplotlib', 'pydantic', 'rich'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_refusal_has_no_traceback(tmp_path: Path) -> None:
    words = [*ROGUE, "reproduce", "logistic", "--horizon", "0", "--out", str(tmp_path / "out")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "Error: horizon 0 must be 1 or more\n")


def default_sigint() -> None:
    """Restore the default action of Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to one process there")
def test_ctrl_c_keeps_what_is_finished(tmp_path: Path) -> None:
    words = [*ROGUE, "reproduce", "logistic", "--horizon", "300000", "--replicates", "4", "--workers", "2",
             "--policy", "random", "--policy", SLOWER, "--out", str(tmp_path)]  # fmt: skip
    # A background job has SIGINT ignored, which a child inherits.
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, preexec_fn=default_sigint) as process:
        assert process.stderr is not None
        line = ""
        while f"{SLOWER}: loading" not in line:
            line = process.stderr.readline()
            assert line, "it ended before it could be interrupted"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert "Finished and stored in" in process.stderr.read()
    assert [path.name for path in (tmp_path / "policies").iterdir()] == ["random.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C cannot be sent to one process there")
@pytest.mark.parametrize("words", [["fit", "d.csv"], ["advise", "people.json"], ["simulate", "--fit", "people.json"]])
def test_ctrl_c_while_modules_are_imported(tmp_path: Path, words: list[str]) -> None:
    """The interruption comes when numpy is about to be imported."""
    (tmp_path / "d.csv").write_text("person,decision,arm,reward\n")
    code = """
import os, signal, sys
class Interruption:
    def find_spec(self, name, *_):
        if name == "numpy":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interruption())
signal.signal(signal.SIGINT, signal.default_int_handler)
from rogue_bandits.cli import main
main(prog_name="rogue")
"""
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "\nStopped.\n")
