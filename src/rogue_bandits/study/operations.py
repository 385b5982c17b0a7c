"""What a study does, each as one step of a batch: enrol, decide, deliver, reward, correct, withdraw.

An operation checks, computes, appends events with their derived rows, and returns the answer. Asked again with the same
key, it returns the answer of the event that has the key.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from rogue_bandits.model.validation import checked_reward
from rogue_bandits.study import engine
from rogue_bandits.study import events as kinds
from rogue_bandits.study.answers import decision_answer, decision_id
from rogue_bandits.study.batch import Batch
from rogue_bandits.study.design import personal_arms
from rogue_bandits.study.engine import REST, Ask, Choice, PolicyFault
from rogue_bandits.study.events import Event, key_hash, to_text
from rogue_bandits.study.person import ACTIVE, PAUSED, WITHDRAWN, Person, fresh_person
from rogue_bandits.study.problems import Problem, conflict, invalid, not_found

DECIDE, SCHEDULE, BATCH = "decide", "schedule", "batch"  # scopes of keys: what one has, another may have
DELIVERIES = ("failed", "sent", "seen")  # each replaces those before it
LONGEST_SCHEDULE = timedelta(days=60)
log = logging.getLogger("rogue.study")


class Enrolment(NamedTuple):
    """A person who joins."""

    name: str
    start: str | None = None
    group: str | None = None


class Asked(NamedTuple):
    """A request for a decision."""

    time: datetime
    unavailable: dict[str, str] | str | None = None  # reasons by arm, or one for all
    scheduled: bool = False


class Keyed(NamedTuple):
    """The idempotency key of a decision, what kind of request it is of, and the hash of that request."""

    scope: str
    key: str
    content: str


class Observed(NamedTuple):
    """A reward: a value, or the reason why there will be none; a correction has a reason of its own."""

    value: float | None
    missing: str | None = None
    correction: str | None = None


# ---- people ----------------------------------------------------------------------------------------------------------
def enrol(batch: Batch, person: Enrolment) -> dict[str, Any]:
    """Add a person; the same person again gets the same answer."""
    pid = batch.residents.pids.get(person.name)
    if pid is not None:
        return _enrolled_before(batch, pid, person)
    design, dynamics = batch.design, None
    if design.file.dynamics.source == "people":
        dynamics = design.people.get(person.name)
        if dynamics is None:
            raise invalid("no-dynamics", f"person '{person.name}' is not in {design.file.dynamics.people}")
    pid = batch.new_pid()
    body = {"start": person.start, "group": person.group, "dynamics": dynamics, "version": design.version}
    event = batch.append(pid, kinds.ENROLLED, body)
    batch.row("people", pid, ACTIVE, person.group, person.start, batch.now)
    salt = batch.new_salt()
    batch.row("name", person.name, salt, pid)
    batch.residents.know(person.name, pid, salt)
    batch.touched.add(pid)
    batch.hold(fresh_person(design, pid, event.seq, dynamics))
    return {"person": person.name, "pid": pid, "status": ACTIVE, "start": person.start, "group": person.group}


def _enrolled_before(batch: Batch, pid: str, person: Enrolment) -> dict[str, Any]:
    first = next(event for event in batch.past(pid) if event.kind == kinds.ENROLLED)
    if (first.body["start"], first.body["group"]) != (person.start, person.group):
        raise conflict("enrolled-otherwise", f"person '{person.name}' is enrolled with another start or group")
    status = batch.person(pid).status
    return {"person": person.name, "pid": pid, "status": status, "start": person.start, "group": person.group}


def change_status(batch: Batch, name: str, kind: str) -> dict[str, Any]:
    """Pause, resume, withdraw or erase a person; nothing happens if that is so already."""
    after = engine.STATUS[kind]
    if kind == kinds.ERASED and name not in batch.residents.pids:  # nobody knows who had it: that is what was asked for
        return {"person": None, "pid": None, "status": after}
    pid = batch.pid(name)
    person = batch.person(pid)
    if person.status == WITHDRAWN and after != WITHDRAWN:
        raise conflict("withdrawn", f"person '{name}' has withdrawn, which is for good")
    if person.status != after or kind == kinds.ERASED:
        event = batch.append(pid, kind, {})
        batch.row("status", after, pid)
        person.status = after
        batch.advanced(person, event)
    if kind == kinds.ERASED:
        batch.row("name", None, None, pid)
        batch.residents.erase([pid])
    return {"person": name if kind != kinds.ERASED else None, "pid": pid, "status": after}


# ---- decisions -------------------------------------------------------------------------------------------------------
def decide(batch: Batch, name: str, asked: Asked, key: str, scope: str = DECIDE) -> dict[str, Any]:
    """Decide for a person; the same key in the same scope gives the same answer for ever."""
    return _decided(batch, name, asked, Keyed(scope, key, request_hash(asked)))


def _decided(batch: Batch, name: str, asked: Asked, keyed: Keyed) -> dict[str, Any]:
    pid = batch.pid(name)
    digest, content = key_hash(keyed.scope, keyed.key, batch.residents.salts[pid]), keyed.content
    before = batch.seen(digest)
    if before is not None:
        raise_on_other_content(before, content)
        return decision_answer(batch.design, before, name)
    person = batch.person(pid)
    ask = checked_ask(batch, person, name, asked)
    choice = chosen(batch, person, ask)
    contradicted = noticed(batch, person)
    event = batch.append(pid, kinds.DECIDED, decision_body(batch, person, ask, choice, content) | contradicted, digest)
    batch.row("decisions", *decision_row(event, choice, ask))
    batch.advanced(person, event)
    return decision_answer(batch.design, event, name)


def chosen(batch: Batch, person: Person, ask: Ask) -> Choice:
    """Return what the policy chooses, or the fallback where the policy raises."""
    try:
        return engine.decide(batch.design, person, ask)
    except PolicyFault as fault:
        log.warning("the fallback decides: %s", fault)
        return engine.decide_by_fallback(batch.design, person, ask, str(fault))


def noticed(batch: Batch, person: Person) -> dict[str, Any]:
    """Return the arms whose rewards contradict the model, for the log of decisions; what is new is logged as well."""
    arms = () if person.bandit is None else tuple(batch.design.names[k] for k in person.bandit.contradicted())
    for arm in sorted({*arms} - {*person.contradicted}):
        log.warning("person %s, arm '%s': rewards contradict the model; recent rewards count instead", person.pid, arm)
    for arm in sorted({*person.contradicted} - {*arms}):
        log.warning("person %s, arm '%s': the model explains the rewards again", person.pid, arm)
    person.contradicted = arms
    return {"contradicted": list(arms)} if arms else {}


def schedule(batch: Batch, name: str, asked: list[Asked], key: str) -> list[dict[str, Any]]:
    """Decide for several times ahead, for a phone that will be offline: all of them, or none."""
    content = request_hash(*asked)
    return [_decided(batch, name, one, Keyed(SCHEDULE, f"{key}/{k}", content)) for k, one in enumerate(asked)]


def checked_ask(batch: Batch, person: Person, name: str, asked: Asked) -> Ask:
    """Return what the engine is asked, or raise what is wrong with the request."""
    if person.status == WITHDRAWN:
        raise conflict("withdrawn", f"person '{name}' has withdrawn: no more decisions are made")
    time = asked.time.isoformat()
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


def decision_body(batch: Batch, person: Person, ask: Ask, choice: Choice, content: str) -> dict[str, Any]:
    """Return a decision as the log has it."""
    return {
        "number": person.number - 1, "time": ask.time, "available": [int(can) for can in ask.available],
        "reason": ask.reason, "scheduled": ask.scheduled,
        "arm": None if choice.arm == REST else batch.design.names[choice.arm],
        "probabilities": list(choice.probabilities), "fallback": choice.fallback,
        "version": batch.design.version, "request": content,
    }  # fmt: skip


def decision_row(event: Event, choice: Choice, ask: Ask) -> tuple[Any, ...]:
    """Return a decision as a row of the derived table."""
    body = event.body
    return (
        event.pid, body["number"], event.seq, ask.time, ask.time[:10], choice.arm, choice.probability,
        to_text(body["probabilities"]), to_text(body["available"]), ask.reason, choice.fallback, body["version"],
        int(ask.scheduled),
    )  # fmt: skip


# ---- what follows a decision -----------------------------------------------------------------------------------------
def decision_of(batch: Batch, decision: str) -> tuple[Person, int]:
    """Return the person and the number of a decision's id."""
    pid, _, number = decision.rpartition("-")
    if not pid or not (number.isascii() and number.isdigit()) or len(number) > 9:
        raise not_found("decision", decision)
    try:
        person = batch.person(pid)
    except Problem:
        raise not_found("decision", decision) from None
    if int(number) >= person.number or decision != decision_id(pid, int(number)):
        raise not_found("decision", decision)
    return person, int(number)


