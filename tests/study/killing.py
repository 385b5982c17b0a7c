"""`python -m tests.study.killing URL MOMENTS SEED`: kill a server under load, again and again; look for what is lost.

The server is a fork of this process, so that it starts in milliseconds; it listens on a socket that outlives it.
Clients repeat what was not acknowledged, with the same key, as apps do. Prints what was found as JSON; exits with 1
if anything acknowledged is lost or changed, a key decided twice, or a replay differs.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import sys
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.loopback import Connection, Gone
from rogue_bandits.study.clock import utc_now
from rogue_bandits.study.design import StudyDesign
from rogue_bandits.study.replay import replay, verify
from rogue_bandits.study.service import opened
from rogue_bandits.study.serving import bound_socket, run_until_signal
from rogue_bandits.study.storage.open import storage_at
from rogue_bandits.study.tokens import issue
from tests.study.cases import at, design

PEOPLE, AT_ONCE = 6, 2  # people, and clients that send the same request at the same time
MOST_ANSWERS, LONGEST = 60, 0.03  # a kill comes after so many answers at most, and so many seconds after that
PATIENCE, GRACE = 120.0, 0.05


class Life:
    """What one person's app has asked for and what was acknowledged."""

    def __init__(self, name: str) -> None:
        self.name, self.minute = name, 0
        self.decisions: dict[str, dict[str, Any]] = {}  # acknowledged, by key
        self.rewards: dict[str, float] = {}  # acknowledged, by decision
        self.sent: dict[str, set[float]] = {}  # what may be stored: sent since the last acknowledgement, by decision
        self.enrolled = False
        self.answers = 0
        self.faults: list[str] = []

    async def live(self, connections: list[Connection]) -> None:
        """Ask, and report rewards, until the server is gone."""
        if not self.enrolled:
            await connections[0].post("/v1/people", {"person": self.name})
            self.enrolled = True
        while True:
            key = f"k{self.minute}"
            body = {"time": at(self.minute).isoformat(), "key": key}
            asks = [one.post(f"/v1/people/{self.name}/decisions", body) for one in connections]
            answers = await asyncio.gather(*asks, return_exceptions=True)
            for answer in answers:
                self.note(key, answer)
            if any(isinstance(answer, BaseException) for answer in answers):
                raise Gone
            made = self.decisions[key]["id"]
            value = float(self.minute % 2)
            await self.reward(connections[0], made, {"value": value})
            if self.minute % 7 == 3:
                await self.reward(connections[0], made, {"value": 1.0 - value, "correction": "typo"})
            self.minute += 1

    async def reward(self, connection: Connection, made: str, body: dict[str, Any]) -> None:
        """Report a reward; until it is acknowledged, it may be stored or not."""
        self.sent.setdefault(made, set()).add(body["value"])
        status, _ = await connection.post(f"/v1/decisions/{made}/reward", body)
        self.answers += 1
        if status == 200:
            self.rewards[made] = body["value"]
            self.sent[made] = {body["value"]}

    def note(self, key: str, answer: Any) -> None:
        """Keep what was acknowledged; it must be what was acknowledged before."""
        if isinstance(answer, BaseException):
            return
        status, content = answer
        self.answers += 1
        if status != 200:
            self.faults.append(f"{self.name} {key}: {status} {content}")
        elif self.decisions.setdefault(key, content) != content:
            self.faults.append(f"{self.name} {key}: answered twice, differently")


def server(listening: socket.socket, study: StudyDesign, url: str) -> int:
    """Fork a server; return its process id."""
    child = os.fork()
    if child:
        return child
    try:
        with opened(study, storage_at(url, Path("/"))) as service:
            run_until_signal(service, listening)
    except BaseException:
        traceback.print_exc()
    os._exit(1)


async def until_killed(lives: list[Life], port: int, token: str, child: int, answers: int, delay: float) -> None:
    """Put load on a server; kill it some time after so many answers, however fast the machine is."""
    connections = [[Connection(port, token) for _ in range(AT_ONCE)] for _ in lives]
    first = Connection(port, token)
    await asyncio.wait_for(first.post("/v1/people", {"person": "nobody"}), PATIENCE)
    tasks = [asyncio.create_task(life.live(own)) for life, own in zip(lives, connections, strict=True)]
    wanted, deadline = answers + sum(life.answers for life in lives), asyncio.get_running_loop().time() + PATIENCE
    while sum(life.answers for life in lives) < wanted and asyncio.get_running_loop().time() < deadline:
        await asyncio.sleep(0.001)
    await asyncio.sleep(delay)
    os.kill(child, signal.SIGKILL)
    # Those who were still in the queue of the socket would wait for the next server.
    await asyncio.wait(tasks, timeout=GRACE)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for one in (first, *(c for own in connections for c in own)):
        one.close()


def run(url: str, moments: int, seed: int) -> dict[str, Any]:
    """Kill a server so many times; return what was found."""
    study, chance = design(), random.Random(seed)
    storage = storage_at(url, Path("/"))
    storage.create()
    with storage.writing() as tx:
        token = issue(tx, "staff", "test", utc_now(), 1)
    storage.close()  # a fork must not share a connection
    listening = bound_socket("127.0.0.1", 0)
    listening.listen(100)
    port = listening.getsockname()[1]
    lives = [Life(f"p{k}") for k in range(PEOPLE)]
    for _ in range(moments):
        child = server(listening, study, url)
        try:
            answers, delay = chance.randrange(MOST_ANSWERS), chance.uniform(0.0, LONGEST)
            asyncio.run(until_killed(lives, port, token, child, answers, delay))
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    found = examined(lives, url)
    found["moments"] = moments
    return found


def examined(lives: list[Life], url: str) -> dict[str, Any]:
    """Compare what was acknowledged with what is stored, and replay it."""
    faults = [fault for life in lives for fault in life.faults]
    storage = storage_at(url, Path("/"))
    with storage.reading() as reader:
        rows = reader.rows("SELECT pid, number, arm, probabilities, reward FROM decisions")
        stored = {f"{pid}-{number}": (arm, json.loads(p), reward) for pid, number, arm, p, reward in rows}
        for life in lives:
            numbers = sorted(made["number"] for made in life.decisions.values())
            if numbers != list(range(len(numbers))):
                faults.append(f"{life.name}: the numbers of {len(numbers)} decisions are not 0, 1, 2, …")
            for key, made in life.decisions.items():
                arm, every, reward = stored.get(made["id"], (None, None, None))
                if every != list(made["probabilities"].values()) or list(made["probabilities"])[arm] != made["arm"]:
                    faults.append(f"{life.name} {key}: an acknowledged decision is lost or changed")
                if made["id"] in life.rewards and reward not in life.sent[made["id"]]:
                    faults.append(f"{life.name} {key}: an acknowledged reward is lost or changed")
        keys = Counter(row.key for row in reader.events() if row.kind == "decided")
        faults += ["a key decided twice"] * (max(keys.values(), default=0) > 1)
        faults += verify(reader).faults
        again = replay(reader)
        faults += again.differences
    storage.close()
    return {"decisions": again.decisions, "acknowledged": sum(len(one.decisions) for one in lives), "faults": faults}


if __name__ == "__main__":
    found = run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    sys.stdout.write(json.dumps(found) + "\n")
    sys.exit(1 if found["faults"] else 0)
