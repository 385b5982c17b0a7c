"""All that is wrong with a study file, reported at once: its form, its meaning, and what cannot change under way."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from rogue_bandits.study.design import StudyDesign, design_of
from rogue_bandits.study.file import StudyFile, StudyFileError, faults_of_form, plain_study
from rogue_bandits.study.fitted_people import people_bytes

FAMILY = "BernoulliLogit"  # stands in for one that cannot be read; nothing is then said about the arms


class Checked(NamedTuple):
    """A study file: as far as it can be read, and in full where it has no faults."""

    file: StudyFile | None
    design: StudyDesign | None
    faults: list[str]


class Repaired(NamedTuple):
    """A study file without what cannot be read, and the places about which nothing can be said."""

    file: StudyFile
    silent: tuple[str, ...]


def read_design(path: Path) -> StudyDesign:
    """Return the design of the study file at a path; a StudyFileError says all that is wrong with it."""
    found = checked_study(path)
    if found.design is None:
        raise StudyFileError(path, found.faults)
    return found.design


def checked_study(path: Path) -> Checked:
    """Return the study file at a path with all of its faults."""
    try:
        plain = plain_study(path)
    except StudyFileError as error:
        return Checked(None, None, error.faults)
    try:
        file = StudyFile.model_validate(plain)
    except ValidationError as error:
        faults = faults_of_form(error)
        repaired = without_faults(plain, error)
        if repaired is not None:
            others = designed(repaired.file, path).faults
            faults += [fault for fault in others if not fault.startswith(repaired.silent)]
        return Checked(None, None, faults)
    return designed(file, path)


def designed(file: StudyFile, path: Path) -> Checked:
    """Return the design of a study file, or all that cannot be."""
    faults: list[str] = []
    try:
        people = people_bytes(file, path)
    except StudyFileError as error:
        people, faults = None, list(error.faults)
    try:
        design = design_of(file, path, people)
    except StudyFileError as error:
        return Checked(file, None, faults + error.faults)
    return Checked(file, None if faults else design, faults)


def without_faults(plain: Any, error: ValidationError) -> Repaired | None:
    """Return the file without the values that cannot be read, so that the others are checked too; None if it is lost.

    Nothing is said about an arm with such a value, nor about any arm where the family or the dynamics have one.
    """
    rest, silent = deepcopy(plain), ["the arms and the policy"]
    for fault in error.errors():
        loc = fault["loc"]
        if loc[0] == "arms":
            if len(loc) == 1:
                return None
            rest["arms"][loc[1]] = {"name": f"arm {loc[1]}"}
            silent.append(f"arms[{loc[1]}]")
            continue
        if loc[0] in ("rewards", "dynamics"):
            silent += ["arms[", f"{loc[0]}."]
        section = rest.get(loc[0])
        if len(loc) > 1 and isinstance(section, dict):
            section.pop(loc[1], None)
        else:
            rest.pop(loc[0], None)
    rest["study"] = {"name": "study", **rest.get("study", {})}
    rest["rewards"] = {"family": FAMILY, **rest.get("rewards", {})}
    try:
        return Repaired(StudyFile.model_validate(rest), tuple(silent))
    except ValidationError:
        return None
