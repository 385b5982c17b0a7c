"""People who do not fit in memory: states are made again, from snapshots and events, and nothing differs."""

from __future__ import annotations

from typing import Any

from rogue_bandits.study.operations import Enrolment, Observed
from rogue_bandits.study.replay import replay, verify
from rogue_bandits.study.service import Service, opened
from rogue_bandits.study.storage.sql import Storage
from tests.study.cases import Clock, asked, design

PEOPLE, ROUNDS = 8, 12


def lived(service: Service, first: int, last: int) -> list[Any]:
    """Decisions of everybody, in one batch for each round, with late rewards, a correction and somebody who pauses."""
    answers = []
    for k in range(first, last):
        waiting = [service.decide(f"p{i}", asked(k), f"k{k}") for i in range(PEOPLE)]
        made = [one.result() for one in waiting]
        answers += [(one["person"], one["number"], one["arm"], one["probabilities"]) for one in made]
        for i, one in enumerate(made):
            if one["arm"] is not None and (i + k) % 3:
                service.reward(one["id"], Observed(float((i + k) % 2))).result()
        if k == 5:
            service.reward(made[0]["id"], Observed(0.0, None, "typo"), "staff").result()
            service.change_status("p2", "pause").result()
        if k == 8:
            service.change_status("p2", "resume").result()
    return answers


def test_three_places_serve_eight_people(another: Any, clock: Clock) -> None:
    storage: Storage = another()
    with opened(design(), storage, clock) as whole:
        for i in range(PEOPLE):
            whole.enrol(Enrolment(f"p{i}")).result()
        lived(whole, 0, 2)
    with opened(design(), another(), clock) as ready:
        small = Service(ready.design, another(), clock, residents=3)
        lived(small, 2, ROUNDS)
        assert len(small.writer.residents.people) == 3
        with small.storage.reading() as reader:
            found = replay(reader)
            assert (found.people, found.decisions, found.differences) == (PEOPLE, PEOPLE * ROUNDS, [])
            assert found.snapshots == PEOPLE  # all had to go at some time, or were saved at the end
            assert verify(reader).faults == []
        small.close()


def test_states_are_saved_when_a_server_stops(another: Any, clock: Clock) -> None:
    with opened(design(), another(), clock) as service:
        service.enrol(Enrolment("ann")).result()
        for k in range(5):
            service.decide("ann", asked(k), f"k{k}").result()
    with another().reading() as reader:
        assert reader.rows("SELECT revision FROM snapshots") == [(reader.head().seq,)]
        assert replay(reader)[2:] == (1, [])
