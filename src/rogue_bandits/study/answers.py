"""A decision as it is answered, by whatever protocol: from the event alone, so that it never changes."""

from __future__ import annotations

from typing import Any

from rogue_bandits.study.design import StudyDesign
from rogue_bandits.study.events import LogEvent


def decision_id(pid: str, number: int) -> str:
    """Return the id of a decision: the person's random name and the decision's number."""
    return f"{pid}-{number}"


def decision_answer(design: StudyDesign, event: LogEvent, name: str | None) -> dict[str, Any]:
    """Return a decision as it is answered."""
    body = event.body
    arms = design.names
    by_arm = dict(zip(arms, body["probabilities"], strict=True))
    about = design.history[body["version"]]
    return {
        "id": decision_id(event.pid, body["number"]),
        "person": name,
        "number": body["number"],
        "time": body["time"],
        "arm": body["arm"],
        "probability": 1.0 if body["arm"] is None else by_arm[body["arm"]],
        "probabilities": by_arm,
        "available": [arm for arm, can in zip(arms, body["available"], strict=True) if can],
        "fallback": body["fallback"],
        "scheduled": body["scheduled"],
        "explanation": sentence(body, by_arm, about["why"]),
        "version": {"number": body["version"], "settings": about["hash"], "package": about["package"]},
    }


def sentence(body: Any, by_arm: dict[str, float], why: str) -> str:
    """Return in words what was decided and why."""
    if body["arm"] is None:
        reason = body["fallback"] or body["reason"] or "the fallback rests"
        return f"Decision {body['number']} is a rest: {reason}."
    others = ", ".join(f"{arm} {p:.3g}" for arm, p in by_arm.items() if arm != body["arm"])
    drawn = f"Decision {body['number']} plays {body['arm']}, which had probability {by_arm[body['arm']]:.3g}"
    rest = f" ({others})" if others else ""
    if body["fallback"] is not None:
        return f"{drawn}{rest}: the fallback decided, because of a {body['fallback']}."
    if sum(body["available"]) == 1:
        return f"{drawn}{rest}: it was the only one available."
    return f"{drawn}{rest}: {why}."
