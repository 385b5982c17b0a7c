"""Answers for an event loop from the writer's thread: the loop is woken once a batch, not once an answer."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

Answer = tuple[asyncio.Future[Any], Callable[[Any], None], Any]
_waiting = threading.local()  # of the writer's thread: what is to be said to each loop


class LoopFuture:
    """A future that the writer answers and a coroutine awaits."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._future: asyncio.Future[Any] = self._loop.create_future()

    def __await__(self) -> Any:
        return self._future.__await__()

    def set_running_or_notify_cancel(self) -> bool:
        """Return whether the answer is still wanted."""
        return not self._future.cancelled()

    def set_result(self, result: Any) -> None:
        """Set the result when the loops are woken."""
        self._add(self._future.set_result, result)

    def set_exception(self, exception: Any) -> None:
        """Set the exception when the loops are woken."""
        self._add(self._future.set_exception, exception)

    def _add(self, say: Callable[[Any], None], what: Any) -> None:
        loops: dict[Any, list[Answer]] = _waiting.__dict__.setdefault("loops", {})
        loops.setdefault(self._loop, []).append((self._future, say, what))


def wake_loops() -> None:
    """Wake every loop that has answers; called by the writer after each batch."""
    loops = _waiting.__dict__.pop("loops", {})
    for loop, answers in loops.items():
        try:
            loop.call_soon_threadsafe(_say_all, answers)
        except RuntimeError:  # the loop has ended, and nobody waits
            continue


def _say_all(answers: list[Answer]) -> None:
    for future, say, what in answers:
        if not future.cancelled():  # the client may have gone
            say(what)
