"""Many people under one policy, online: the arrays of all of them, and one interface for any subset."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rogue_bandits.model.numbers import checked_whole
from rogue_bandits.model.problem import is_nested, problem_of, shown_names
from rogue_bandits.numerics.seeding import streams_of
from rogue_bandits.online.availability import arm_mask, mask_of
from rogue_bandits.online.checks import (
    checked_arm_numbers,
    checked_people,
    checked_person,
    checked_probabilities,
    checked_rewards,
    raise_on_not_pending,
    raise_on_other_tokens,
)
from rogue_bandits.online.decisions import Decisions
from rogue_bandits.online.engine import Engine, engine_of, fingerprints, fresh_sessions, fresh_state, new_chosen
from rogue_bandits.online.explanation import Explanation, sentence_of
from rogue_bandits.online.kernels import Chosen, OnlineState, Session, warn_of_room
from rogue_bandits.online.personal import joined, mapped, person_of, replaced
from rogue_bandits.online.room import with_least_room
from rogue_bandits.online.snapshot import names_of, packed, unpacked
from rogue_bandits.policies.explain import Row, policy_rows, reason_in
from rogue_bandits.types import NOT_ASKED, Arm, Floats, Ints, start


class Population:
    """A policy at work for many people, in one thread at a time.

    `arms` is a list that all people share, or a list of lists, one for each person, which may differ in the numbers of
    their dynamics except lo and hi. Each person has a random stream of their own, so that the decisions of one person
    in a population are those of the same person alone.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> people = rb.Population([arm, arm], rb.TunedRogueUCB(), people=1000, seed=7)
    >>> decisions = people.choose()                       # for everybody
    >>> people.update(decisions, np.ones(1000))           # nan: a reward that will never be seen
    >>> some = people.choose([3, 5], available=[[0], [0, 1]])
    >>> some.person.tolist(), some.number.tolist(), int(some.arm[0])
    ([3, 5], [1, 1], 0)
    """

    def __init__(self, arms: Any, policy: Any, people: int | None = None, seed: int | None = None) -> None:
        """Make fresh people; without a seed, their random choices differ from run to run."""
        problem = problem_of(arms)
        listed = len(arms) if is_nested(arms) else None
        people = checked_whole(listed or 1, "people", 1) if people is None else checked_whole(people, "people", 1)
        if listed is not None and people != listed:
            raise ValueError(f"people {people} must be {listed}: arms has a list for each of so many people")
        self._entropy = np.random.SeedSequence(None if seed is None else checked_whole(seed, "seed", 0)).entropy
        self._online = fresh_state(engine_of(problem, policy), streams_of(self._entropy, range(people)))

    @classmethod
    def of_state(cls, online: OnlineState, entropy: Any) -> Population:
        """Return the people of a state that other populations may share."""
        people = cls.__new__(cls)
        people._online, people._entropy = online, entropy
        return people

    @classmethod
    def of_arrays(cls, engine: Engine, arrays: tuple[Any, Session], entropy: Any) -> Population:
        """Return people whose arrays are stored elsewhere, such as on disk: those of `arrays`, not copied."""
        return cls.of_state(OnlineState(engine, *arrays), entropy)

    @property
    def arrays(self) -> tuple[Any, Session]:
        """The numbers of all people, not copied: what the policy has of each, and their decisions and streams."""
        return self._online.arrays

    def __repr__(self) -> str:
        return f"<Population: {len(self):,} people; {', '.join(shown_names(self.arms))}; {self.policy!r}>"

    def __len__(self) -> int:
        return self._online.session.number.size

    @property
    def arms(self) -> list[Arm]:
        """The arms; where people have dynamics of their own, those of the first."""
        return list(self._online.engine.problem.arms)

    @property
    def policy(self) -> Any:
        """The policy, as it was given."""
        return self._online.engine.policy

    @property
    def number(self) -> Ints:
        """The number of each person's next decision: [people]."""
        return self._online.session.number.copy()

    def arms_of(self, person: int) -> tuple[Arm, ...]:
        """Return the arms of one person."""
        problem, person = self._online.engine.problem, checked_person(person, len(self))
        return problem.people[person] if problem.people else problem.arms

    def choose(
        self, people: Iterable[int] | None = None, available: Any = None, probabilities: bool = True
    ) -> Decisions:
        """Decide for some people, or for all: the chosen arms are played now.

        `available` says which arms each of them may get: a list of arm numbers for each person, or booleans
        [people, arms]; numbers 1 and 0 in their place are refused. Without `probabilities` those of policies that
        sample are not worked out, which takes most of their time: they are nan.
        """
        who = self._checked_people(people)
        mask, chosen = mask_of(available, who, len(self.arms)), self._new_chosen(who, probabilities)
        self._online.choose(who, mask, chosen)
        chosen.probability[chosen.probability == NOT_ASKED] = np.nan
        return self._decisions(who, chosen)

    def rest(self, people: Iterable[int] | None = None) -> None:
        """Advance some people, or all, by a decision at which nothing is played: every state recovers."""
        who = self._checked_people(people)
        chosen = self._new_chosen(who)
        chosen.arm[:] = -1
        self._online.play(who, chosen)

    def record(
        self,
        people: Iterable[int],
        arms: ArrayLike,
        rewards: ArrayLike | None = None,
        probability: ArrayLike = 1.0,
    ) -> Decisions:
        """Add a decision made elsewhere: the arms that some people got, with their rewards if they are known.

        Without rewards they can be given later, to `update`. `probability` is that with which the arms were chosen, for
        policies that weigh rewards by it.
        """
        who = self._checked_people(people)
        chosen = self._new_chosen(who)
        chosen.arm[:] = checked_arm_numbers(arms, who, len(self.arms))
        chosen.probability[:] = checked_probabilities(probability, who)
        values = None if rewards is None else checked_rewards(self.arms, who, chosen.arm, rewards)
        self._online.play(who, chosen)
        decisions = self._decisions(who, chosen)
        if values is not None:
            self._online.learn(who, chosen, values)
        return decisions

    def update(self, decisions: Decisions, rewards: ArrayLike) -> None:
        """Learn the rewards of decisions, now or after further ones. nan: a reward will never be observed.

        Decisions of another population are refused, unless both were made with the same seed: tokens follow from the
        seed, so that a population that is made again, or restored, can be given the rewards of the first.
        """
        if not isinstance(decisions, Decisions):
            raise TypeError(f"update needs the Decisions that choose returned, not {decisions!r}")
        who = self._checked_people(decisions.person)
        number, arm = (np.ascontiguousarray(column, dtype=np.int64) for column in decisions[1:3])
        chosen = Chosen(number, arm, np.ascontiguousarray(decisions.probability, dtype=np.float64), np.empty((0, 0)))
        if not number.shape == arm.shape == chosen.probability.shape == who.shape:
            raise ValueError(f"update, decisions has columns of {[len(column) for column in decisions]} rows")
        checked_arm_numbers(chosen.arm, who, len(self.arms))
        raise_on_other_tokens(self._online.session, who, number, decisions.token)
        values = checked_rewards(self.arms, who, chosen.arm, rewards)
        raise_on_not_pending(self._online.session, who, number, arm)  # before anybody learns: all of them, or none
        self._online.learn(who, chosen, values)

    def learn(self, who: Ints, number: Ints, arm: Ints, rewards: Floats) -> None:
        """Learn rewards that have been checked, as `update` does, one after the other; people may be listed again."""
        self._online.learn(who, Chosen(number, arm, np.ones(who.size), np.empty((0, 0))), rewards)

    def add(self, people: Any = 1) -> range:
        """Add so many fresh people, or one for each list of arms where dynamics differ; return their numbers."""
        first, problem = len(self), self._online.engine.problem
        if problem.people:
            if not is_nested(people):
                raise TypeError("people of this population have dynamics of their own: give a list of arms for each")
            problem = problem_of([*problem.people, *people])
            count = len(people)
        elif is_nested(people):
            raise TypeError(
                "people of this population share their arms: give the number of people to add, such as "
                f"add({len(people)}); where dynamics differ, make the population from a list of arms for each person"
            )
        else:
            count = checked_whole(people, "people to add", 1)
        streams = streams_of(self._entropy, range(first, first + count))
        # Dynamics of their own may make people differ before the first decision.
        everybody = start(self.policy, problem, first + count if problem.people else count)
        fresh = mapped(lambda array: array[-count:], everybody.personal)
        personal, session = joined(self.arrays, (fresh, fresh_sessions(streams)))
        self._online.replace(engine_of(problem, self.policy), personal, session)
        return range(first, first + count)

    def reseed(self, seed: int) -> None:
        """Give everybody a new random stream; what was learned stays."""
        self._entropy = np.random.SeedSequence(checked_whole(seed, "seed", 0)).entropy
        self._online.session.stream[:] = streams_of(self._entropy, range(len(self)))

    def explain(self, person: int, available: Iterable[int] | None = None) -> Explanation:
        """Return the estimates for one person's arms, the next decision and its reason; nothing is played.

        Probabilities and the arm are those that `choose` will return, if nothing happens in between.

        >>> import rogue_bandits as rb
        >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6), name="walk")
        >>> people = rb.Population([arm, arm._replace(name="sleep")], rb.Random(), people=3, seed=7)
        >>> print(people.explain(2))
                     walk  sleep
        probability  0.5   0.5
        <BLANKLINE>
        Decision 0 would play ..., which has probability 0.5: as every available arm is as likely.
        """
        person = checked_person(person, len(self))
        mask = None if available is None else arm_mask(available, len(self.arms))
        before, number = self._online.checkpoint(person), int(self._online.session.number[person])
        rows = policy_rows(self._online.state, person, number)
        try:
            would = self.choose([person], None if mask is None else mask[None])
        finally:
            self._online.revert(person, before)
        if not np.isnan(would.probabilities).any():
            rows = [*rows, Row("probability", tuple(would.probabilities[0].tolist()))]
        names = shown_names(self.arms_of(person))
        arm = int(would.arm[0])
        alone = mask is not None and mask.sum() == 1
        why = "as no other arm is available" if alone else reason_in(self._online.state, self.policy)
        words = sentence_of(number, names[arm], float(would.probability[0]), why)
        return Explanation(number, names, arm, tuple(rows), words)

    def to_bytes(self, person: int) -> bytes:
        """Return one person as a snapshot: personal numbers only, names of arms, a hash of arms and policy."""
        self._online.raise_if_broken()
        person = checked_person(person, len(self))
        engine, arms = self._online.engine, self.arms_of(person)
        one = with_least_room((engine.state, engine.session), person_of(self.arrays, person))
        return packed(one, fingerprints(arms, self.policy)[0], names_of(arms))

    def restore(self, person: int, snapshot: bytes) -> None:
        """Replace one person by a snapshot, of a population or a Bandit with the same arms and policy."""
        person = checked_person(person, len(self))
        arms = self.arms_of(person)
        like = self._online.engine.state.personal, self._online.session
        one = unpacked(snapshot, like, fingerprints(arms, self.policy), names_of(arms))
        warn_of_room(person, len(self), like[1].pending, one[1].pending, stacklevel=3)
        self._online.replace(self._online.engine, *replaced(self.arrays, person, one))

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        arms = [list(one) for one in self._online.engine.problem.people] or self.arms
        return _rebuilt, (arms, self.policy, self._entropy, [self.to_bytes(person) for person in range(len(self))])

    def _new_chosen(self, who: Ints, probabilities: bool = True) -> Chosen:
        return new_chosen(who.size, len(self.arms) if probabilities else 0)

    def _decisions(self, who: Ints, chosen: Chosen) -> Decisions:
        return Decisions(who, *chosen, self._online.session.token[who])

    def _checked_people(self, people: Any) -> Ints:
        return checked_people(people, len(self))


def _rebuilt(arms: Any, policy: Any, entropy: Any, snapshots: list[bytes]) -> Population:
    people = Population(arms, policy, people=len(snapshots))
    people._entropy = entropy
    for person, snapshot in enumerate(snapshots):
        people.restore(person, snapshot)
    return people
