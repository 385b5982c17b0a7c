"""The arms of a study file, with what is wrong with them."""

from __future__ import annotations

from inspect import signature
from typing import Any

from rogue_bandits.model import DYNAMICS, FAMILIES
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.validation import checked_arms
from rogue_bandits.policies.plain import without_lists
from rogue_bandits.study.file import ArmSection, StudyFile
from rogue_bandits.types import Arm
from rogue_bandits.wording import unknown

ANY_PERSON = {"decay": 0.5, "pull": -0.25, "drift": 0.5}  # replaced by the numbers of each person
PRIOR = ("fresh", "loss", "half_life", "drop", "worn", "no_effect", "no_recovery")  # of Unknown, as ranges or shares


def arm_of(file: StudyFile, table: ArmSection, k: int, faults: list[str]) -> Arm | None:
    """Return an arm, or None and add its faults."""
    family = FAMILIES.get(file.rewards.family)
    learned = file.dynamics.source == "learned"
    dynamics = DYNAMICS.get("Unknown" if learned else file.dynamics.type)
    wrong = [
        f"{what}: {unknown(what, name, known_)}"
        for what, name, known_, kind in (
            ("rewards.family", file.rewards.family, FAMILIES, family),
            ("dynamics.type", file.dynamics.type, DYNAMICS, dynamics),
        )
        if kind is None
    ]
    if family is None or dynamics is None:
        faults += [fault for fault in wrong if fault not in faults]
        return None
    wrong = misplaced_dynamics(file, table, k)
    if wrong:
        faults += wrong
        return None
    numbers = {"known": table.dynamics, "learned": {**file.dynamics.prior, **table.dynamics}, "people": ANY_PERSON}
    return made_arm(table, k, (dynamics, numbers[file.dynamics.source]), (family, table.rewards), faults)


def made_arm(
    table: ArmSection, k: int, dynamics: tuple[Any, dict[str, Any]], family: tuple[Any, dict[str, Any]],
    faults: list[str],
) -> Arm | None:  # fmt: skip
    """Return an arm of two kinds, each with its numbers, or None and add its faults."""
    wrong = [
        f"arms[{k}].{part}: {unknown('number', name, kind._fields)}"
        for part, (kind, numbers) in (("dynamics", dynamics), ("rewards", family))
        for name in numbers
        if name not in kind._fields
    ]
    wrong = wrong or [
        f"arms[{k}].{part}: {', '.join(lacking)} {'is' if len(lacking) == 1 else 'are'} missing: {kind.__name__} needs "
        f"{', '.join(needed(kind))}"
        for part, (kind, numbers) in (("dynamics", dynamics), ("rewards", family))
        if (lacking := [name for name in needed(kind) if name not in numbers])
    ]
    try:
        if not wrong:
            made = [
                kind(**{name: without_lists(value) for name, value in numbers.items()})
                for kind, numbers in (dynamics, family)
            ]
            return checked_arms([Arm(made[0], made[1], *table.theta, table.name)])[0]
    except (TypeError, ValueError) as error:
        wrong = [f"arms[{k}] '{table.name}': {error}"]
    faults += wrong
    return None


def needed(kind: Any) -> list[str]:
    """Return the numbers of a kind that have no default.

    >>> needed(ClippedAffine)
    ['decay', 'pull', 'drift']
    """
    parameters = signature(kind).parameters.values()
    return [one.name for one in parameters if one.default is one.empty]


def misplaced_dynamics(file: StudyFile, table: ArmSection, k: int) -> list[str]:
    """Return what is wrong with the dynamics of an arm, given where the study has its dynamics from."""
    source, given = file.dynamics.source, table.dynamics
    if source == "people" and given:
        return [f'arms[{k}].dynamics: remove it: with dynamics.source = "people" everybody has those of people.json']
    if source == "learned" and any(name in ClippedAffine._fields[:3] for name in given):
        return [
            f'arms[{k}].dynamics: remove decay, pull and drift: with dynamics.source = "learned" they are learned. '
            f"What is known of them goes into dynamics.prior, or here for one arm: {', '.join(PRIOR)}"
        ]
    if source == "known" and file.dynamics.type == "ClippedAffine" and not given:
        return [
            f"arms[{k}].dynamics: is missing: write {{ decay = 0.6, pull = -1.0, drift = 0.5 }} with numbers of your "
            'own, or set dynamics.source = "learned"'
        ]
    return []
