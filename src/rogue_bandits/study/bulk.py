"""Many rows in one request: decisions for many people, rewards from a table. Each row is answered or refused by itself.

Functions take a study whose futures coroutines await, as `Service.awaitable` returns it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from rogue_bandits.study import queries
from rogue_bandits.study.operations import BATCH, DecisionRequest
from rogue_bandits.study.problems import RequestProblem
from rogue_bandits.study.requests import BatchDecisionBody, BatchRewardBody
from rogue_bandits.study.service import Service

CHUNK = 200  # rows that are queued at a time, so that other requests come in between


class RowAnswer(NamedTuple):
    """The answer to a row, or its problem. `of` is the person or the decision."""

    of: str
    answer: dict[str, Any] | None
    problem: RequestProblem | None


async def decide_for_many(service: Service, body: BatchDecisionBody) -> list[RowAnswer]:
    """Decide for many people, or for everybody. Each has the key of the batch: sent again, it goes on where it was."""
    names = body.people if body.people is not None else await asyncio.to_thread(names_taking_part, service, body.time)
    asked = DecisionRequest(body.time)
    return await row_answers((name, service.decide(name, asked, body.key, BATCH)) for name in names)


async def reward_many(service: Service, body: BatchRewardBody, role: str) -> list[RowAnswer]:
    """Record the rewards of a table, which comes from somebody with a role."""
    return await row_answers((row.decision, service.reward(row.decision, row.observed(), role)) for row in body.rewards)


def names_taking_part(service: Service, time: datetime) -> list[str]:
    """Return everybody who takes part and has started on the day of a time."""
    with service.storage.reading() as reader:
        return queries.names_taking_part(reader, time.date().isoformat())


async def row_answers(sent: Iterator[tuple[str, Any]]) -> list[RowAnswer]:
    """Return the answers of rows, which are sent, some at a time, as they are taken from an iterator."""
    answers: list[RowAnswer] = []
    while some := list(islice(sent, CHUNK)):
        answers += [await row_answer(of, future) for of, future in some]
    return answers


async def row_answer(of: str, future: Any) -> RowAnswer:
    """Return the answer of a row, or the problem that it raised."""
    try:
        return RowAnswer(of, await future, None)
    except RequestProblem as problem:
        return RowAnswer(of, None, problem)
