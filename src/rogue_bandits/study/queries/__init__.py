"""What pages and exports read: people, decisions, totals, versions, alerts. Nothing here writes.

Every function takes a reader (`with service.storage.reading() as reader:`), which is a consistent view of the
database, from any thread. Rows are NamedTuples. Names are those by which the app knows people; where somebody was
erased the name is None and `pid`, a random name, stays. For what is known of a person's arms now, with its uncertainty
and the sentence on the next choice, see `Service.explain(name)`, which returns an `Explanation`.

    summary(reader, design)                       the study in one row
    people(reader, status, search, limit, offset) one row a person, with the last decision and reward
    count_people(reader, status, search)          how many these are, for paging
    people_by_pid(reader, pids)                   some of them, by their random names
    person(reader, name)                          one of them
    decisions(reader, design, name, limit, before)  a person's decisions, newest first; decisions_of: by pid
    last_plays(reader, design, pid)               when each arm was last chosen for a person
    decision(reader, design, id)                  one, as it is answered
    decision_with_outcome(reader, design, id)     the same, with its delivery and rewards
    events_of(reader, pid)                        everything that happened to a person
    enrolment_of(reader, pid)                     with what a person was enrolled
    by_day(reader, design)                        decisions and rewards by day and arm
    by_arm(reader, design)                        balance of randomisation over the whole study
    enrolment(reader)                             people enrolled by day
    after_rest(reader, design, longest)           mean reward by decisions since the arm was last played: recovery
    after_plays(reader, design, longest)          mean reward by how often the arm was just played: wear-out
    versions(reader)                              versions of the study
    last_of_study(reader, kind)                   the last event of the whole study
    names_taking_part(reader, day)                everybody who takes part and has started
    alerts(reader, design, now)                   who needs attention, and why
"""

from __future__ import annotations

from rogue_bandits.study.queries.attention import alerts
from rogue_bandits.study.queries.curves import after_plays, after_rest
from rogue_bandits.study.queries.decision_rows import (
    decision,
    decision_with_outcome,
    decisions,
    decisions_of,
    enrolment_of,
    events_of,
    last_plays,
)
from rogue_bandits.study.queries.person_rows import (
    count_people,
    names_taking_part,
    people,
    people_by_pid,
    person,
    pid_of,
)
from rogue_bandits.study.queries.rows import (
    Alert,
    ArmTotal,
    DayArm,
    DecisionRow,
    PersonRow,
    RewardCurve,
    Summary,
    VersionRow,
)
from rogue_bandits.study.queries.totals import by_arm, by_day, enrolment, last_of_study, summary, versions

__all__ = [
    "Alert", "ArmTotal", "DayArm", "DecisionRow", "PersonRow", "RewardCurve", "Summary", "VersionRow", "after_plays",
    "after_rest", "alerts", "by_arm", "by_day", "count_people", "decision", "decision_with_outcome", "decisions",
    "decisions_of", "enrolment", "enrolment_of", "events_of", "last_of_study", "last_plays", "names_taking_part",
    "people", "people_by_pid", "person", "pid_of", "summary", "versions",
]  # fmt: skip
