"""Another set of arms for a population on disk: a version of people like that of a run, without decisions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rogue_bandits.model.problem import problem_of
from rogue_bandits.model.validation import checked_arms
from rogue_bandits.online.engine import engine_of
from rogue_bandits.online.personal import with_own_arrays
from rogue_bandits.partitions.layout import Folder, Manifest, Ran, engine_in, read_manifest, write_manifest
from rogue_bandits.partitions.lock import locked
from rogue_bandits.partitions.new_arms import ArmChange, change_of, session_with_arms, with_arms
from rogue_bandits.partitions.people import (
    DamagedPartitionError,
    People,
    commit_people,
    committed,
    people_bytes,
    population_of,
    read_people,
)
from rogue_bandits.partitions.runs import Workers
from rogue_bandits.partitions.versions import begin_version, flush_version, remove_old
from rogue_bandits.policies.plain import arm_to_plain
from rogue_bandits.schedule import results
from rogue_bandits.types import Arm, start


class MigrationTask(NamedTuple):
    """A partition to migrate."""

    folder: str
    before: Manifest
    after: Manifest  # of the version that is made
    partition: int
    given: str  # a hash of the new arms
    dry: bool


class MigrationOutcome(NamedTuple):
    """What was done with a partition; `error` says why nothing was."""

    people: int = 0
    given_up: int = 0  # rewards of dropped arms that were awaited
    error: str = ""


class Migrated(NamedTuple):
    """What a migration did, over all partitions that are done."""

    version: int
    kept: tuple[str, ...]
    added: tuple[str, ...]
    dropped: tuple[str, ...]
    people: int = 0
    given_up: int = 0
    damaged: tuple[str, ...] = ()
    already: bool = False  # the population has these arms: nothing was done


def migrate(
    folder: str | Path,
    arms: Sequence[Arm],
    *,
    workers: int = 1,
    scheduler: str | None = None,
    dry_run: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Migrated:
    """Give a population on disk another set of arms, which are identified by their names.

    Arms that stay keep their evidence and their states, arms that are added begin as before the first decision, and
    those that are dropped are forgotten, with the rewards that they await. A migration that was stopped continues when
    it is called again.
    """
    at = Folder(Path(folder))
    read_manifest(at)  # says if there is no population
    with locked(at):
        m = read_manifest(at)
        new = m._replace(arms=tuple(checked_arms(list(arms))), version=m.version + 1)
        return _migrate(at, m, new, Workers(workers, scheduler, progress), dry_run)


def _migrate(at: Folder, m: Manifest, new: Manifest, workers: Workers, dry: bool) -> Migrated:
    change = change_of(m.arms, new.arms)
    words = (change.kept, change.added, change.dropped)
    if m.arms == new.arms:
        return Migrated(m.version, *words, already=True)
    raise_if_impossible(m, new, change)
    given = hashlib.sha256(json.dumps([arm_to_plain(arm) for arm in new.arms]).encode()).hexdigest()[:32]
    this = Ran(new.version, f"new arms, version {new.version}", given)
    if not dry:
        remove_old(at, m)
        begin_version(at, this, lambda: None)
    found = run_all(at, [MigrationTask(str(at.path), m, new, p, given, dry) for p in range(m.partitions)], workers)
    damaged = tuple(sorted(one.error for one in found if one.error))
    if not damaged and not dry:
        flush_version(at, new.version)
        write_manifest(at, new._replace(runs=(*m.runs, this)))
        remove_old(at, read_manifest(at))
    people, given_up = sum(one.people for one in found), sum(one.given_up for one in found)
    return Migrated(new.version, *words, people, given_up, damaged)


def raise_if_impossible(m: Manifest, new: Manifest, change: ArmChange) -> None:
    """Raise a ValueError if the policy cannot serve the new arms, or cannot be migrated."""
    engine = engine_of(problem_of(list(new.arms)), m.policy)
    with_arms(engine_in(m).state.personal, engine.state.personal, change)


def run_all(at: Folder, tasks: list[MigrationTask], workers: Workers) -> list[MigrationOutcome]:
    """Migrate the partitions that are not done; return what was done with all."""
    found, left = [], []
    for task in tasks:
        about = committed(at.people(task.after.version, task.partition))
        if task.dry or about is None or about.get("inputs") != task.given:
            left.append(task)
        else:
            found.append(MigrationOutcome(about["people"], about["given_up"]))
    for outcome in results(migrate_partition, left, workers.processes, workers.scheduler):
        found.append(outcome)
        if workers.progress is not None:
            workers.progress(outcome.people)
    return found


def migrate_partition(task: MigrationTask) -> MigrationOutcome:
    """Migrate a partition. Equal tasks write equal files."""
    at, m, new = Folder(Path(task.folder)), task.before, task.after
    try:
        people = read_people(at, m, m.version, task.partition)
    except DamagedPartitionError as error:
        return MigrationOutcome(error=str(error))
    migrated, given_up = with_new_arms(people, m, new)
    if not task.dry:
        about: dict[str, Any] = {"people": len(people.ids), "given_up": given_up, "inputs": task.given, "refused": {}}
        commit_people(at.people(new.version, task.partition), people_bytes(new, migrated), about)
    return MigrationOutcome(len(people.ids), given_up)


def with_new_arms(people: People, m: Manifest, new: Manifest) -> tuple[People, int]:
    """Return people under new arms, and how many rewards they awaited of arms that are dropped."""
    change, engine = change_of(m.arms, new.arms), engine_in(new)
    fresh = with_own_arrays(start(m.policy, engine.problem, len(people.ids)).personal, engine.state.personal)
    personal, session = people.population.arrays
    awaited, given_up = session_with_arms(session, len(m.arms), change)
    return People(people.ids, population_of(new, with_arms(personal, fresh, change), awaited)), given_up
