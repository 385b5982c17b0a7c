"""Room: a snapshot has that of the person alone; a backlog, which takes room for everybody, brings a warning."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import pytest

import rogue_bandits as rb
from rogue_bandits.online import kernels
from rogue_bandits.online.personal import leaves
from tests.interpreted import interpreted as interpreted
from tests.online.test_bandit import UNMOVED
from tests.policies.histories import TWO_ARMS

GROWING: dict[str, tuple[Any, Any]] = {
    "pending only": (TWO_ARMS, rb.DUCB(gamma=0.9)),
    "early rewards": ([UNMOVED, UNMOVED], rb.TunedRogueUCB()),
    "bounded": ([UNMOVED, UNMOVED], rb.Bounded(rb.TunedRogueUCB(), 0.2)),
    "sums": (TWO_ARMS, rb.FEWA()),
}
pytestmark = [
    pytest.mark.usefixtures("interpreted"),
    pytest.mark.filterwarnings("ignore:.* its first state is forgotten"),
]


@pytest.mark.parametrize("name", GROWING)
@pytest.mark.parametrize("decisions", [0, 1, 7, 8, 9])
def test_a_snapshot_is_that_of_the_same_person_alone(name: str, decisions: int) -> None:
    """Person 0 has more pending decisions and more rewards than fit into the room that everybody began with."""
    arms, policy = GROWING[name]
    people = rb.Population(arms, policy, people=2, seed=3)
    alone = rb.Bandit.from_bytes(people.to_bytes(1), arms, policy)
    for t in range(20):
        people.update(people.choose([0], available=[[0]]), [t % 2])
    for _ in range(20):
        people.choose([0])
    assert people.to_bytes(1) == alone.to_bytes()
    for t in range(decisions):
        made, own = people.choose([1]), alone.choose()
        if t % 4 != 3:
            people.update(made, [t % 2])
            alone.update(own, t % 2)
    assert people.to_bytes(1) == alone.to_bytes()
    # What was restored goes on, also where its room is less than that of the others.
    again = rb.Bandit.from_bytes(people.to_bytes(0), arms, policy)
    for t in range(12):
        made, own = people.choose([0]), again.choose()
        assert (made.arm[0], made.number[0]) == (own.arm, own.number)
        people.update(made, [t % 2])
        again.update(own, t % 2)
    assert people.to_bytes(0) == again.to_bytes()
    assert [pickle.loads(pickle.dumps(people)).to_bytes(p) for p in range(2)] == [people.to_bytes(p) for p in range(2)]


def test_room_that_is_no_longer_used_is_not_saved() -> None:
    bandit = rb.Bandit(TWO_ARMS, rb.DUCB(gamma=0.9), seed=1)
    made = [bandit.choose() for _ in range(100)]
    backlog = len(bandit.to_bytes())
    for decision in made[:1] + made[:0:-1]:
        bandit.update(decision, 1)
    assert 1.5 * len(bandit.to_bytes()) < backlog
    twin = rb.Bandit.from_bytes(bandit.to_bytes(), TWO_ARMS, bandit.policy)
    assert [array.size for array in leaves(twin._online.session.pending)] == [2, 2, 2, 8]


def choose_often(people: rb.Population, who: list[int]) -> None:
    for _ in range(300):
        people.choose(who)


def test_a_backlog_of_one_of_many_people_brings_one_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "MANY_PEOPLE", 3)
    people = rb.Population(TWO_ARMS, rb.DUCB(gamma=0.9), people=3, seed=1)
    message = (
        "person 2 has 64 decisions that await rewards, or more. There is now room for 128 of each of 3 people, 0 MB"
    )
    with pytest.warns(RuntimeWarning, match=message) as warned:
        choose_often(people, [2])
    assert len(warned) == 1
    assert warned[0].filename == __file__
    others = rb.Population(TWO_ARMS, rb.DUCB(gamma=0.9), people=3, seed=1)
    with pytest.warns(RuntimeWarning, match="person 1 has 64 decisions"):
        others.restore(1, people.to_bytes(2))


def test_a_backlog_of_few_people_brings_no_warning() -> None:
    people = rb.Population(TWO_ARMS, rb.DUCB(gamma=0.9), people=3, seed=1)
    with warnings.catch_warnings(record=True) as warned:
        choose_often(people, [0, 2])
    assert not warned
