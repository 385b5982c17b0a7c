"""The arms of a population: checked, and as kernels read them, arrays over people and arms."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from rogue_bandits.compile.laws import inlined, pick, remembered, stack
from rogue_bandits.model.dynamics.clipped_affine import step
from rogue_bandits.model.validation import checked_arms, curve_length
from rogue_bandits.types import Arm, Floats, Problem, signal


def problem_of(arms: Any) -> Problem:
    """Check the arms of a population: a list that all people share, or a list of such lists, one for each person.

    The arms of two people may differ in the numbers of their dynamics, except lo and hi, and in nothing else.

    >>> from rogue_bandits import ClippedAffine, Gaussian
    >>> quick, slow = (Arm(ClippedAffine(decay, -1.0, 0.5), Gaussian(1.0, 1.0, 1.0)) for decay in (0.5, 0.7))
    >>> problem_of([[quick, slow], [slow, slow]]).people[1][0].dynamics.decay
    0.7
    """
    if not is_nested(arms):
        return Problem(checked_once(arms))
    people = tuple(_checked_of(person, one) for person, one in enumerate(arms))
    for person, one in enumerate(people):
        raise_on_difference(people[0], one, person)
    return Problem(people[0], people=people)


def _checked_of(person: int, arms: Any) -> tuple[Arm, ...]:
    """Check the arms of one of several people; errors name the person."""
    try:
        return checked_once(arms)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"person {person}: {error}") from None


def checked_once(arms: Any) -> tuple[Arm, ...]:
    """Check the arms of a person; those that were checked before are looked up."""
    try:
        given = tuple(arms)
        return _checked(types_in(given), given)
    except TypeError:  # not a list, or numbers that cannot be hashed
        return tuple(checked_arms(arms))


@remembered(1024)
def _checked(types: tuple[Any, ...], arms: tuple[Arm, ...]) -> tuple[Arm, ...]:
    return tuple(checked_arms(arms))


def types_in(value: Any) -> tuple[Any, ...]:
    """Return the types of a tuple and of all that is in it: NamedTuples of equal numbers are equal, whatever they are.

    >>> types_in((1.0, (2,)))
    (<class 'tuple'>, <class 'float'>, (<class 'tuple'>, <class 'int'>))
    """
    return type(value), *[types_in(part) if isinstance(part, tuple) else type(part) for part in value]


def is_nested(arms: Any) -> bool:
    """Return whether `arms` has a list of arms for each person."""
    return isinstance(arms, Sequence) and bool(arms) and isinstance(arms[0], Sequence) and not isinstance(arms[0], Arm)


def raise_on_difference(first: Sequence[Arm], other: Sequence[Arm], person: int) -> None:
    """Raise if the arms of a person differ from those of person 0 in more than the numbers of their dynamics."""
    if len(first) != len(other):
        raise ValueError(f"person {person} has {len(other)} arms where person 0 has {len(first)}")
    for k, (a, b) in enumerate(zip(first, other, strict=True)):
        if type(a.dynamics) is not type(b.dynamics):
            raise ValueError(f"person {person}, arm {k} has dynamics {type(b.dynamics).__name__} "
                             f"where person 0 has {type(a.dynamics).__name__}")  # fmt: skip
        for name in ("rewards", "theta_lo", "theta_hi", "name", "x0", "dynamics.lo", "dynamics.hi"):
            one, two = attrgetter(name)(a), attrgetter(name)(b)
            if one != two or type(one) is not type(two):
                raise ValueError(f"person {person}, arm {k}, {name} {two!r} must be {one!r}, as that of person 0: "
                                 "people may differ in the numbers of their dynamics except lo and hi")  # fmt: skip
        if curve_length(a.dynamics) != curve_length(b.dynamics):
            raise ValueError(f"person {person}, arm {k} has a curve of {curve_length(b.dynamics)} values "
                             f"where person 0 has {curve_length(a.dynamics)}: they must have equally many")  # fmt: skip


def shown_names(arms: Sequence[Arm]) -> tuple[str, ...]:
    """Return what arms are called where people read it: by their number where they have no name."""
    return tuple(arm.name or f"arm {k}" for k, arm in enumerate(arms))


class ArmTable(NamedTuple):
    """Arms as arrays [rows, arms]; one row for all people, or one for each where their dynamics differ."""

    arms: Arm
    stride: int  # 0: all people share row 0; 1: each has a row


def arm_table(people: list[list[Arm]]) -> ArmTable:
    """Stack the arms of each person; a single list is shared by everybody.

    >>> from rogue_bandits import Arm, ClippedAffine, Gaussian
    >>> arms = [Arm(ClippedAffine(decay, -1.0, 0.5), Gaussian(1.0, 1.0, 1.0)) for decay in (0.5, 0.7)]
    >>> arm_table([arms]).arms.dynamics.decay
    array([[0.5, 0.7]])
    """
    stacked = stack([stack(arms) for arms in people])
    return ArmTable(stacked, int(len(people) > 1))


def rows_of(problem: Problem) -> list[list[Arm]]:
    """Return the arms of each person, or one list where all people share them."""
    return [list(arms) for arms in problem.people] or [list(problem.arms)]


@inlined
def arm_of(table: ArmTable, person: int, k: int) -> Arm:
    """Return arm k of a person."""
    return pick(table.arms, (person * table.stride, k))


@inlined
def move_person(table: ArmTable, person: int, x: Floats, played: int) -> None:
    """Advance every state x[k] of a person by one decision, in place; `played` is the arm played (−1: none)."""
    for k in range(x.shape[0]):
        d = arm_of(table, person, k).dynamics
        step(d, x, k, signal(d, k, played))
