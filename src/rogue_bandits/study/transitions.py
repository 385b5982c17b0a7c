"""Transitions of one person's state: decide, learn, rebuild. No storage, no clock, no randomness of its own.

`apply` folds an event into a person's state. Live, a decision is made by `decide` and then written; in a replay, or
when a person is loaded, `apply` calls the same `decide` for the written one, so that both are the same computation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, NamedTuple

from rogue_bandits.study import events as kinds
from rogue_bandits.study.design import StudyDesign
from rogue_bandits.study.events import LogEvent
from rogue_bandits.study.person import ACTIVE, PAUSED, WITHDRAWN, PersonState, fresh_person, seed_of
from rogue_bandits.types import Decision

MOST_RESTS = 10_000  # that are made up for after a long absence
REST = -1
Past = Callable[[], Sequence[LogEvent]]  # the person's events so far, and those of the whole study, in order


class PolicyFault(Exception):  # noqa: N818  # it reads as it happened
    """The policy raised."""


class Ask(NamedTuple):
    """A request for a decision, as the engine takes it."""

    time: str  # with an offset from UTC
    available: tuple[bool, ...]
    reason: str | None = None  # why nothing is available
    scheduled: bool = False


class Choice(NamedTuple):
    """What was decided: an arm or REST, the probability of every arm, and why the fallback decided, if it did."""

    arm: int
    probabilities: tuple[float, ...]
    fallback: str | None = None

    @property
    def probability(self) -> float:
        """Of the arm; that of a rest is 1."""
        return 1.0 if self.arm == REST else self.probabilities[self.arm]


# ---- decisions -------------------------------------------------------------------------------------------------------
def decide(design: StudyDesign, person: PersonState, ask: Ask) -> Choice:
    """Decide, and advance the person's state. Raises PolicyFault where the policy does: the state is then as before."""
    if person.bandit is None:
        return decide_by_fallback(design, person, ask, person.fault)
    bandit = person.bandit
    before = bandit.checkpoint()
    rest_through_gap(design, person, ask.time)
    if person.bandit is None:  # it failed while it rested
        return decide_by_fallback(design, person, ask, person.fault)
    if not any(ask.available):
        choice = Choice(REST, (0.0,) * len(ask.available))
        play(person, choice)
    else:
        step = bandit.number
        try:
            made = bandit.choose([k for k, can in enumerate(ask.available) if can])
        except Exception as error:
            bandit.revert(before)  # the policy may have left it half done
            raise PolicyFault(f"{type(error).__name__} in the policy") from error
        choice = Choice(made.arm, made.probabilities)
        person.open[person.number] = (step, made.arm)
    count(person, ask)
    return choice


def decide_by_fallback(design: StudyDesign, person: PersonState, ask: Ask, why: str) -> Choice:
    """Decide by the fallback; the bandit, if it still can, plays what was decided."""
    rest_through_gap(design, person, ask.time)
    choice = fallback_choice(design, person.pid, person.number, ask.available, why)
    play(person, choice)
    count(person, ask)
    return choice


def fallback_choice(design: StudyDesign, pid: str, number: int, available: Sequence[bool], why: str) -> Choice:
    """Return the choice of the fallback: uniform over what is available, or a rest. It depends on no state."""
    arms, n = [k for k, can in enumerate(available) if can], len(available)
    if not arms or design.file.fallback.policy == "rest":
        return Choice(REST, (0.0,) * n, why)
    uniform = seed_of(design, "fallback", pid, number) / 2**64
    probabilities = tuple(1.0 / len(arms) if can else 0.0 for can in available)
    return Choice(arms[int(uniform * len(arms))], probabilities, why)


def play(person: PersonState, choice: Choice) -> None:
    """Play in the bandit what was decided elsewhere; a bandit whose laws fail is given up."""
    if person.bandit is not None:
        step = person.bandit.number
        try:
            if choice.arm == REST:
                person.bandit.rest()
            else:
                person.bandit.record(choice.arm, None, choice.probability)
        except Exception as error:
            give_up(person, error)
    if choice.arm != REST:
        person.open[person.number] = (step if person.bandit is not None else -1, choice.arm)


def give_up(person: PersonState, error: Exception) -> None:
    """Leave a bandit that cannot go on; the fallback decides from here."""
    person.bandit, person.fault = None, f"{type(error).__name__} in the model"


def count(person: PersonState, ask: Ask) -> None:
    """Count a decision."""
    day = ask.time[:10]
    person.used = person.used + 1 if day == person.day else 1
    person.number, person.time, person.day = person.number + 1, ask.time, day


def rest_through_gap(design: StudyDesign, person: PersonState, time: str) -> None:
    """Let all arms rest for the decisions that were missed since the last one."""
    for _ in range(missed_decisions(design, person, time)):
        if person.bandit is None:
            return
        try:
            person.bandit.rest()
        except Exception as error:
            give_up(person, error)


