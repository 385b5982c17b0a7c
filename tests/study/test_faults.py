"""Servers that are killed and crowds at one person: nothing is lost or doubled."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from rogue_bandits.study.client import StudyClient
from rogue_bandits.study.clock import utc_now
from rogue_bandits.study.service import opened
from rogue_bandits.study.tokens import issue
from tests.matrix import FULL
from tests.study.cases import at, design
from tests.study.living import intact_decisions
from tests.study.served import served

MOMENTS = 300 if FULL else 3
CLIENTS = 64


def test_kill_at_random_moments_loses_nothing(url: str) -> None:
    """In a process of its own, which forks servers."""
    command = [sys.executable, "-m", "tests.study.killing", url, str(MOMENTS), "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert found["faults"] == []
    assert found["moments"] == MOMENTS
    assert found["acknowledged"] >= MOMENTS


def test_a_crowd_at_one_person_decides_once_a_key(url: str, another: Any) -> None:
    """64 clients over HTTP, on two servers: for each of 3 keys all get one answer; then each its own, in some order."""
    with opened(design(), another()) as one, opened(design(), another()) as other:
        with one.storage.writing() as tx:
            token = issue(tx, "app", "", utc_now(), 1)
        with served(one) as first, served(other) as second:
            clients = [StudyClient((first, second)[k % 2].address, token) for k in range(CLIENTS)]
            clients[0].enrol("ann")
            with ThreadPoolExecutor(CLIENTS) as pool:
                for minute in range(3):
                    same = list(pool.map(lambda c, m=minute: c.decide("ann", at(m), f"k{m}"), clients))
                    assert [made.number for made in same] == [minute] * CLIENTS
                    assert all(made == same[0] for made in same)
                each = list(pool.map(lambda k: clients[k].decide("ann", at(9), f"c{k}"), range(CLIENTS)))
                assert sorted(made.number for made in each) == list(range(3, 3 + CLIENTS))
                list(pool.map(lambda k: clients[k].reward(each[k].id, float(k % 2)), range(CLIENTS)))
            for client in clients:
                client.close()
        assert intact_decisions(one.storage) == 3 + CLIENTS
