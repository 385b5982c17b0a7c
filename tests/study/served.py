"""A study served over HTTP on loopback, from a thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import uvicorn

from rogue_bandits.study.metrics import Metrics
from rogue_bandits.study.service import Service
from rogue_bandits.study.serving import address_of, bound_socket, server_of

PATIENCE = 60.0  # seconds
LOOP = "event loop"  # name of the thread


class Served(NamedTuple):
    """Where it is, and the server."""

    address: str
    server: uvicorn.Server


@contextmanager
def served(service: Service) -> Iterator[Served]:
    """Serve a study on a free port until the block ends."""
    listening = bound_socket("127.0.0.1", 0)
    server = server_of(service, Metrics())
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name=LOOP, daemon=True)
    thread.start()
    deadline = time.monotonic() + PATIENCE
    while not server.started:
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.005)
    try:
        yield Served(address_of("127.0.0.1", listening), server)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        listening.close()
