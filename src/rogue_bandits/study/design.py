"""A study file as what decides: arms, a bounded policy, and a hash that names the settings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any, NamedTuple

from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.model.problem import problem_of
from rogue_bandits.model.validation import checked_arms
from rogue_bandits.online.engine import engine_of
from rogue_bandits.policies.bounded import Bounded
from rogue_bandits.policies.explain import reason_in
from rogue_bandits.policies.plain import known, without_lists
from rogue_bandits.study.arms import arm_of
from rogue_bandits.study.file import StudyFile, StudyFileError, study_of
from rogue_bandits.study.fitted_people import fitted_dynamics
from rogue_bandits.types import Arm
from rogue_bandits.wording import unknown


class StudyDesign(NamedTuple):
    """One version of a study."""

    file: StudyFile
    names: tuple[str, ...]  # of the arms
    arms: tuple[Arm, ...]  # of people without dynamics of their own
    policy: Any
    least: float
    why: str  # how the policy chooses, as the end of a sentence
    version: int = 0
    seq: int = 0  # of the event that began the version
    seed: str = ""  # of the study: the random streams of people derive from it
    package: str = ""
    hash: str = ""
    history: Mapping[int, Mapping[str, Any]] = {}  # the version events of the log, by number
    people: Mapping[str, list[dict[str, float]]] = {}  # dynamics by person and arm, where they come from people.json

    @property
    def scale(self) -> float:
        """What values of rewards are divided by."""
        return self.file.rewards.scale

    @property
    def nightly(self) -> bool:
        """Whether rewards wait for an update."""
        return self.file.learning.when == "nightly"


def settings_hash(settings: Any) -> str:
    """Return the hash that names settings, whatever the order in the file."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def design_of(file: StudyFile, path: Path | str = "study.toml", people: bytes | None = None) -> StudyDesign:
    """Return the design of a study file; a StudyFileError lists what cannot be."""
    faults: list[str] = []
    arms = [arm for k, table in enumerate(file.arms) if (arm := arm_of(file, table, k, faults)) is not None]
    names = [table.name for table in file.arms]
    faults += [f"arms: the name '{name}' is used twice" for name in sorted(set(names)) if names.count(name) > 1]
    if all(table.paused for table in file.arms):
        faults.append("arms: all are paused; leave at least one")
    policy, least = policy_of(file, faults), file.limits.least or 0.4 / len(file.arms)
    if least > 1.0 / len(file.arms):
        faults.append(
            f"limits.least: must be at most 1/{len(file.arms)}, as there are {len(file.arms)} arms, not {least}"
        )
    if file.dynamics.source == "people" and file.dynamics.people is None:
        faults.append("dynamics.people: must name the people.json that `rogue fit` wrote, as source is 'people'")
    why = ""
    if not faults:
        policy = Bounded(policy, least)
        try:
            why = reason_in(engine_of(problem_of(checked_arms(arms)), policy).state, policy)
        except (TypeError, ValueError) as error:
            faults.append(f"the arms and the policy: {error}")
    fitted = {} if people is None else fitted_dynamics(people, file, arms, faults)
    if faults:
        raise StudyFileError(path, faults)
    return StudyDesign(
        file, tuple(names), tuple(checked_arms(arms)), policy, least, why,
        package=installed("rogue-bandits"),
        hash=settings_hash({**file.settings(), "people": fitted}), people=fitted,
    )  # fmt: skip


def policy_of(file: StudyFile, faults: list[str]) -> Any:
    """Return the policy without its limits, or None and add its fault."""
    table = known()
    if file.policy.id not in table:
        faults.append(f"policy.id: {unknown('policy', file.policy.id, table)}")
        return None
    spec = table[file.policy.id]
    if strange := [name for name in file.policy.settings if name not in spec.settings]:
        faults.extend(f"policy.settings: {unknown_setting(file.policy.id, name, spec.settings)}" for name in strange)
        return None
    try:
        return spec(**{name: without_lists(value) for name, value in file.policy.settings.items()})
    except (TypeError, ValueError) as error:
        faults.append(f"policy.settings: {error}")
        return None


def unknown_setting(policy: str, name: str, there: tuple[str, ...]) -> str:
    """Return the words that refuse a setting that a policy does not have.

    >>> unknown_setting("random", "depth", ())
    "setting 'depth' is unknown: random has no settings"
    """
    return unknown("setting", name, there) if there else f"setting '{name}' is unknown: {policy} has no settings"


def personal_arms(design: StudyDesign, dynamics: list[dict[str, float]] | None) -> tuple[Arm, ...]:
    """Return the arms of a person: the study's, with the person's own dynamics where the study has them from people."""
    if dynamics is None or design.file.dynamics.source != "people":
        return design.arms
    return tuple(
        arm._replace(dynamics=ClippedAffine(**numbers)) for arm, numbers in zip(design.arms, dynamics, strict=True)
    )


def design_from_event(body: Mapping[str, Any], seed: str, seq: int) -> StudyDesign:
    """Return the design of a version event: the log alone is enough to replay."""
    made = design_of(study_of(body["settings"]))
    return made._replace(
        version=body["version"], seq=seq, seed=seed, package=body["package"], hash=body["hash"], why=body["why"]
    )