def deliver(batch: Batch, decision: str, status: str) -> dict[str, Any]:
    """Record whether a message was sent, failed or was seen; the same again, or an earlier stage, changes nothing."""
    person, number = decision_of(batch, decision)
    known = current_reward(batch, person, number)
    if known is not None and known[2] == REST:
        raise conflict("rest-has-no-delivery", f"decision '{decision}' was a rest: nothing was sent")
    current = current_delivery(batch, person.pid, number)
    if current is not None and DELIVERIES.index(current) >= DELIVERIES.index(status):
        status = current  # a repetition that comes late
    else:
        event = batch.append(person.pid, kinds.DELIVERED, {"number": number, "status": status})
        batch.row("delivery", status, batch.now, person.pid, number)
        batch.advanced(person, event)
    return {"decision": decision, "delivery": status}


def current_delivery(batch: Batch, pid: str, number: int) -> str | None:
    """Return the delivery that was recorded last."""
    for event in reversed(batch.of_decision(pid, number)):
        if event.kind == kinds.DELIVERED:
            return str(event.body["status"])
    rows = batch.tx.rows("SELECT delivery FROM decisions WHERE pid = ? AND number = ?", (pid, number))
    return rows[0][0] if rows else None


def reward(batch: Batch, decision: str, observed: Observed) -> dict[str, Any]:
    """Record a reward and learn from it; the same again changes nothing, another one must be a correction."""
    person, number = decision_of(batch, decision)
    known = current_reward(batch, person, number)
    if known is None:
        if observed.correction is not None:
            raise conflict("nothing-to-correct", f"decision '{decision}' has no reward yet: send one")
        return _first_reward(batch, person, number, decision, observed)
    value, missing, arm = known
    if arm == REST:
        raise conflict("rest-has-no-reward", f"decision '{decision}' was a rest: nothing was sent")
    if (value, missing) == (observed.value, observed.missing):
        return reward_answer(decision, observed, corrected=False)
    if observed.correction is None:
        raise conflict("rewarded-otherwise", f"decision '{decision}' has another reward: a correction needs a reason",
                       recorded={"value": value, "missing": missing})  # fmt: skip
    return _correction(batch, person, number, arm, decision, observed)


