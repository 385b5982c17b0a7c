"""What a study does, each as one step of a batch: enrol, decide, deliver, reward, correct, withdraw.

An operation checks, computes, appends events with their derived rows, and returns the answer. Asked again with the same
key, it returns the answer of the event that has the key.

    requested.py  what is asked for        people.py     enrol, pause, resume, withdraw, erase
    decisions.py  decide, schedule         outcomes.py   deliver, reward, correct
    everybody.py  updates, snapshots, sessions of the page
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rogue_bandits.study.batch import Batch
from rogue_bandits.study.operations.decisions import decide, schedule
from rogue_bandits.study.operations.everybody import end_session, save_people, update
from rogue_bandits.study.operations.outcomes import deliver, reward
from rogue_bandits.study.operations.people import change_status, enrol
from rogue_bandits.study.operations.requested import BATCH, DECIDE, SCHEDULE, DecisionRequest, Enrolment, Observed

__all__ = [
    "BATCH", "DECIDE", "SCHEDULE", "DecisionRequest", "Enrolment", "Observed", "Operation", "change_status", "decide",
    "deliver", "end_session", "enrol", "reward", "save_people", "schedule", "update",
]  # fmt: skip

Operation = Callable[[Batch], Any]
