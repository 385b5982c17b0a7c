"""A study that is open: its design, its log and its writer, with one method for each request."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any

from rogue_bandits.online.bandit import Bandit
from rogue_bandits.online.explanation import Explanation
from rogue_bandits.study import events as kinds
from rogue_bandits.study import operations
from rogue_bandits.study.checking import read_design
from rogue_bandits.study.clock import utc_now
from rogue_bandits.study.design import StudyDesign, personal_arms
from rogue_bandits.study.events import LogEvent, chained, event_of, key_hash
from rogue_bandits.study.file import StudyFileError
from rogue_bandits.study.futures import LoopFuture
from rogue_bandits.study.loading import CHUNK, load_people
from rogue_bandits.study.operations import DecisionRequest, Enrolment, Observed
from rogue_bandits.study.person import PersonState
from rogue_bandits.study.problems import study_changed
from rogue_bandits.study.queries import last_of_study, pid_of
from rogue_bandits.study.residents import MOST, Residents
from rogue_bandits.study.storage.contract import Head, StorageRefused
from rogue_bandits.study.storage.open import storage_at
from rogue_bandits.study.storage.sql import Storage, Transaction
from rogue_bandits.study.transitions import rest_through_gap
from rogue_bandits.study.versions import faults_under_way
from rogue_bandits.study.writer import QueuedOperation, Writer


class Service:
    """A study that is open."""

    def __init__(
        self, design: StudyDesign, storage: Storage, clock: Callable[[], str] = utc_now, residents: int = MOST
    ) -> None:
        """Begin to serve; `opened` makes the design's version known to the log first."""
        self.design, self.storage, self.clock = design, storage, clock
        self._future: Callable[[], Any] = Future
        self.writer = Writer(storage, design, clock, Residents(residents))

    def close(self) -> None:
        """Serve what waits, save people's states, and close the database."""
        unsaved = [pid for pid, person in list(self.writer.residents.people.items()) if person.unsaved]
        for first in range(0, len(unsaved), CHUNK):
            some = unsaved[first : first + CHUNK]
            saved: Future[Any] = Future()
            self.writer.submit(QueuedOperation(partial(operations.save_people, pids=some), saved))
        self.writer.close()
        self.storage.close()

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def submit(self, run: operations.Operation, **reads: Any) -> Any:
        """Queue an operation; the future has its answer once it is durable."""
        done = self._future()
        self.writer.submit(QueuedOperation(run, done, **reads))
        return done

    def awaitable(self) -> Service:
        """Return the same study with futures that coroutines await."""
        view = copy(self)
        view._future = LoopFuture
        return view

    # ---- requests ----------------------------------------------------------------------------------------------------
    def enrol(self, person: Enrolment) -> Any:
        """Add a person."""
        return self.submit(lambda batch: operations.enrol(batch, person), names=(person.name,))

    def change_status(self, name: str, change: str) -> Any:
        """Pause, resume, withdraw or erase a person."""
        return self.submit(lambda batch: operations.change_status(batch, name, change), names=(name,))

    def decide(self, name: str, asked: DecisionRequest, key: str, scope: str = operations.DECIDE) -> Any:
        """Decide for a person."""
        return self.submit(
            lambda batch: operations.decide(batch, name, asked, key, scope), names=(name,), keys=((scope, name, key),)
        )

    def schedule(self, name: str, asked: list[DecisionRequest], key: str) -> Any:
        """Decide for several times ahead."""
        keys = tuple((operations.SCHEDULE, name, f"{key}/{k}") for k in range(len(asked)))
        return self.submit(lambda batch: operations.schedule(batch, name, asked, key), names=(name,), keys=keys)

    def deliver(self, decision: str, status: str) -> Any:
        """Record a delivery."""
        pids = (decision.rpartition("-")[0],)
        return self.submit(lambda batch: operations.deliver(batch, decision, status), pids=pids)

    def reward(self, decision: str, observed: Observed, role: str = "app") -> Any:
        """Record a reward, which comes from somebody with a role; a correction must come from staff."""
        pids = (decision.rpartition("-")[0],)
        return self.submit(lambda batch: operations.reward(batch, decision, observed, role), pids=pids)

    def update(self, key: str) -> Any:
        """Learn from all rewards that wait."""
        return self.submit(lambda batch: operations.update(batch, key), keys=(("update", "", key),))

    def head(self) -> Head:
        """Return the head of the log; raise where it cannot be read, or has a later version than this server."""
        with self.storage.reading() as reader:
            if last_of_study(reader, kinds.VERSION) > self.design.seq:
                raise study_changed()
            return reader.head()

    def explain(self, name: str) -> Explanation:
        """Return what is known of a person's arms and what the next decision would be; nothing is played.

        The person is loaded from the log, apart from the one who is served.
        """
        with self.storage.reading() as reader:
            pid = pid_of(reader, name)
        return self.explain_people([pid])[pid]

    def explain_people(self, pids: Sequence[str]) -> dict[str, Explanation]:
        """Return the explanations of people with these random names, as of now: missed decisions were rests."""
        with self.storage.reading() as reader:
            people = load_people(reader, self.design, pids)
        available = [k for k, arm in enumerate(self.design.file.arms) if not arm.paused]
        return {pid: self._explained(person, available) for pid, person in people.items()}

    def _explained(self, person: PersonState, available: list[int]) -> Explanation:
        rest_through_gap(self.design, person, self.clock())
        return self._bandit_of(person).explain(available).numbered(person.number)

    def _bandit_of(self, person: PersonState) -> Bandit:
        """Return the person's bandit; one that has seen nothing where a law has failed."""
        if person.bandit is not None:
            return person.bandit
        return Bandit(personal_arms(self.design, person.dynamics), self.design.policy, seed=0)


