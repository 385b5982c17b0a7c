"""One person, online: a population of one, with an interface for one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rogue_bandits.model.numbers import checked_whole
from rogue_bandits.model.problem import problem_of, shown_names
from rogue_bandits.model.validation import checked_reward
from rogue_bandits.numerics.pcg64 import stream_of
from rogue_bandits.online.availability import arm_mask
from rogue_bandits.online.engine import engine_of, fresh_state, new_chosen
from rogue_bandits.online.explanation import Explanation
from rogue_bandits.online.kernels import OnlineState
from rogue_bandits.online.population import Population
from rogue_bandits.online.room import with_least_room
from rogue_bandits.online.snapshot import names_of, packed, unpacked
from rogue_bandits.online.text import arrays_like, from_text, to_text
from rogue_bandits.policies.contradicted import contradicted_arms
from rogue_bandits.types import NOT_ASKED, Arm, Bools, Decision

ONLY = np.zeros(1, dtype=np.int64)
INTEGERS = int, np.integer


class Bandit:
    """A policy at work for one person, in one thread at a time.

    >>> import rogue_bandits as rb
    >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
    >>> bandit = rb.Bandit([arm, arm], rb.TunedRogueUCB(), seed=7)
    >>> decision = bandit.choose()
    >>> bandit.update(decision, 1.0)
    >>> bandit.rest()
    >>> bandit.choose(available=[1]).arm
    1
    """

    origin: str = ""  # tells what it was taken from; see `partitions.put_back`

    def __init__(self, arms: Sequence[Arm], policy: Any, seed: int | None = None) -> None:
        """Make a fresh bandit; without a seed, its choices among equals differ from run to run."""
        stream = stream_of(np.random.SeedSequence(None if seed is None else checked_whole(seed, "seed", 0)))
        self._set_up(fresh_state(engine_of(problem_of(arms), policy), stream[None]))

    @classmethod
    def _of(cls, online: OnlineState) -> Bandit:
        bandit = cls.__new__(cls)
        bandit._set_up(online)
        return bandit

    def _set_up(self, online: OnlineState) -> None:
        self._online, self._people = online, Population.of_state(online, entropy=None)
        arms = len(online.engine.problem.arms)
        self._chosen, self._reward = new_chosen(1, arms), np.zeros(1)
        self._all = np.ones((1, arms), dtype=np.bool_)
        self._token = int(online.session.token[0])

    def __repr__(self) -> str:
        return f"<Bandit: {', '.join(shown_names(self.arms))}; {self.policy!r}; decision {self.number} is next>"

    @property
    def arms(self) -> list[Arm]:
        """The arms, with their numbers checked."""
        return self._people.arms

    @property
    def policy(self) -> Any:
        """The policy, as it was given."""
        return self._people.policy

    @property
    def number(self) -> int:
        """The number of the next decision."""
        return int(self._online.session.number[0])

    def choose(self, available: Iterable[int] | None = None, probabilities: bool = True) -> Decision:
        """Decide: the chosen arm is played now.

        `available` has the arms allowed this time: a list of their numbers, or a boolean for each arm. Without
        `probabilities` those of policies that sample are not worked out, which takes most of their time: `probability`
        is nan.
        """
        mask = self._all if available is None else self._mask(available)
        if not probabilities:
            return self._without_probabilities(mask)
        self._online.choose(ONLY, mask, self._chosen)
        return self._decision(self._chosen)

    def rest(self) -> None:
        """Advance by a decision at which nothing is played: every state recovers."""
        self._people.rest()

    def record(self, arm: int, reward: float | None = None, probability: float = 1.0) -> Decision:
        """Add a decision that was made elsewhere: the arm that was played, and its reward if it is known.

        Without a reward it can be given later, to `update`.

        >>> import rogue_bandits as rb
        >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
        >>> bandit = rb.Bandit([arm, arm], rb.TunedRogueUCB(), seed=7)
        >>> bandit.record(1, reward=0.0)
        Decision(number=0, arm=1, probability=1.0)
        """
        rewards = None if reward is None else [self._checked(arm, reward, self.number)]
        return self._decision(self._people.record([0], [arm], rewards, probability))

    def update(self, decision: Decision, reward: float | None) -> None:
        """Learn the reward of a decision, now or after further decisions. None: it will never be observed.

        Decisions of another bandit are refused, unless both were made with the same seed: the token follows from the
        seed, so that a bandit that is made again, or restored, can be given the rewards of the first.
        """
        if not isinstance(decision, Decision):
            raise TypeError(f"update needs the Decision that choose returned, not {decision!r}")
        if decision.token not in (0, self._token):
            raise ValueError(f"decision {decision.number} was made by another bandit: update that one")
        chosen = self._chosen
        chosen.number[0], chosen.arm[0] = decision.number, decision.arm
        self._reward[0] = math.nan if reward is None else self._checked(decision.arm, reward, decision.number)
        self._online.learn(ONLY, chosen, self._reward)

    def explain(self, available: Iterable[int] | None = None) -> Explanation:
        """Return the estimates for every arm, the next decision and its reason; nothing is played.

        >>> import rogue_bandits as rb
        >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6), name="walk")
        >>> bandit = rb.Bandit([arm, arm._replace(name="sleep")], rb.RoundRobin(), seed=7)
        >>> bandit.explain().row("probability")
        (1.0, 0.0)
        """
        return self._people.explain(0, available)

    def contradicted(self) -> list[int]:
        """Return the arms whose rewards contradict the model: the policy goes by recent rewards there, for now.

        Only policies that learn the dynamics test the model (`Unknown`).

        >>> import rogue_bandits as rb
        >>> rb.Bandit([rb.Arm(rb.Unknown(), rb.LaplaceAgent(), 0.01, 1.0)] * 2, rb.IndexTS(), seed=7).contradicted()
        []
        """
        return list(contradicted_arms(self._online.state, 0))

    def reseed(self, seed: int) -> None:
        """Give the bandit a new random stream; what it has learned stays."""
        self._online.session.stream[0] = stream_of(np.random.SeedSequence(checked_whole(seed, "seed", 0)))

    def checkpoint(self) -> list[Any]:
        """Return the numbers of this moment, for `revert`; in memory only, and cheaper than `to_bytes`.

        >>> import rogue_bandits as rb
        >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
        >>> bandit = rb.Bandit([arm, arm], rb.Random(), seed=7)
        >>> before = bandit.checkpoint()
        >>> first = bandit.choose()
        >>> bandit.revert(before)
        >>> bandit.choose() == first
        True
        """
        return self._online.checkpoint(0)

    def revert(self, checkpoint: list[Any]) -> None:
        """Return to the moment of a checkpoint of this bandit, also after a law has raised."""
        self._online.revert(0, checkpoint)

    def to_bytes(self) -> bytes:
        """Return a snapshot: personal numbers only, names of arms, a hash of arms and policy. See `from_bytes`."""
        self._online.raise_if_broken()
        engine = self._online.engine
        one = with_least_room((engine.state, engine.session), self._online.arrays)
        return packed(one, engine.marks[0], names_of(self.arms))

    @classmethod
    def from_bytes(cls, snapshot: bytes, arms: Sequence[Arm], policy: Any) -> Bandit:
        """Return the bandit of a snapshot, which continues as the one that was saved would have.

        The policy must be that of the snapshot, and so must the arms, with the same names in the same order.

        >>> import rogue_bandits as rb
        >>> arm = rb.Arm(rb.ClippedAffine(decay=0.6, pull=-1.0, drift=0.5), rb.BernoulliLogit(0.4, 0.6))
        >>> bandit = rb.Bandit([arm, arm], rb.Random(), seed=7)
        >>> twin = rb.Bandit.from_bytes(bandit.to_bytes(), [arm, arm], rb.Random())
        >>> twin.choose() == bandit.choose()
        True
        """
        engine = engine_of(problem_of(arms), policy)
        like = engine.state.personal, engine.session
        return cls._of(OnlineState(engine, *unpacked(snapshot, like, engine.marks, names_of(engine.problem.arms))))

    def to_json(self) -> str:
        """Return everything as text for people to read: arms, policy, random stream, pending decisions and state."""
        self._online.raise_if_broken()
        return to_text(self.arms, self.policy, *self._online.arrays)

    @classmethod
    def from_json(cls, text: str) -> Bandit:
        """Return the bandit that `to_json` wrote; it continues as the one that was saved would have."""
        saved = from_text(text)
        engine = engine_of(problem_of(saved.arms), saved.policy)
        return cls._of(OnlineState(engine, *arrays_like(saved, (engine.state.personal, engine.session))))

    def _without_probabilities(self, mask: Bools) -> Decision:
        chosen = new_chosen(1, 0)
        self._online.choose(ONLY, mask, chosen)
        decision = self._decision(chosen)
        return decision._replace(probability=math.nan) if decision.probability == NOT_ASKED else decision

    def _decision(self, made: Any) -> Decision:
        every = tuple(made.probabilities.tolist()[0])  # numpy's functions take a microsecond each for these few numbers
        known = every if not math.isnan(sum(every)) else ()
        return Decision(made.number.item(), made.arm.item(), made.probability.item(), self._token, known)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return Bandit.from_bytes, (self.to_bytes(), self.arms, self.policy)

    def _checked(self, arm: Any, reward: Any, number: int) -> float:
        arms = self._online.engine.problem.arms
        if not (isinstance(arm, INTEGERS) and 0 <= arm < len(arms)):
            raise ValueError(f"decision {number}, arm {arm!r} must be a number from 0 to {len(arms) - 1}")
        if isinstance(reward, float) and math.isnan(reward):
            raise ValueError(
                f"decision {number}, arm {arm}, reward nan must be finite; a reward that will never be seen is None"
            )
        return checked_reward(arms[arm], reward, f"decision {number}, arm {arm}")

    def _mask(self, available: Any) -> Any:
        mask = arm_mask(available, self._all.shape[1])
        if not mask.any():
            raise ValueError("available is empty: name at least one arm, or call rest() when nothing is to be played")
        return mask[None]
