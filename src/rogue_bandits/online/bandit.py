"""One person, online: choose, play, and learn when the reward comes, if it comes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.compile.borrowed import borrowed
from rogue_bandits.compile.laws import kernel, specialised
from rogue_bandits.model.compiling import named_laws
from rogue_bandits.model.validation import checked_arms, checked_reward, checked_whole
from rogue_bandits.online.saved import Saved, from_text, to_text
from rogue_bandits.types import (
    Arm,
    Bools,
    Decision,
    Line,
    choose,
    grown,
    has_room,
    learn,
    play,
    start,
)


class Awaited(NamedTuple):
    """A decision whose reward has not come yet, and what `learn` must know of that moment."""

    arm: int
    probability: float
    line: Line


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

    def __init__(self, arms: Sequence[Arm], policy: Any, seed: int | None = None) -> None:
        """A fresh bandit; without a seed, its choices among equals differ from run to run."""
        self.arms = checked_arms(arms)
        self.policy = policy
        self.number = 0
        if seed is not None:
            seed = checked_whole(seed, "seed", 0)
        self._random = np.random.Generator(np.random.PCG64(seed))
        self._state = start(policy, self.arms, 1, None)
        self._awaited: dict[int, Awaited] = {}
        self._broken = ""
        self._compile()

    def choose(self, available: Sequence[int] | None = None) -> Decision:
        """Decide: the chosen arm is played now. `available` lists the arms allowed this time, by number."""
        mask, number = self._mask(available), self._next()
        arm, probability, *line = self._ask(self._choose, number, mask, self._random.random())
        self._awaited[number] = Awaited(arm, probability, Line(*line))
        return Decision(number, arm, probability)

    def rest(self) -> None:
        """A decision at which nothing is played: every state recovers."""
        self._ask(self._rest, self._next())

    def update(self, decision: Decision, reward: float | None) -> None:
        """The reward of a decision: now, or after further decisions. None: it will never be seen."""
        awaited = self._awaited_for(decision)
        if reward is not None:
            reward = checked_reward(self.arms[awaited.arm], reward, f"decision {decision.number}, arm {awaited.arm}")
        del self._awaited[decision.number]  # first: an interruption while it learns is heard when it has learned
        if reward is not None:
            self._ask(self._learn, decision.number, *awaited, reward)

    def _next(self) -> int:
        """The number of a decision that is about to be made: if that is interrupted, it counts as made."""
        self.number += 1
        return self.number - 1

    def _ask(self, ask: Any, *args: Any) -> Any:
        """What a kernel says; the first thing it says is −1 where there is no room, and nothing has been done."""
        self._refuse_if_broken()
        try:
            while (told := ask(self._state, *args))[0] < 0:
                self._state = grown(self._state)
        except Exception as error:  # of a law of the user's: an arm may have moved on, and the next one not
            self._broken = f"a law raised {type(error).__name__}: {error}"
            with named_laws(self.arms):
                raise
        return told

    def _refuse_if_broken(self) -> None:
        if self._broken:
            raise ValueError(f"this bandit cannot go on: {self._broken}. Continue from the last one that was saved")

    def to_json(self) -> str:
        """Everything, the random stream included, as text."""
        self._refuse_if_broken()
        return to_text(
            Saved(self.arms, self.policy, self.number, self._random.bit_generator.state, self._awaited, self._state)
        )

    @classmethod
    def from_json(cls, text: str) -> Bandit:
        """The bandit that `to_json` wrote; it continues as the one that was saved would have."""
        saved = from_text(text, Awaited)
        bandit = cls(saved.arms, saved.policy)
        bandit.number = saved.number
        bandit._random = saved.random
        bandit._awaited = saved.awaited
        bandit._state = saved.state
        return bandit

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Bandit.from_json, (self.to_json(),)

    def _compile(self) -> None:
        state, number, line = self._state, 0, Line(0.0, 0.0, 0.0, 0.0)
        with named_laws(self.arms):
            self._choose = specialised(choose_kernel, state, number, self._mask(None), 0.5)
            self._rest = specialised(rest_kernel, state, number)
            self._learn = specialised(learn_kernel, state, number, 0, 0.5, line, 0.5)

    def _mask(self, available: Any) -> Bools:
        if available is None:
            return np.ones(len(self.arms), dtype=np.bool_)
        mask = np.zeros(len(self.arms), dtype=np.bool_)
        if not isinstance(available, Iterable) or isinstance(available, str):
            raise TypeError(f"available {available!r} must be a list of arm numbers")
        for arm in available:
            if isinstance(arm, bool | np.bool_ | str) or arm not in range(len(self.arms)):
                raise ValueError(f"available, arm {arm!r} must be a number from 0 to {len(self.arms) - 1}")
            mask[int(arm)] = True
        if not mask.any():
            raise ValueError("available is empty: name at least one arm, or call rest() when nothing is to be played")
        return mask

    def _awaited_for(self, decision: Decision) -> Awaited:
        if not isinstance(decision, Decision):
            raise TypeError(f"update needs the Decision that choose returned, not {decision!r}")
        number = decision.number
        if not 0 <= number < self.number:
            raise ValueError(f"decision {number} was never made: {self.number} have been, from 0")
        if number not in self._awaited:
            raise ValueError(f"decision {number} awaits no reward: it has been given one already, or was a rest")
        if self._awaited[number].arm != decision.arm:
            raise ValueError(f"decision {number} played arm {self._awaited[number].arm}, not arm {decision.arm}")
        return self._awaited[number]


# Kernels return plain numbers: numba makes NamedTuples by a call of Python's, and a Ctrl-C in the midst of it crashes.
@kernel
def choose_kernel(state: Any, number: int, available: Bools, u: float) -> tuple[int, float, float, float, float, float]:
    """Choose and play for the only person: the arm, its probability and the line of `play`."""
    state = borrowed(state)
    if not has_room(state, 0):
        return -1, 0.0, 0.0, 0.0, 0.0, 0.0
    arm, probability = choose(state, 0, number, available, u)
    line = play(state, 0, number, arm)
    return arm, probability, line.slope, line.offset, line.lo, line.hi


@kernel
def rest_kernel(state: Any, number: int) -> tuple[int]:
    """Play nothing."""
    state = borrowed(state)
    if not has_room(state, 0):
        return (-1,)
    play(state, 0, number, -1)
    return (0,)


@kernel
def learn_kernel(state: Any, number: int, arm: int, probability: float, line: Line, r: float) -> tuple[int]:
    """Learn from a reward of the only person."""
    state = borrowed(state)
    if not has_room(state, 0):
        return (-1,)
    learn(state, 0, number, arm, probability, line, r)
    return (0,)
