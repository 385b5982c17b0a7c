"""Many people at once: each lives as they would alone; subsets, availability, late rewards, newcomers."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rogue_bandits as rb
from tests.policies.histories import THREE_ARMS, TWO_ARMS

POLICY = rb.DUCB(gamma=0.9)  # compiles in no time; tests/policies/test_conformance.py asks every policy
SLOW_ARMS = [arm._replace(dynamics=arm.dynamics._replace(decay=0.9)) for arm in TWO_ARMS]


def population(people: int = 5, arms: Any = TWO_ARMS, policy: Any = POLICY, seed: int = 3) -> rb.Population:
    return rb.Population(arms, policy, people, seed)


def days(people: rb.Population, count: int, seed: int = 1) -> list[rb.Decisions]:
    """Everybody decides on each of some days, and gets a reward."""
    rng, made = np.random.default_rng(seed), []
    for _ in range(count):
        made.append(people.choose())
        people.update(made[-1], rng.integers(0, 2, len(people)))
    return made


def test_what_is_printed_of_people_names_arms_and_policy() -> None:
    people = population(1_500)
    assert repr(people) == f"<Population: 1,500 people; arm 0, arm 1; {POLICY!r}>"
    bandit = rb.Bandit([arm._replace(name=name) for arm, name in zip(TWO_ARMS, ("walk", "sleep"))], POLICY, seed=1)
    bandit.rest()
    assert repr(bandit) == f"<Bandit: walk, sleep; {POLICY!r}; decision 1 is next>"


# ---- choose ----------------------------------------------------------------------------------------------------------
def test_probabilities_need_not_be_worked_out() -> None:
    people = rb.Population(TWO_ARMS, rb.IndexTS(), people=3, seed=1)
    twins = rb.Population(TWO_ARMS, rb.IndexTS(), people=3, seed=1)
    complete, without = people.choose(), twins.choose(probabilities=False)
    assert complete.arm.tolist() == without.arm.tolist()
    assert complete.probabilities.sum(axis=1) == pytest.approx(np.ones(3))
    assert np.isnan(without.probability).all()
    assert without.probabilities.shape == (3, 0)
    assert complete.at(1).probabilities.shape == (1, 2)
    people.update(complete.at([0, 2]), [1.0, 0.0])
    twins.update(without, [1.0, 0.0, 1.0])


def test_a_bandit_need_not_work_out_probabilities_either() -> None:
    bandit, twin = (rb.Bandit(TWO_ARMS, rb.IndexTS(), seed=1) for _ in range(2))
    complete, without = bandit.choose(), twin.choose(probabilities=False)
    assert (without.number, without.arm, without.token) == (complete.number, complete.arm, complete.token)
    assert np.isnan(without.probability)
    assert without.probabilities == ()
    bandit.update(complete, 1.0)
    twin.update(without, 1.0)
    assert twin.choose().arm == bandit.choose().arm
    chosen = rb.Bandit(TWO_ARMS, rb.Random(), seed=1).choose(available=[1], probabilities=False)
    assert (chosen.arm, chosen.probability) == (1, 1.0)


def test_a_population_of_one_list_of_arms_can_be_extended() -> None:
    people = rb.Population([TWO_ARMS], rb.RoundRobin(), seed=1)
    assert people.add([TWO_ARMS]) == range(1, 2)
    assert len(people) == 2


def test_a_subset_decides_and_the_others_wait() -> None:
    people = population()
    some = people.choose([4, 1])
    assert some.person.tolist() == [4, 1]
    assert people.number.tolist() == [0, 1, 0, 0, 1]


def test_in_whatever_groups_people_decide_each_decides_the_same() -> None:
    together, apart = population(6), population(6)
    rng = np.random.default_rng(0)
    for _ in range(30):
        rewards = rng.integers(0, 2, 6)
        all_at_once = together.choose()
        together.update(all_at_once, rewards)
        order = rng.permutation(6)
        for group in np.split(order, [1, 3]):
            made = apart.choose(group)
            assert made.arm.tolist() == all_at_once.arm[group].tolist()
            apart.update(made, rewards[group])
    assert [apart.to_bytes(p) for p in range(6)] == [together.to_bytes(p) for p in range(6)]


@pytest.mark.parametrize("as_mask", [False, True])
def test_each_person_has_their_own_available_arms(as_mask: bool) -> None:
    people, allowed = population(4, THREE_ARMS), [[0], [1, 2], [2], [0, 1, 2]]
    mask = np.array([[k in row for k in range(3)] for row in allowed])
    for _ in range(20):
        made = people.choose(available=mask if as_mask else allowed)
        assert all(arm in row for arm, row in zip(made.arm.tolist(), allowed, strict=True))
        people.update(made, np.ones(4))


def test_availability_may_be_booleans_of_any_kind_or_arm_numbers() -> None:
    mask = np.array([[True, False]] * 4 + [[False, True]])
    frame = pd.DataFrame(mask, columns=["walk", "sleep"])
    kinds: list[Any] = [mask, mask.tolist(), frame, frame.astype(object), frame.astype("boolean"), [[0]] * 4 + [{1}]]
    kinds += [[np.array([0])] * 4 + [np.array([False, True])], np.array([[0]] * 4 + [[1]])]
    for available in kinds:
        assert population().choose(available=available).arm.tolist() == [0, 0, 0, 0, 1]
    bandit = rb.Bandit(TWO_ARMS, rb.Random(), seed=1)
    assert [bandit.choose(available=[False, True]).arm for _ in range(5)] == [1] * 5
    assert {bandit.choose(available=[1, 0]).arm for _ in range(20)} == {0, 1}  # two arm numbers
    assert bandit.explain(np.array([False, True])).sentence.endswith("as no other arm is available.")


def test_a_choice_is_that_of_the_same_person_as_a_bandit() -> None:
    people = population(3)
    bandits = [rb.Bandit.from_bytes(people.to_bytes(p), TWO_ARMS, POLICY) for p in range(3)]
    for t in range(40):
        made = people.choose()
        people.update(made, np.full(3, t % 2))
        for p, bandit in enumerate(bandits):
            decision = bandit.choose()
            assert (decision.number, decision.arm, decision.probability) == (t, made.arm[p], made.probability[p])
            bandit.update(decision, t % 2)
    assert [bandit.to_bytes() for bandit in bandits] == [people.to_bytes(p) for p in range(3)]


# ---- rewards ---------------------------------------------------------------------------------------------------------
def test_rewards_may_come_late_and_of_some_only() -> None:
    people = population(4)
    first, second = people.choose(), people.choose()
    people.update(second.at([1, 3]), [1.0, 0.0])
    people.update(first, np.ones(4))
    people.update(second.at([0, 2]), [np.nan, 1.0])
    with pytest.raises(ValueError, match="decision 1 of person 3 awaits no reward: its reward was given already"):
        people.update(second.at([3]), [1.0])


def test_masked_rewards_are_not_observed() -> None:
    one, other = population(4), population(4)
    for kind in (float, int, object):
        rewards: Any = np.ma.array(np.ones(4, kind), mask=[False, True, False, True])
        one.update(one.choose(), rewards)
        other.update(other.choose(), [1, np.nan, 1, np.nan])
    assert [one.to_bytes(p) for p in range(4)] == [other.to_bytes(p) for p in range(4)]


def test_a_day_without_rewards_is_an_ordinary_one() -> None:
    people = population(4)
    today = people.choose()
    none_of_them: list[Any] = [[], np.zeros(4, bool), slice(0, 0)]
    for nothing in none_of_them:
        assert len(today.at(nothing).person) == 0
        people.update(today.at(nothing), [])
    people.update(people.record([], [], []), [])
    people.update(people.choose([], available=[]), np.ones(0))
    assert people.number.tolist() == [1] * 4


def test_decisions_are_selected_by_a_slice() -> None:
    people = population(4)
    today = people.choose()
    assert today.at(slice(1, None, 2)).person.tolist() == [1, 3]
    people.update(today.at(slice(0, 2)), [1, 0])
    people.update(today.at(slice(-2, None)), [1, 0])


def test_decisions_may_come_back_from_a_file_with_other_types() -> None:
    """Kernels read memory as 64-bit numbers in C order, whatever arrays are given."""
    one, other = population(4), population(4)
    for _ in range(5):
        made = one.choose(available=np.array([True, False]))
        assert other.choose(available=np.asfortranarray(np.tile([True, False], (4, 1)))).arm.tolist() == [0] * 4
        narrow: Any = [np.repeat(column, 2)[::2].astype(f"{column.dtype.kind}4") for column in made]
        one.update(made, np.ones(4))
        other.update(rb.Decisions(*narrow), np.ones(4, dtype=np.float32))
    assert [one.to_bytes(p) for p in range(4)] == [other.to_bytes(p) for p in range(4)]


def test_rows_that_are_not_there_are_named() -> None:
    made = population().choose(probabilities=False)
    strange: list[Any] = ["a", [0.5], [[0, 1]], None, np.ones((5, 5), bool)]
    for rows in [5, [0, -6], np.ones(4, dtype=bool), *strange]:
        with pytest.raises(IndexError, match=r"must be numbers from 0 to 4, or a mask of 5, of these decisions"):
            made.at(rows)


def test_decisions_of_another_population_are_refused() -> None:
    one, other = population(3, seed=1), population(3, seed=2)
    made, own = one.choose(available=[[0]] * 3), other.choose(available=[[0]] * 3)
    before = [other.to_bytes(p) for p in range(3)]
    with pytest.raises(ValueError, match="decision 0 of person 1 was made by another population"):
        other.update(made.at([1, 2]), [1.0, 0.0])
    with pytest.raises(ValueError, match="decisions has 2 tokens for 3 people"):
        other.update(own._replace(token=own.token[:2]), np.ones(3))
    assert [other.to_bytes(p) for p in range(3)] == before
    other.update(own, np.ones(3))
    recorded = one.record([0, 2], [1, 0])
    with pytest.raises(ValueError, match="decision 1 of person 0 was made by another population"):
        other.update(recorded, np.ones(2))


def test_decisions_without_tokens_are_accepted() -> None:
    people = population(3)
    made = people.choose()
    people.update(rb.Decisions(*made.at([0, 1])[:4]), np.ones(2))
    people.update(made.at([2])._replace(token=np.zeros(1, dtype=np.int64)), np.ones(1))


def test_decisions_made_before_a_snapshot_are_credited_after_it() -> None:
    people, elsewhere = population(3, seed=1), population(3, seed=2)
    made = people.choose()
    elsewhere.restore(2, people.to_bytes(2))
    elsewhere.update(made.at([2]), [1.0])
    pickle.loads(pickle.dumps(people)).update(pickle.loads(pickle.dumps(made)), np.ones(3))
    people.reseed(9)
    people.add(2)
    people.update(made, np.ones(3))
    assert people.to_bytes(2) != elsewhere.to_bytes(2)  # the streams differ
    people.update(people.choose([3, 4]), np.ones(2))


def test_if_one_of_several_decisions_awaits_no_reward_none_is_learned() -> None:
    people = population(3)
    made = people.choose()
    people.update(made.at([2]), [1.0])
    before = [people.to_bytes(p) for p in range(3)]
    with pytest.raises(ValueError, match="decision 0 of person 2 awaits no reward"):
        people.update(made, np.ones(3))
    assert [people.to_bytes(p) for p in range(3)] == before
    people.update(made.at([0, 1]), np.ones(2))


def test_rewards_that_never_come_leave_no_trace() -> None:
    one, other = population(2), population(2)
    for t in range(10):
        made = one.choose()
        other.choose()
        one.update(made, np.full(2, np.nan) if t % 2 else np.ones(2))
        if not t % 2:
            other.update(made, np.ones(2))
    assert one._online.state.personal.n.tolist() == other._online.state.personal.n.tolist()


def test_there_is_room_for_many_pending_decisions() -> None:
    people = population(2)
    made = [people.choose() for _ in range(40)]
    for decisions in reversed(made):
        people.update(decisions, np.ones(2))
    assert not people._online.session.pending.number.any()


# ---- record ----------------------------------------------------------------------------------------------------------
def test_what_is_recorded_counts_as_if_it_had_been_chosen() -> None:
    live, recorded = population(3), population(3)
    rng = np.random.default_rng(2)
    for t in range(30):
        made, rewards = live.choose(), rng.integers(0, 2, 3).astype(float)
        live.update(made, rewards)
        if t % 2:
            recorded.record(range(3), made.arm, rewards, made.probability)
        else:
            recorded.update(recorded.record(range(3), made.arm, probability=made.probability), rewards)
    assert recorded.number.tolist() == live.number.tolist()
    for one, other in zip(live._online.state.personal, recorded._online.state.personal, strict=True):
        assert one.tobytes() == other.tobytes()


def test_a_rest_advances_those_who_rest() -> None:
    people = population(3)
    people.rest([1])
    assert people.number.tolist() == [0, 1, 0]


# ---- people ----------------------------------------------------------------------------------------------------------
def test_newcomers_are_as_if_they_had_been_there_but_had_not_decided() -> None:
    grown, whole = population(2), population(5)
    days(grown, 10)
    assert grown.add(3) == range(2, 5)
    assert len(grown) == 5
    assert [grown.to_bytes(p) for p in (2, 3, 4)] == [whole.to_bytes(p) for p in (2, 3, 4)]


def test_people_with_dynamics_of_their_own_are_one_population() -> None:
    """Each lives as alone with their own arms."""
    policy = rb.EpsilonRogue()
    mixed = rb.Population([TWO_ARMS, SLOW_ARMS, TWO_ARMS], policy, seed=3)
    alone = [rb.Population(arms, policy, 1) for arms in (TWO_ARMS, SLOW_ARMS, TWO_ARMS)]
    for p, one in enumerate(alone):
        one.restore(0, mixed.to_bytes(p))
    rng = np.random.default_rng(5)
    for _ in range(40):
        rewards = rng.integers(0, 2, 3).astype(float)
        made = mixed.choose()
        mixed.update(made, rewards)
        for p, one in enumerate(alone):
            decision = one.choose()
            assert (decision.arm[0], decision.probability[0]) == (made.arm[p], made.probability[p])
            one.update(decision, rewards[p : p + 1])
    assert [one.to_bytes(0) for one in alone] == [mixed.to_bytes(p) for p in range(3)]
    assert mixed.to_bytes(0) != mixed.to_bytes(2)
    assert mixed.add([SLOW_ARMS]) == range(3, 4)
    assert mixed.arms_of(3)[0].dynamics.decay == 0.9


def test_people_may_differ_in_the_numbers_of_their_dynamics_only() -> None:
    wider = [arm._replace(theta_hi=2.0) for arm in TWO_ARMS]
    with pytest.raises(ValueError, match=r"person 1, arm 0, theta_hi 2.0 must be 1.0, as that of person 0"):
        rb.Population([TWO_ARMS, wider], POLICY)
    higher = [arm._replace(dynamics=arm.dynamics._replace(hi=2.0)) for arm in TWO_ARMS]
    message = (
        "person 1, arm 0, dynamics.hi 2.0 must be 1.0, .*: people may differ in the numbers of their dynamics except lo"
    )
    with pytest.raises(ValueError, match=message):
        rb.Population([TWO_ARMS, higher], POLICY)
    switched = [arm._replace(dynamics=rb.SwitchedAffine(0.5, -0.1, 0.5, 0.1)) for arm in TWO_ARMS]
    with pytest.raises(
        ValueError, match="person 1, arm 0 has dynamics SwitchedAffine where person 0 has ClippedAffine"
    ):
        rb.Population([TWO_ARMS, switched], POLICY)
    with pytest.raises(ValueError, match="person 1: arm 1 has dynamics SwitchedAffine where arm 0 has ClippedAffine"):
        rb.Population([TWO_ARMS, [TWO_ARMS[0], switched[1]]], POLICY)
    with pytest.raises(TypeError, match="person 1: arms 7 must be a list of Arm"):
        rb.Population([TWO_ARMS, 7], POLICY)
    with pytest.raises(ValueError, match="person 1 has 3 arms where person 0 has 2"):
        rb.Population([TWO_ARMS, THREE_ARMS], POLICY)
    with pytest.raises(ValueError, match="people 3 must be 2: arms has a list for each of so many people"):
        rb.Population([TWO_ARMS, SLOW_ARMS], POLICY, people=3)


def test_reseeding_changes_the_choices_and_not_what_was_learned() -> None:
    one, other = (rb.Population(TWO_ARMS, rb.Random(), 50, seed=1) for _ in range(2))
    other.reseed(2)
    first = one.choose()
    assert first.arm.tolist() != other.choose().arm.tolist()
    other.update(first._replace(arm=other._online.session.pending.arm[:, 0]), np.ones(50))


def test_a_population_can_be_pickled() -> None:
    people = population(3)
    days(people, 5)
    twin = pickle.loads(pickle.dumps(people))
    assert twin.choose().arm.tolist() == people.choose().arm.tolist()
    assert [twin.to_bytes(p) for p in range(3)] == [people.to_bytes(p) for p in range(3)]


# ---- refusals --------------------------------------------------------------------------------------------------------
FLAGS = r"available has shape \(5, 2\), people by arms, and only numbers 0 and 1, .*use booleans"
REFUSED: list[tuple[Any, str]] = [
    (lambda p: p.choose([5]), "person 5 must be a number from 0 to 4"),
    (lambda p: p.choose([-1]), "person -1 must be a number from 0 to 4"),
    (lambda p: p.choose([1, 1]), "person 1 is listed twice: list each person once"),
    (lambda p: p.choose(["a"]), "must be a list of numbers from 0 to 4"),
    (lambda p: p.choose([0, 1], available=[[0]]), "available has 1 lists where 2 people are asked for"),
    (lambda p: p.choose([3], available=[[]]), r"available, person 3 has no arm: leave them out, or call rest\(\)"),
    (lambda p: p.choose([3], available=[[2]]), "available to person 3, arm 2 must be a number from 0 to 1"),
    (lambda p: p.choose([4, 3], available=[[1, 0], [0, 0]]), "available to person 3, arm 0 is listed twice"),
    (lambda p: p.choose([4, 3], available=[[True, False], [True]]), "available to person 3, .* has 1 booleans"),
    (lambda p: p.choose([3], available=["01"]), "available to person 3, '01' must be a list of arm numbers, or of 2"),
    (lambda p: p.choose(available=5), "available 5 must have a list of arm numbers, or booleans, for each person"),
    (lambda p: p.choose([0], available={0: [1]}), "available {0: .* must have a list of arm numbers, or booleans, for"),
    (lambda p: p.choose(available=np.ones((5, 2), int)), FLAGS),
    (lambda p: p.choose(available=np.array([[1.0, 0.0]] * 5)), FLAGS),
    (lambda p: p.choose(available=pd.DataFrame([[1, 0]] * 5)), FLAGS),
    (lambda p: p.choose(available=pd.DataFrame([[1, 0]] * 5, dtype=object)), FLAGS),
    (
        lambda p: p.choose(available=np.ma.array([[True, True]] * 5, mask=[[False, True]] * 5)),
        "available has masked entries",
    ),
    (lambda p: p.record([2], [7]), "arm 7 of person 2 must be a number from 0 to 1"),
    (lambda p: p.record([2], [0], [0.5]), r"person 2, arm 0, reward 0.5 must be 0 or 1 \(BernoulliLogit\)"),
    (lambda p: p.record([2], [0], probability=0.0), "record, probability 0.0 must be above 0 and at most 1"),
    (lambda p: p.choose(0), "people 0 must be a list of numbers from 0 to 4"),
    (lambda p: p.choose([0, 1], available=np.ones((5, 2), bool)), r"available has shape \(5, 2\), and must have a row"),
    (lambda p: p.record([1, 2], [0]), r"arms has shape \(1,\), and must have one arm for each of 2 people"),
    (lambda p: p.record([1, 2], [0, 1], 1), r"rewards has shape \(\), and must have one reward for each of 2 people"),
    (
        lambda p: p.record([1, 2], [0, 1], [1, 0, 1]),
        r"rewards has shape \(3,\), and must have one reward for each of 2",
    ),
    (lambda p: p.record([1, 2], [0, 1], [1, "x"]), "rewards, 'x' must be a number, or nan where none was seen"),
    (lambda p: p.record([1, 2], [0, 1], ["1", "0"]), "rewards, '1' must be a number, or nan where none was seen"),
    (lambda p: p.record([1, 2], [0, 1], np.array([1, "0"], object)), "rewards, '0' must be a number, or nan where"),
    (lambda p: p.record([1, 2], [0, 1], np.array([1, 0], "M8[s]")), "rewards, .* must be a number, or nan where none"),
    (lambda p: p.update(7, 1.0), "update needs the Decisions that choose returned, not 7"),
    (
        lambda p: p.record([0], [0], [1], [0.5, 0.5]),
        r"record, probability has shape \(2,\), and must have one for each",
    ),
    (lambda p: p.record([0], [0], [1], "x"), "record, probability 'x' must be a number above 0 and at most 1"),
    (lambda p: p.record([0], [0], [1], [np.nan]), r"record, probability \[nan\] must be above 0 and at most 1"),
    (lambda p: p.to_bytes("a"), "person 'a' must be a number from 0 to 4"),
    (lambda p: p.to_bytes([1]), r"person \[1\] must be a number from 0 to 4"),
    (lambda p: p.to_bytes(5), "person 5 must be a number from 0 to 4"),
    (lambda p: p.to_bytes(True), "person True must be a number from 0 to 4"),
    (lambda p: p.explain(-1), "person -1 must be a number from 0 to 4"),
    (lambda p: p.arms_of(5), "person 5 must be a number from 0 to 4"),
    (lambda p: p.restore(np.int64(7), b""), "person 7 must be a number from 0 to 4"),
    (lambda p: p.add([TWO_ARMS]), r"people of this population share their arms: give the number .* such as add\(1\);"),
    (lambda p: p.add(0), "people to add 0 must be a whole number, 1 or more"),
    (lambda p: p.restore(0, b"hello"), "this is not a snapshot"),
]


@pytest.mark.parametrize(("asked", "message"), REFUSED)
def test_what_cannot_be_is_refused_and_nothing_is_lost(asked: Any, message: str) -> None:
    people = population()
    days(people, 3)
    before = [people.to_bytes(p) for p in range(5)]
    with pytest.raises((ValueError, TypeError), match=message):
        asked(people)
    assert [people.to_bytes(p) for p in range(5)] == before
