"""Decide for a person, now or for days ahead."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Any

from rogue_bandits.study import events as kinds
from rogue_bandits.study import transitions
from rogue_bandits.study.answers import decision_answer
from rogue_bandits.study.batch import Batch
from rogue_bandits.study.events import LogEvent, key_hash, to_text
from rogue_bandits.study.operations.requested import (
    DECIDE,
    SCHEDULE,
    DecisionRequest,
    Keyed,
    raise_on_other_content,
    request_hash,
)
from rogue_bandits.study.person import PAUSED, WITHDRAWN, PersonState
from rogue_bandits.study.problems import conflict, invalid
from rogue_bandits.study.transitions import REST, Ask, Choice, PolicyFault

LONGEST_SCHEDULE = timedelta(days=60)
log = logging.getLogger("rogue.study")


def decide(batch: Batch, name: str, asked: DecisionRequest, key: str, scope: str = DECIDE) -> dict[str, Any]:
    """Decide for a person; the same key in the same scope always gives the same answer."""
    return _decided(batch, name, asked, Keyed(scope, key, request_hash(asked)))


def _decided(batch: Batch, name: str, asked: DecisionRequest, keyed: Keyed) -> dict[str, Any]:
    pid = batch.pid(name)
    digest, content = key_hash(keyed.scope, keyed.key, batch.residents.salts[pid]), keyed.content
    before = batch.seen(digest)
    if before is not None:
        raise_on_other_content(before, content)
        return decision_answer(batch.design, before, name)
    person = batch.person(pid)
    ask = checked_ask(batch, person, name, asked)
    choice = chosen(batch, person, ask)
    body = decision_body(batch, person, ask, choice, content) | noticed(batch, person)
    event = batch.append(pid, kinds.DECIDED, body, digest)
    batch.row("decisions", *decision_row(event, choice, ask))
    batch.advanced(person, event)
    return decision_answer(batch.design, event, name)


def chosen(batch: Batch, person: PersonState, ask: Ask) -> Choice:
    """Return what the policy chooses, or the fallback where the policy raises."""
    try:
        return transitions.decide(batch.design, person, ask)
    except PolicyFault as fault:
        log.warning("the fallback decides: %s", fault)
        return transitions.decide_by_fallback(batch.design, person, ask, str(fault))


def noticed(batch: Batch, person: PersonState) -> dict[str, Any]:
    """Return the arms whose rewards contradict the model, for the log of decisions; what is new is logged as well."""
    arms = () if person.bandit is None else tuple(batch.design.names[k] for k in person.bandit.contradicted())
    for arm in sorted({*arms} - {*person.contradicted}):
        log.warning("arm '%s': the rewards of a person contradict the model; recent rewards count instead", arm)
    for arm in sorted({*person.contradicted} - {*arms}):
        log.warning("arm '%s': the model explains the rewards of a person again", arm)
    person.contradicted = arms
    return {"contradicted": list(arms)} if arms else {}


def schedule(batch: Batch, name: str, asked: list[DecisionRequest], key: str) -> list[dict[str, Any]]:
    """Decide for several times ahead, for a phone that will be offline: all of them, or none."""
    content = request_hash(*asked)
    return [_decided(batch, name, one, Keyed(SCHEDULE, f"{key}/{k}", content)) for k, one in enumerate(asked)]


def checked_ask(batch: Batch, person: PersonState, name: str, asked: DecisionRequest) -> Ask:
    """Return what a decision is asked with, or raise what is wrong with the request."""
    if person.status == WITHDRAWN:
        raise conflict("withdrawn", f"person '{name}' has withdrawn: no more decisions are made")
    time = asked.time.isoformat()
    if person.start is not None and time[:10] < person.start:
        raise conflict("not-started", f"person '{name}' starts on {person.start}: time {time} is before that, and no "
                       "decision was made", start=person.start)  # fmt: skip
    if person.time and asked.time < datetime.fromisoformat(person.time):
        raise conflict("time-before-last", f"time {time} is before that of the last decision, {person.time}")
    settings = batch.design.file.decisions
    ahead = LONGEST_SCHEDULE if asked.scheduled else timedelta(0)
    latest = batch.time + ahead + timedelta(hours=settings.ahead_hours)
    if asked.time > latest:
        raise invalid("time-too-far-ahead", f"time {time} is after {latest.isoformat()}, the latest that is allowed")
    if person.day == time[:10] and person.used >= settings.per_day:
        raise conflict("decisions-used-up", f"{person.used} decision(s) were made on {person.day}; a day has "
                       f"{settings.per_day}")  # fmt: skip
    if person.status == PAUSED:
        return Ask(time, (False,) * len(batch.design.arms), "paused", asked.scheduled)
    reasons = reasons_by_arm(batch, asked.unavailable)
    available = tuple(reasons.get(arm) is None for arm in batch.design.names)
    why = None if any(available) else "; ".join(sorted(set(reasons.values())))
    return Ask(time, available, why, asked.scheduled)


def reasons_by_arm(batch: Batch, unavailable: dict[str, str] | str | None) -> dict[str, str]:
    """Return why arms are not available: those that are paused, and what the request says."""
    names, allowed = batch.design.names, batch.design.file.unavailable.reasons
    stated = dict.fromkeys(names, unavailable) if isinstance(unavailable, str) else unavailable or {}
    for arm, reason in stated.items():
        if arm not in names:
            raise invalid("unknown-arm", f"unavailable: there is no arm '{arm}'; there are {', '.join(names)}")
        if reason not in allowed:
            raise invalid("unknown-reason", f"unavailable: '{reason}' must be one of {', '.join(allowed)}")
    return {**{arm.name: "paused" for arm in batch.design.file.arms if arm.paused}, **stated}


def decision_body(batch: Batch, person: PersonState, ask: Ask, choice: Choice, content: str) -> dict[str, Any]:
    """Return a decision as the log has it."""
    return {
        "number": person.number - 1, "time": ask.time, "available": [int(can) for can in ask.available],
        "reason": ask.reason, "scheduled": ask.scheduled,
        "arm": None if choice.arm == REST else batch.design.names[choice.arm],
        "probabilities": list(choice.probabilities), "fallback": choice.fallback,
        "version": batch.design.version, "request": content,
    }  # fmt: skip


def decision_row(event: LogEvent, choice: Choice, ask: Ask) -> tuple[Any, ...]:
    """Return a decision as a row of the derived table."""
    body = event.body
    return (
        event.pid, body["number"], event.seq, ask.time, ask.time[:10], choice.arm, choice.probability,
        to_text(body["probabilities"]), to_text(body["available"]), ask.reason, choice.fallback, body["version"],
        int(ask.scheduled),
    )  # fmt: skip