def missed_decisions(design: StudyDesign, person: PersonState, time: str) -> int:
    """Return how many decisions were left over on the last day, and on whole days since, when this one is asked for.

    Nothing is missed within a day: when its decisions fall is the app's affair, and nights have none.
    """
    if design.file.decisions.missed == "ignore" or not person.time:
        return 0
    days = date.fromisoformat(time[:10]).toordinal() - date.fromisoformat(person.day).toordinal()
    if days < 1:
        return 0
    per_day = design.file.decisions.per_day
    return min(max(per_day - person.used, 0) + per_day * (days - 1), MOST_RESTS)


# ---- rewards ---------------------------------------------------------------------------------------------------------
def reward(design: StudyDesign, person: PersonState, number: int, value: float | None) -> None:
    """Take in a reward, None where it will never be seen: learn it now, or at the next update."""
    if design.nightly:
        person.waiting.append((number, value))
    else:
        learn(design, person, number, value)


def update(design: StudyDesign, person: PersonState) -> None:
    """Learn from all rewards that wait."""
    for number, value in person.waiting:
        learn(design, person, number, value)
    person.waiting = []


def learn(design: StudyDesign, person: PersonState, number: int, value: float | None) -> None:
    """Learn one reward."""
    step, arm = person.open.pop(number, (-1, REST))
    if person.bandit is None or step < 0:
        return
    scaled = None if value is None else value / design.scale
    try:
        person.bandit.update(Decision(step, arm, 1.0), scaled)
    except Exception as error:
        give_up(person, error)


# ---- the fold --------------------------------------------------------------------------------------------------------
def apply(
    design: StudyDesign, person: PersonState | None, event: LogEvent, past: Past
) -> tuple[PersonState, Choice | None]:
    """Return the state after an event, and for a decision the choice that is made again."""
    if event.kind == kinds.ENROLLED:
        return fresh_person(design, event.pid, event.seq, event.body), None
    assert person is not None, "a person's first event is the enrolment"
    choice = None
    if event.kind == kinds.DECIDED:
        choice = decide_again(design, person, event)
        if choice.arm != recorded_arm(design, event):
            person = rebuilt(design, event.pid, [*past(), event], event.seq)
    elif event.kind in (kinds.CORRECTED, kinds.VERSION):
        person = rebuilt(design, person.pid, [*past(), event], event.seq)
    else:
        absorb(design, person, event)
    person.revision = event.seq
    person.unsaved += 1
    return person, choice


def decide_again(design: StudyDesign, person: PersonState, event: LogEvent) -> Choice:
    """Make a decision of the log again."""
    ask = ask_of(event)
    why = event.body.get("fallback")
    if why is not None:
        return decide_by_fallback(design, person, ask, why)
    try:
        return decide(design, person, ask)
    except PolicyFault as error:
        return Choice(REST - 1, (), str(error))  # differs from whatever was recorded


def absorb(design: StudyDesign, person: PersonState, event: LogEvent) -> None:
    """Fold an event that is neither a decision nor a reason to rebuild."""
    if event.kind == kinds.REWARDED:
        reward(design, person, event.body["number"], event.body["value"])
    elif event.kind in (kinds.UPDATED, kinds.VERSION):  # what the version before had learned is not forgotten
        update(design, person)
    elif event.kind in STATUS:
        person.status = STATUS[event.kind]


STATUS = {kinds.PAUSED: PAUSED, kinds.RESUMED: ACTIVE, kinds.WITHDRAWN: WITHDRAWN, kinds.ERASED: WITHDRAWN}


def rebuilt(design: StudyDesign, pid: str, past: Sequence[LogEvent], seq: int) -> PersonState:
    """Return the person after past events, with corrected rewards and the arms as they were played.

    Nothing is chosen: the random stream after it is that of event `seq`, which made the rebuilding necessary.
    """
    corrected = {e.body["number"]: e.body["value"] for e in past if e.kind == kinds.CORRECTED}
    first = next(e for e in past if e.kind == kinds.ENROLLED)
    person = fresh_person(design, pid, seq, first.body)
    for event in past:
        if event.seq < first.seq:
            continue
        if event.kind == kinds.DECIDED:
            ask = ask_of(event)
            rest_through_gap(design, person, ask.time)
            play(person, Choice(recorded_arm(design, event), tuple(event.body["probabilities"])))
            count(person, ask)
        elif event.kind == kinds.REWARDED and event.body["number"] in corrected:
            reward(design, person, event.body["number"], corrected[event.body["number"]])
        else:
            absorb(design, person, event)
    person.revision = seq
    return person


def ask_of(event: LogEvent) -> Ask:
    """Return what a decision of the log was asked with."""
    body = event.body
    return Ask(body["time"], tuple(map(bool, body["available"])), body.get("reason"), body.get("scheduled", False))


def recorded_arm(design: StudyDesign, event: LogEvent) -> int:
    """Return the arm of a decision of the log."""
    name: Any = event.body["arm"]
    return REST if name is None else design.names.index(name)
