"""What alerts mean and what to do, for people who do not know how the study decides."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rogue_bandits.study.queries import Alert


class Meaning(NamedTuple):
    """A kind of alert in words."""

    title: str
    advice: str


MEANINGS = {
    "no-decision": Meaning(
        "No contact",
        "Is the app still installed, is the phone on and online?",
    ),
    "no-reward": Meaning(
        "No rewards", "Messages are chosen, but nothing comes back. Is the sensor worn and the app open?"
    ),
    "fallback": Meaning(
        "Fallback used",
        "The usual rule failed and the study's fallback chose instead. Nothing is lost. Tell the study's engineer.",
    ),
    "contradicted": Meaning(
        "Model contradicted",
        "Rewards do not follow the model of wear-out and recovery. Recent rewards count instead, until they do again. "
        "Has something changed for this person, or in how rewards are measured?",
    ),
    "at-limit": Meaning(
        "Chance at its limit",
        "The study is as sure about this person as it is allowed to be. Nothing is wrong; look again if it lasts.",
    ),
    "missing-rewards": Meaning(
        "Rewards missing", "Most rewards were reported as missing. Ask how the phone or the sensor is used."
    ),
}


def meaning(kind: str) -> Meaning:
    """Return what a kind of alert means."""
    return MEANINGS.get(kind, Meaning(kind.replace("-", " ").capitalize(), ""))


def by_kind(alerts: Sequence[Alert]) -> list[tuple[str, int]]:
    """Return how many people each kind concerns, in the order of `MEANINGS`."""
    counts = Counter(alert.kind for alert in alerts)
    order = [*MEANINGS, *sorted(counts.keys() - MEANINGS.keys())]
    return [(kind, counts[kind]) for kind in order if counts[kind]]