# ---- opening ---------------------------------------------------------------------------------------------------------
def open_study(path: Path, clock: Callable[[], str] = utc_now, url: str | None = None) -> Service:
    """Open the study of a study file: make its database where there is none, and begin a version where it changed."""
    design = read_design(path)
    return opened(design, storage_at(url or design.file.database.url, path.parent), clock, path)


def opened(
    design: StudyDesign, storage: Storage, clock: Callable[[], str] = utc_now, path: Path | str = "study.toml"
) -> Service:
    """Serve a design on a storage."""
    storage.create()
    with storage.writing() as tx:
        design = begun(tx, design, clock(), path)
    return Service(design, storage, clock)


def begun(tx: Transaction, design: StudyDesign, now: str, path: Path | str) -> StudyDesign:
    """Return the design with its version in the log; a new version is written if anything has changed."""
    past = [event_of(row) for row in tx.events(0, ())]
    created = next((event for event in past if event.kind == kinds.CREATED), None)
    versions = [event for event in past if event.kind == kinds.VERSION]
    new: list[LogEvent] = []
    head = tx.head()
    if created is None:
        body = {"study": design.file.study.name, "seed": secrets.token_hex(16)}
        created = LogEvent(head.seq + 1, "", kinds.CREATED, now, None, body)
        new.append(created)
    elif created.body["study"] != design.file.study.name:
        raise StorageRefused(f"this database holds the study '{created.body['study']}', not '{design.file.study.name}'")
    last = versions[-1] if versions else None
    if last is not None:
        faults = faults_under_way(last.body["settings"], design.file)
        if faults:
            raise StudyFileError(path, faults)
    if last is None or (last.body["hash"], last.body["package"]) != (design.hash, design.package):
        number = len(versions) + 1
        settings: dict[str, Any] = {
            "version": number, "settings": design.file.settings(), "hash": design.hash, "package": design.package,
            "why": design.why, "least": design.least,
        }  # fmt: skip
        last = LogEvent(head.seq + len(new) + 1, "", kinds.VERSION, now, key_hash("version", str(number)), settings)
        new.append(last)
        versions.append(last)
    write_events(tx, head, new)
    return design._replace(
        version=last.body["version"], seq=last.seq, seed=created.body["seed"],
        history={event.body["version"]: event.body for event in versions},
    )  # fmt: skip


def write_events(tx: Transaction, head: Head, new: list[LogEvent]) -> None:
    """Append events of the whole study."""
    rows, before = [], head.hash
    for event in new:
        rows.append(chained(event, before))
        before = rows[-1].hash
    if rows:
        tx.write({"events": [tuple(row) for row in rows]}, Head(rows[-1].seq, before))
