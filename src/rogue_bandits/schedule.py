"""Tasks on several cores, or on several machines by Dask, whatever the tasks are.

A task that is lost with its worker is given to another; tasks must therefore be such that running one twice does no
harm.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_all_start_methods, get_context, parent_process
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")
RETRIES = 3  # of tasks whose worker is gone


def results(
    function: Callable[[T], R], tasks: Sequence[T], workers: int = 1, scheduler: str | None = None
) -> Iterator[R]:
    """Yield function(task) for every task, in the order in which they are done.

    `workers` processes share them (1: this one alone; −1: one a core), or those of a Dask scheduler, by its address.
    """
    if scheduler is not None:
        yield from _by_dask(function, tasks, scheduler)
    elif workers == 1 or len(tasks) <= 1:
        yield from map(function, tasks)
    else:
        yield from _by_processes(function, tasks, workers if workers > 0 else os.cpu_count() or 1)


def in_threads(function: Callable[..., R], tasks: Iterable[tuple[Any, ...]], workers: int) -> list[R]:
    """Return function(*task) for every task, in their order, by so many threads (1: this one; −1: one a core).

    >>> in_threads(pow, [(2, 3), (3, 2)], workers=1)
    [8, 9]
    """
    asked = list(tasks)
    if workers == 1 or len(asked) <= 1:
        return [function(*task) for task in asked]
    from joblib import Parallel, delayed  # a tenth of a second, which most commands need not wait for

    found: Iterable[R] = Parallel(n_jobs=workers, require="sharedmem")(delayed(function)(*task) for task in asked)
    return list(found)


def _by_processes(function: Callable[[T], R], tasks: Sequence[T], workers: int) -> Iterator[R]:
    """Yield results of processes; those that end early are replaced."""
    left = dict(enumerate(tasks))
    for attempt in range(RETRIES + 1):
        try:
            yield from _by_one_pool(function, left, min(workers, len(left)))
            return
        except BrokenProcessPool:
            if attempt == RETRIES:
                raise RuntimeError(
                    f"worker processes ended {RETRIES + 1} times, as when memory runs out: use fewer --workers"
                ) from None


def _by_one_pool(function: Callable[[T], R], left: dict[int, T], workers: int) -> Iterator[R]:
    """Yield results, and take what is done from `left`."""
    pool = ProcessPoolExecutor(workers, _context(function.__module__), initializer=_end_with_parent)
    try:
        futures = {pool.submit(function, task): key for key, task in left.items()}
        for future in as_completed(futures):
            result = future.result()
            del left[futures[future]]
            yield result
    except BrokenProcessPool:
        # The pool asks its other workers to terminate, and waits for ever for one that had just been started.
        for worker in list((pool._processes or {}).values()):
            worker.kill()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _context(module: str) -> Any:
    """Return how processes are started: as forks of one that has imported `module`, which takes a second.

    Later pools fork from it too. It never runs a task, and has no threads that a fork would lack.
    """
    if "forkserver" not in get_all_start_methods():  # as on Windows
        return get_context("spawn")
    context = get_context("forkserver")
    context.set_forkserver_preload([module])
    return context


def _end_with_parent() -> None:
    """End this process when the one that started it is gone, however it ended."""
    parent = parent_process()

    def wait() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _by_dask(function: Callable[[T], R], tasks: Sequence[T], scheduler: str) -> Iterator[R]:
    """Yield results of a Dask cluster."""
    with dask_client(scheduler) as client:
        from distributed import as_completed as dask_completed

        futures = client.map(function, tasks, pure=False, retries=RETRIES)
        for future in dask_completed(futures, loop=client.loop):
            yield future.result()


def dask_client(scheduler: str) -> Any:
    """Return a client of a Dask scheduler."""
    try:
        from distributed import Client
        from distributed.comm import parse_address
        from distributed.comm.registry import get_backend
    except ImportError:
        raise ValueError("--scheduler needs Dask: pip install rogue-bandits[cluster]") from None
    try:
        get_backend(parse_address(scheduler)[0])  # a Client of an unknown scheme prints a traceback when it is removed
        return Client(scheduler, timeout="10s", set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise ValueError(f"the scheduler '{scheduler}' cannot be reached: {error}") from None
