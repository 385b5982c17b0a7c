"""What follows a decision: its delivery, its reward, and corrections."""

from __future__ import annotations

import math
from typing import Any

from rogue_bandits.model.validation import checked_reward
from rogue_bandits.study import events as kinds
from rogue_bandits.study import transitions
from rogue_bandits.study.answers import decision_id
from rogue_bandits.study.batch import Batch
from rogue_bandits.study.design import personal_arms
from rogue_bandits.study.operations.requested import Observed
from rogue_bandits.study.person import PersonState
from rogue_bandits.study.problems import RequestProblem, conflict, invalid, not_found
from rogue_bandits.study.roles import raise_unless_allowed
from rogue_bandits.study.transitions import REST

DELIVERIES = ("failed", "sent", "seen")  # each replaces those before it


def decision_of(batch: Batch, decision: str) -> tuple[PersonState, int]:
    """Return the person and the number of a decision's id."""
    pid, _, number = decision.rpartition("-")
    if not pid or not (number.isascii() and number.isdigit()) or len(number) > 9:
        raise not_found("decision", decision)
    try:
        person = batch.person(pid)
    except RequestProblem:
        raise not_found("decision", decision) from None
    if int(number) >= person.number or decision != decision_id(pid, int(number)):
        raise not_found("decision", decision)
    return person, int(number)


def deliver(batch: Batch, decision: str, status: str) -> dict[str, Any]:
    """Record whether a message was sent, failed or was seen; the same again, or an earlier stage, changes nothing."""
    if status not in DELIVERIES:
        raise invalid("unknown-delivery", f"delivery '{status}' must be one of {', '.join(DELIVERIES)}")
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


def reward(batch: Batch, decision: str, observed: Observed, role: str) -> dict[str, Any]:
    """Record a reward and learn from it; the same again changes nothing, another must be a correction, by staff."""
    if observed.correction is not None:
        raise_unless_allowed(role, "correct", "correct rewards")
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
    raise_on_invalid_value(batch, person, arm, observed)  # a value that cannot be needs no reason for a correction
    if observed.correction is None:
        raise conflict("rewarded-otherwise", f"decision '{decision}' has another reward: a correction needs a reason",
                       recorded={"value": value, "missing": missing})  # fmt: skip
    return _correction(batch, person, number, decision, observed)


def _first_reward(batch: Batch, person: PersonState, number: int, decision: str, observed: Observed) -> dict[str, Any]:
    raise_on_invalid_value(batch, person, person.open[number][1], observed)
    body = {"number": number, "value": observed.value, "missing": observed.missing}
    event = batch.append(person.pid, kinds.REWARDED, body)
    transitions.reward(batch.design, person, number, observed.value)
    batch.row("reward", observed.value, observed.missing, batch.now, person.pid, number)
    batch.advanced(person, event)
    return reward_answer(decision, observed, corrected=False)


def _correction(batch: Batch, person: PersonState, number: int, decision: str, observed: Observed) -> dict[str, Any]:
    past = batch.past(person.pid)
    body = {"number": number, "value": observed.value, "missing": observed.missing, "reason": observed.correction}
    if any(event.kind == kinds.CORRECTED and event.body == body for event in past):  # a repetition that comes late
        return reward_answer(decision, observed, corrected=False)
    event = batch.append(person.pid, kinds.CORRECTED, body)
    after, _ = transitions.apply(batch.design, person, event, lambda: past)
    batch.hold(after)
    batch.row("correction", observed.value, observed.missing, batch.now, person.pid, number)
    batch.advanced(after, event)
    return reward_answer(decision, observed, corrected=True)


def current_reward(batch: Batch, person: PersonState, number: int) -> tuple[float | None, str | None, int] | None:
    """Return the value, the reason for none and the arm of a decision; None where there is no reward yet."""
    waits = any(number == one for one, _ in person.waiting)
    if number in person.open and not waits:
        return None
    rows = batch.tx.rows("SELECT reward, missing, arm FROM decisions WHERE pid = ? AND number = ?",
                         (person.pid, number))  # fmt: skip
    value, missing, arm = rows[0] if rows else (None, None, REST)
    for event in batch.of_decision(person.pid, number):
        if event.kind == kinds.DECIDED:
            arm = transitions.recorded_arm(batch.design, event)
        elif event.kind in (kinds.REWARDED, kinds.CORRECTED):
            value, missing = event.body["value"], event.body["missing"]
    return value, missing, int(arm)


def raise_on_invalid_value(batch: Batch, person: PersonState, arm: int, observed: Observed) -> None:
    """Refuse a value outside of the plausible range of the study file, or of the family's support."""
    if observed.value is None:
        return
    lo, hi = batch.design.file.rewards.plausible or (-math.inf, math.inf)
    if not lo <= observed.value <= hi:
        raise invalid("reward-implausible", f"value {observed.value!r} must be from {lo:g} to {hi:g}, the plausible "
                      "range of the study file", plausible=[lo, hi])  # fmt: skip
    made = personal_arms(batch.design, person.dynamics)[arm]
    try:
        checked_reward(made, observed.value / batch.design.scale, f"arm '{made.name}'")
    except (TypeError, ValueError) as error:
        scale = f" (after division by the scale {batch.design.scale:g})" if batch.design.scale != 1.0 else ""
        raise invalid("reward-outside-support", f"{error}{scale}") from None


def reward_answer(decision: str, observed: Observed, corrected: bool) -> dict[str, Any]:
    """Return what is answered to a reward."""
    return {"decision": decision, "value": observed.value, "missing": observed.missing, "corrected": corrected}
