"""`rogue study …` and `rogue serve`, as in docs/study.md; wrong uses end in one sentence."""

from __future__ import annotations

import csv
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rogue_bandits.cli import main
from rogue_bandits.study.client import StudyClient
from rogue_bandits.study.demo import DayClock, live, prepared, simulated_people
from rogue_bandits.study.replay import replay
from rogue_bandits.study.service import open_study
from tests.study.cases import START
from tests.study.served import PATIENCE, served


def rogue(*args: object) -> Result:
    return CliRunner().invoke(main, [str(arg) for arg in args])


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A study made by `init`, with a policy whose kernels other tests have compiled."""
    path = tmp_path / "my-study" / "study.toml"
    assert rogue("study", "init", path.parent).exit_code == 0
    path.write_text(path.read_text().replace('id = "plan-ts"', 'id = "epsilon-rogue"'))
    return path


def test_from_nothing_to_a_served_decision(study: Path) -> None:
    assert "my-study: 2 arms, epsilon-rogue" in rogue("study", "check", study).output
    issued = rogue("study", "token", study, "--role", "staff", "--label", "me")
    assert "There was no database" in issued.stderr
    assert rogue("study", "token", study, "--role", "staff", "--label", "again").stderr == ""
    assert "0 people, 0 decisions made again" in rogue("study", "replay", study).output  # it was never served
    token = issued.stdout.strip()
    command = [sys.executable, "-m", "rogue_bandits", "serve", str(study), "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = server.stdout.readline().split()[-1]
        with StudyClient(address, token) as client:
            client.enrol("ann")
            made = client.decide("ann", datetime.now(UTC), "day-1")
            assert made.arm in ("walk", "sleep")
            client.reward(made.id, 1.0)
    finally:
        server.send_signal(signal.SIGTERM)
        _, errors = server.communicate(timeout=PATIENCE)
    assert (server.returncode, errors) == (0, "")
    assert "1 people, 1 decisions made again, 1 snapshots compared: 0 differ" in rogue("study", "replay", study).output
    assert "0 fault(s)" in rogue("study", "verify", study).output
    folder = study.parent
    assert rogue("study", "backup", study, folder / "copy.db").exit_code == 0
    assert "0 differ" in rogue("study", "replay", study, "--database", "sqlite:copy.db").output
    assert rogue("study", "export", study, folder / "decisions.csv").exit_code == 0
    with (folder / "decisions.csv").open() as table, (folder / "decisions.codebook.csv").open() as book:
        assert next(csv.reader(table)) == [row["column"] for row in csv.DictReader(book)]


def test_tokens_are_listed_and_revoked(study: Path) -> None:
    token = rogue("study", "token", study, "--role", "app", "--label", "phone").stdout.strip()
    name = token.split("_")[1]
    assert re.search(rf"{name}  app +until .* phone", rogue("study", "tokens", study).output)
    assert token not in rogue("study", "tokens", study).output
    assert rogue("study", "revoke", study, name).exit_code == 0
    assert "revoked" in rogue("study", "tokens", study).output
    again = rogue("study", "revoke", study, name)
    assert (again.exit_code, "there is no valid token" in again.output) == (2, True)


def test_wrong_uses_end_in_one_sentence(study: Path, tmp_path: Path) -> None:
    for args, words in [
        (("study", "init", study.parent), "exists: name another folder"),
        (("study", "replay", study), "does not exist: `rogue serve"),
        (("study", "check", tmp_path / "no.toml"), "it cannot be read: No such file"),
        (("study", "verify", study, "--database", "mysql://x"), "must be sqlite:FILE or postgresql://"),
        (("study", "verify", study, "--database", "postgresql://nobody@127.0.0.1:1/x"), "cannot be reached"),
        (("study", "export", study, tmp_path / "x.xlsx"), "must end with .csv or .parquet"),
    ]:
        result = rogue(*args)
        assert result.exit_code == 2, args
        assert words in result.output
        assert "Traceback" not in result.output


def test_a_database_that_takes_no_row_is_reported_in_one_sentence(study: Path) -> None:
    assert rogue("study", "token", study, "--role", "app").exit_code == 0
    with closing(sqlite3.connect(study.parent / "study.db")) as database:
        database.execute("CREATE TRIGGER no BEFORE INSERT ON tokens BEGIN SELECT RAISE(ABORT, 'no more'); END")
    result = rogue("study", "token", study, "--role", "app")
    assert (result.exit_code, result.output) == (2, "Error: the database cannot be read or written: no more\n")


def edited(study: Path, *changes: tuple[str, str]) -> None:
    text = study.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    study.write_text(text)


def test_all_faults_of_a_study_file_are_reported_at_once(study: Path) -> None:
    """Of form and of meaning; about an arm with a fault of form nothing else is said."""
    edited(study, ("per_day = 1 ", "per_day = 0 "), ('when = "at once"', 'when = "never"'))
    edited(study, ("decay = 0.7", "decoy = 0.7"), ('id = "epsilon-rogue"', 'id = "epsilon"'), ('"walk"', '"walk!"'))
    result = rogue("study", "check", study)
    assert result.exit_code == 2
    assert "has 5 fault(s)" in result.output
    for words in (
        "decisions.per_day: must be 1 or more, not 0",
        "learning.when: must be 'at once' or 'nightly', not 'never'",
        "arms[0].name: must be 1 to 60 letters, digits, spaces and . _ -, the first a letter or a digit, not 'walk!'",
        "arms[1].dynamics: number 'decoy' is unknown, did you mean 'decay'?",
        "policy.id: policy 'epsilon' is unknown, did you mean 'epsilon-rogue'?",
    ):
        assert words in result.output


def test_a_check_says_what_differs_from_what_is_served(study: Path) -> None:
    assert "No database yet" in rogue("study", "check", study).output
    with open_study(study):
        pass
    assert "It is what version 1 was served with: nothing changes." in rogue("study", "check", study).output
    edited(study, ("# least = 0.2", "least = 0.3"), ("per_day = 1 ", "per_day = 2 "))
    output = rogue("study", "check", study).output
    assert "The next start begins version 2. What differs from version 1:\n" in output
    assert "\n  limits.least: 0.3, before not given\n" in output
    assert "\n  decisions.per_day: 2, before 1\n" in output
    edited(
        study, ('name = "walk"', 'name = "run"'), ("# scale = 1.0", "scale = 2.0"), ('when = "at once"', 'when = "now"')
    )
    result = rogue("study", "check", study)
    assert "has 1 fault(s)" in result.output  # of form: what it means cannot be compared
    edited(
        study,
        ('when = "now"', 'when = "at once"'),
        ("per_day = 2 ", "per_day = 1 "),
        ('id = "epsilon-rogue"', 'id = "eps"'),
    )
    result = rogue("study", "check", study)
    assert (result.exit_code, "has 3 fault(s)" in result.output) == (2, True)
    assert "arms: under way they must stay walk, sleep, in this order, not run, sleep" in result.output
    assert "rewards.scale: under way it must stay 1.0" in result.output
    assert "policy.id: policy 'eps' is unknown" in result.output
    away = rogue("study", "check", study, "--database", "postgresql://nobody@127.0.0.1:1/x")
    assert "policy.id" in away.output


def test_a_port_in_use_is_named(study: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = rogue("serve", study, "--port", port)
    assert result.exit_code == 2
    assert (
        f"127.0.0.1:{port} cannot be listened on: Address already in use; choose others with --host and --port"
        in result.output
    )


def test_simulated_people_live_through_the_public_api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    from rogue_bandits.study import demo

    monkeypatch.setattr(demo, "STUDY", demo.STUDY.replace('"plan-ts"', '"epsilon-rogue"'))
    clock = DayClock(START)
    service, tokens = prepared(tmp_path / "demo", clock)
    with service, served(service) as running:
        people = simulated_people(service, 4, seed=1)
        assert live(running.address, tokens["app"], people, clock, 6, 0.0, threading.Event()) == 6
        with service.storage.reading() as reader:
            found = replay(reader)
            assert (found.people, found.decisions, found.differences) == (
                3,
                6 + 4 + 1,
                [],
            )  # they join on days 0, 2, 5 and 7
            [(rewards,)] = reader.rows("SELECT count(rewarded) FROM decisions")
    assert rewards >= 5
