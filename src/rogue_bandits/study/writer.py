"""The thread that writes: requests that wait are served in one transaction, so that one sync to disk pays for many."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, NamedTuple

from rogue_bandits.study.batch import Batch
from rogue_bandits.study.design import StudyDesign
from rogue_bandits.study.error_log import log_error
from rogue_bandits.study.events import key_hash
from rogue_bandits.study.futures import LoopFuture, wake_loops
from rogue_bandits.study.operations import Operation
from rogue_bandits.study.problems import RequestProblem, internal_error, unavailable
from rogue_bandits.study.residents import Residents
from rogue_bandits.study.storage.contract import Head, StorageDown, StorageFault
from rogue_bandits.study.storage.sql import Storage, marks, parts

MOST_JOBS = 256  # in one transaction
LONGEST_QUEUE = 10_000
log = logging.getLogger("rogue.study")


class QueuedOperation(NamedTuple):
    """An operation, with what it will read, so that a batch can read for all of its jobs at once."""

    run: Operation
    done: Future[Any] | LoopFuture
    names: tuple[str, ...] = ()
    pids: tuple[str, ...] = ()
    keys: tuple[tuple[str, str, str], ...] = ()  # what for, the person's name, the key

    def digests(self, residents: Residents) -> list[bytes]:
        """Return the keys as the log has them; people who are unknown have none."""
        known, salts = residents.pids, residents.salts
        return [
            key_hash(scope, key, salts[known[name]] if name else b"")
            for scope, name, key in self.keys
            if not name or name in known
        ]


class Writer:
    """Serves jobs in the order in which they came."""

    def __init__(self, storage: Storage, design: StudyDesign, clock: Callable[[], str], residents: Residents) -> None:
        self._storage, self._design, self._clock = storage, design, clock
        self.residents = residents
        self._jobs: queue.Queue[QueuedOperation | None] = queue.Queue(LONGEST_QUEUE)
        self._thread = threading.Thread(target=self._run, name="rogue-writer", daemon=True)
        self._thread.start()

    def submit(self, job: QueuedOperation) -> None:
        """Queue a job; its future has the answer once it is durable."""
        try:
            self._jobs.put_nowait(job)
        except queue.Full:
            job.done.set_exception(unavailable(f"more than {LONGEST_QUEUE:,} requests wait: try again later"))
            wake_loops()

    def close(self) -> None:
        """Serve what waits, then end."""
        self._jobs.put(None)
        self._thread.join()

    def _run(self) -> None:
        going = True
        while going:
            jobs = [self._jobs.get()]
            while len(jobs) < MOST_JOBS:
                try:
                    jobs.append(self._jobs.get_nowait())
                except queue.Empty:
                    break
            going = None not in jobs
            chosen = [job for job in jobs if job is not None and job.done.set_running_or_notify_cancel()]
            if chosen:
                self._serve(chosen)
                wake_loops()

    def _serve(self, jobs: list[QueuedOperation]) -> None:
        error = self._serve_together(jobs)
        if error is None:
            return
        if len(jobs) > 1 and not isinstance(error, RequestProblem | StorageDown):  # one of them is at fault
            log.warning("%d requests are served one by one, after a %s", len(jobs), type(error).__name__)
            for job in jobs:
                self._serve([job])
            return
        problem = error_for_clients(error)
        for job in jobs:
            job.done.set_exception(problem)

    def _serve_together(self, jobs: list[QueuedOperation]) -> Exception | None:
        """Answer jobs in one transaction; return why it failed, if it did."""
        batch: Batch | None = None
        try:
            with self._storage.writing() as tx:
                batch = Batch(tx, self._design, self.residents, self._clock())
                answers = self._answers(batch, jobs)
                head = batch.flush()
        except Exception as error:  # nothing was acknowledged; states that have moved on are loaded again
            self._forget(batch)
            return error
        self._settle(jobs, answers, head)
        return None

    def _answers(self, batch: Batch, jobs: list[QueuedOperation]) -> list[Any]:
        batch.catch_up()
        batch.resolve(name for job in jobs for name in job.names)
        known = self.residents.pids
        pids = [pid for job in jobs for pid in job.pids] + [known[n] for job in jobs for n in job.names if n in known]
        batch.prefetch(existing(batch, pids), [key for job in jobs for key in job.digests(self.residents)])
        return [answer_of(batch, job) for job in jobs]

    def _settle(self, jobs: list[QueuedOperation], answers: list[Any], head: Head) -> None:
        self.residents.seq = head.seq
        for job, answer in zip(jobs, answers, strict=True):
            if isinstance(answer, Exception):
                job.done.set_exception(answer)
            else:
                job.done.set_result(answer)

    def _forget(self, batch: Batch | None) -> None:
        """Drop everything that a failed batch may have changed."""
        if batch is not None and batch.touched:
            for pid in batch.touched:
                self.residents.drop(pid)
            self.residents.erase(batch.touched)


def existing(batch: Batch, pids: list[str]) -> list[str]:
    """Return those of the random names, which requests may have made up, that people have."""
    wanted = sorted({pid for pid in pids if pid not in batch.residents.people})
    found: list[str] = []
    for some in parts(wanted):
        found += [row[0] for row in batch.tx.rows(f"SELECT pid FROM people WHERE pid IN ({marks(len(some))})", some)]
    return found


def answer_of(batch: Batch, job: QueuedOperation) -> Any:
    """Return the answer of a job, or the problem that it raised; what it has appended is then taken back."""
    mark, before = batch.mark(), batch.touched
    batch.touched = set()
    try:
        answer = job.run(batch)
    except (StorageDown, StorageFault):  # the transaction is lost
        batch.touched |= before
        raise
    except RequestProblem as problem:
        answer = problem
        if len(batch.events) > mark.events:
            batch.take_back(mark, batch.touched)
    except Exception as error:
        log_error(log, "an operation failed", error)
        batch.take_back(mark, batch.touched)
        answer = internal_error()
    batch.touched |= before
    return answer


def error_for_clients(error: Exception) -> Exception:
    """Return the error that clients get when a batch fails."""
    if isinstance(error, RequestProblem):
        return error
    if isinstance(error, StorageDown):
        log.warning("the database cannot be written to: %s", error)
        return unavailable("the database cannot be written to now: try again with the same key")
    log_error(log, "a batch failed", error)
    return internal_error()