def _first_reward(batch: Batch, person: Person, number: int, decision: str, observed: Observed) -> dict[str, Any]:
    raise_on_invalid_value(batch, person, person.open[number][1], observed)
    body = {"number": number, "value": observed.value, "missing": observed.missing}
    event = batch.append(person.pid, kinds.REWARDED, body)
    engine.reward(batch.design, person, number, observed.value)
    batch.row("reward", observed.value, observed.missing, batch.now, person.pid, number)
    batch.advanced(person, event)
    return reward_answer(decision, observed, corrected=False)


def _correction(
    batch: Batch, person: Person, number: int, arm: int, decision: str, observed: Observed
) -> dict[str, Any]:
    raise_on_invalid_value(batch, person, arm, observed)
    past = batch.past(person.pid)
    body = {"number": number, "value": observed.value, "missing": observed.missing, "reason": observed.correction}
    if any(event.kind == kinds.CORRECTED and event.body == body for event in past):  # a repetition that comes late
        return reward_answer(decision, observed, corrected=False)
    event = batch.append(person.pid, kinds.CORRECTED, body)
    after, _ = engine.apply(batch.design, person, event, lambda: past)
    batch.hold(after)
    batch.row("correction", observed.value, observed.missing, batch.now, person.pid, number)
    batch.advanced(after, event)
    return reward_answer(decision, observed, corrected=True)


def current_reward(batch: Batch, person: Person, number: int) -> tuple[float | None, str | None, int] | None:
    """Return the value, the reason for none and the arm of a decision; None where there is no reward yet."""
    waits = any(number == one for one, _ in person.waiting)
    if number in person.open and not waits:
        return None
    rows = batch.tx.rows("SELECT reward, missing, arm FROM decisions WHERE pid = ? AND number = ?",
                         (person.pid, number))  # fmt: skip
    value, missing, arm = rows[0] if rows else (None, None, REST)
    for event in batch.of_decision(person.pid, number):
        if event.kind == kinds.DECIDED:
            arm = engine.recorded_arm(batch.design, event)
        elif event.kind in (kinds.REWARDED, kinds.CORRECTED):
            value, missing = event.body["value"], event.body["missing"]
    return value, missing, int(arm)


def raise_on_invalid_value(batch: Batch, person: Person, arm: int, observed: Observed) -> None:
    """Refuse a value outside of the family's support."""
    if observed.value is None:
        return
    made = personal_arms(batch.design, person.dynamics)[arm]
    try:
        checked_reward(made, observed.value / batch.design.scale, f"arm '{made.name}'")
    except (TypeError, ValueError) as error:
        scale = f" (after division by the scale {batch.design.scale:g})" if batch.design.scale != 1.0 else ""
        raise invalid("reward-outside-support", f"{error}{scale}") from None


def reward_answer(decision: str, observed: Observed, corrected: bool) -> dict[str, Any]:
    """Return what is answered to a reward."""
    return {"decision": decision, "value": observed.value, "missing": observed.missing, "corrected": corrected}


# ---- the study -------------------------------------------------------------------------------------------------------
def update(batch: Batch, key: str) -> dict[str, Any]:
    """Learn from all rewards that wait; once for each key."""
    digest = key_hash("update", key)
    event = batch.seen(digest)
    if event is None:
        event = batch.append("", kinds.UPDATED, {}, digest)
        batch.update_all(event.seq)
    return {"update": event.seq, "at": event.at}


def save_people(batch: Batch, pids: Sequence[str]) -> None:
    """Write snapshots of people who are in memory, so that they are loaded quickly next time."""
    for pid in pids:
        person = batch.residents.people.get(pid)
        if person is not None:
            batch.save(person)


def request_hash(*asked: Asked) -> str:
    """Return what tells requests with one key apart: all that was asked for in one request."""
    content = to_text([[one.time.astimezone(UTC).isoformat(), one.unavailable, one.scheduled] for one in asked])
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def raise_on_other_content(before: Event, content: str) -> None:
    """Refuse a key that was used with another request."""
    if before.body.get("request") != content:
        raise conflict("key-reused", "this idempotency key was used with another request: use a new one")


Operation = Callable[[Batch], Any]
