"""Dynamics of each person, from the people.json that `rogue fit` wrote."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rogue_bandits.estimate.files import People, people_from_json
from rogue_bandits.study.file import StudyFile, StudyFileError
from rogue_bandits.types import Arm

MOST_PEOPLE_FAULTS = 10  # of a people.json, which may have thousands


def people_bytes(file: StudyFile, path: Path) -> bytes | None:
    """Return the content of the people.json that a study file names, beside it."""
    if file.dynamics.source != "people" or file.dynamics.people is None:
        return None
    try:
        return (path.parent / file.dynamics.people).read_bytes()
    except OSError as error:
        fault = f"dynamics.people: '{file.dynamics.people}' cannot be read: {error.strerror or error}"
        raise StudyFileError(path, [fault]) from None


def fitted_dynamics(
    people: bytes, file: StudyFile, arms: Sequence[Arm], faults: list[str]
) -> dict[str, list[dict[str, float]]]:
    """Return decay, pull, drift, lo and hi of every person and arm of a people.json, which must fit the study file."""
    try:
        found = people_from_json(people)
    except ValueError as error:
        faults.append(f"dynamics.people: {error}")
        return {}
    wrong = other_rewards(found, file, arms)
    dynamics: dict[str, list[dict[str, float]]] = {}
    for person, fits in found.fitted.people.items():
        lacking = [table.name for table in file.arms if table.name not in fits]
        if lacking:
            wrong.append(f"dynamics.people: person '{person}' has no arm '{lacking[0]}'")
            continue
        dynamics[person] = [
            {key: float(v) for key, v in fits[table.name].dynamics._asdict().items()} for table in file.arms
        ]
    faults += wrong[:MOST_PEOPLE_FAULTS]
    return dynamics


def other_rewards(found: People, file: StudyFile, arms: Sequence[Arm]) -> list[str]:
    """Return what the study file must say about rewards for dynamics that were fitted to them."""
    faults: list[str] = []
    if found.cohort.scale != file.rewards.scale:
        faults.append(f"rewards.scale: write {found.cohort.scale!r}, that of the fit, not {file.rewards.scale!r}")
    fits = [fit for of_person in found.fitted.people.values() for fit in of_person.values()]
    families = sorted({type(fit.rewards).__name__ for fit in fits})
    if families and families != [file.rewards.family]:
        return [*faults, f"rewards.family: write {' or '.join(map(repr, families))}, that of the fit, "
                f"not {file.rewards.family!r}"]  # fmt: skip
    for k, arm in enumerate(arms):
        mine = [of_person[arm.name] for of_person in found.fitted.people.values() if arm.name in of_person]
        other = next((fit.rewards for fit in mine if fit.rewards != arm.rewards), None)
        if other is not None:
            numbers = ", ".join(f"{name} = {value!r}" for name, value in other._asdict().items())
            faults.append(f"arms[{k}].rewards: write {{ {numbers} }}, those of the fit")
        lo, hi = min((fit.theta_lo for fit in mine), default=0.0), max((fit.theta_hi for fit in mine), default=0.0)
        if mine and not arm.theta_lo <= lo <= hi <= arm.theta_hi:
            faults.append(f"arms[{k}].theta: write [{lo!r}, {hi!r}], that of the fit")
    return faults
