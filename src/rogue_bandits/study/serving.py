"""Serve a study: over HTTP, with uvicorn."""

from __future__ import annotations

import logging
import signal
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import uvicorn

from rogue_bandits.study import demo
from rogue_bandits.study.api.app import create_app
from rogue_bandits.study.metrics import Metrics
from rogue_bandits.study.nightly import nightly_updates
from rogue_bandits.study.service import Service, open_study
from rogue_bandits.study.warm_up import warm_up

LOG = "%(asctime)s %(levelname)s %(name)s %(message)s"


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens; an OSError says that the port is in use.

    Its protocol is named: asyncio sends small packets at once (TCP_NODELAY) over connections of such sockets alone.
    Otherwise the body of an answer waits until its head is acknowledged, which may take 40 ms.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError:
        listening.close()
        raise
    return listening


def serve(
    path: Path, host: str, port: int, url: str | None, say: Callable[[str], None], proxies: str, verbose: bool
) -> None:
    """Serve until a signal comes; requests that wait are answered first, and states are saved."""
    listening = bound_socket(host, port)
    logging.basicConfig(level=logging.INFO if verbose else logging.WARNING, format=LOG)
    with open_study(path, url=url) as service:
        warm_up(service.design)
        say(f"{service.design.file.study.name}, version {service.design.version}: {address_of(host, listening)}")
        # uvicorn raises the signal that ended it once more: it would end the process before states are saved.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        run_until_signal(service, listening, proxies)


def run_until_signal(service: Service, listening: socket.socket, proxies: str = "") -> None:
    """Answer requests over HTTP, and learn at night."""
    with nightly_updates(service):
        server_of(service, Metrics(), proxies).run(sockets=[listening])


def address_of(host: str, listening: socket.socket) -> str:
    """Return the address of a server."""
    return f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"


def server_of(service: Service, metrics: Metrics, proxies: str = "") -> uvicorn.Server:
    """Return the server of a study that is open."""
    # uvicorn's own log of requests has paths with people in them.
    return uvicorn.Server(uvicorn.Config(
        create_app(service, metrics), access_log=False, log_level="warning", http="auto", proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies or None, timeout_graceful_shutdown=10,
    ))  # fmt: skip


def serve_demonstration(
    folder: Path, host: str, port: int, people: int, seconds: float, days: int, say: Callable[[str], None]
) -> None:
    """Serve the demonstration, with people who live a day every few seconds, until a signal comes."""
    listening = bound_socket(host, port)
    clock = demo.DayClock(demo.first_day(days_back=30))
    service, tokens = demo.prepared(folder, clock)
    with service:
        warm_up(service.design)
        stop, address = threading.Event(), address_of(host, listening)
        crowd = demo.simulated_people(service, people, seed=7)
        args = (address, tokens["app"], crowd, clock, days, seconds, stop)
        life = threading.Thread(target=demo.live, args=args, daemon=True)
        say(f"The page: {address}/\nThe API:  {address}/v1/openapi.json\n")
        say("\n".join(f"token of {role}: {token}" for role, token in tokens.items()))
        say(f"\n{people} people live a day every {seconds:g} s. Ctrl-C ends it.")
        life.start()
        run_until_signal(service, listening)
        stop.set()
