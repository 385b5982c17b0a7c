"""A study file as what decides: arms, a bounded policy, and a hash that names the settings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any, NamedTuple

from rogue_bandits.estimate.files import people_from_json
from rogue_bandits.model import DYNAMICS, FAMILIES
from rogue_bandits.model.problem import problem_of
from rogue_bandits.model.validation import checked_arms
from rogue_bandits.online.engine import engine_of
from rogue_bandits.policies.bounded import Bounded
from rogue_bandits.policies.explain import reason
from rogue_bandits.policies.plain import known
from rogue_bandits.study.file import ArmTable, StudyFile, StudyFileError, study_of
from rogue_bandits.types import Arm
from rogue_bandits.unknown_name import unknown


class Design(NamedTuple):
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


def design_of(file: StudyFile, path: Path | str = "study.toml", people: bytes | None = None) -> Design:
    """Return the design of a study file; a StudyFileError lists what cannot be."""
    faults: list[str] = []
    arms = [arm for k, table in enumerate(file.arms) if (arm := arm_of(file, table, k, faults)) is not None]
    names = [table.name for table in file.arms]
    faults += [f"arms: the name '{name}' is used twice" for name in sorted(set(names)) if names.count(name) > 1]
    if all(table.paused for table in file.arms):
        faults.append("arms: all are paused; leave at least one")
    policy, least = policy_of(file, faults), file.limits.least or 0.4 / len(file.arms)
    if file.dynamics.source == "people" and file.dynamics.people is None:
        faults.append("dynamics.people: must name the people.json that `rogue fit` wrote, as source is 'people'")
    if not faults:
        policy = Bounded(policy, least)
        try:
            engine_of(problem_of(checked_arms(arms)), policy)
        except (TypeError, ValueError) as error:
            faults.append(f"the arms and the policy: {error}")
    fitted = {} if people is None else fitted_dynamics(people, names, faults)
    if faults:
        raise StudyFileError(path, faults)
    return Design(
        file, tuple(names), tuple(checked_arms(arms)), policy, least, reason(policy),
        package=installed("rogue-bandits"),
        hash=settings_hash({**file.settings(), "people": fitted}), people=fitted,
    )  # fmt: skip


def arm_of(file: StudyFile, table: ArmTable, k: int, faults: list[str]) -> Arm | None:
    """Return an arm, or None and add its fault."""
    place = f"arms[{k}]"
    family = FAMILIES.get(file.rewards.family)
    learned = file.dynamics.source == "learned"
    dynamics = DYNAMICS.get("Unknown" if learned else file.dynamics.type)
    if family is None or dynamics is None:
        name, table_, what = (
            (file.rewards.family, FAMILIES, "rewards.family") if family is None
            else (file.dynamics.type, DYNAMICS, "dynamics.type")
        )  # fmt: skip
        fault = f"{what}: {unknown(what, name, table_)}"
        if fault not in faults:
            faults.append(fault)
        return None
    numbers = {**file.dynamics.prior, **table.dynamics} if learned else table.dynamics
    if file.dynamics.source == "people" and not numbers:
        numbers = {"decay": 0.5, "pull": -0.25, "drift": 0.5}  # replaced by those of each person
    wrong = [
        f"{place}.{part}: {unknown('number', name, kind._fields)}"
        for part, kind, given in (("dynamics", dynamics, numbers), ("rewards", family, table.rewards))
        for name in given
        if name not in kind._fields
    ]
    try:
        if not wrong:
            made = [kind(**{name: tupled(v) for name, v in given.items()})
                    for kind, given in ((dynamics, numbers), (family, table.rewards))]  # fmt: skip
            return checked_arms([Arm(made[0], made[1], *table.theta, table.name)])[0]
    except (TypeError, ValueError) as error:
        wrong = [f"{place} '{table.name}': {error}"]
    faults += wrong
    return None


def tupled(value: Any) -> Any:
    """Return lists as tuples, as models have them."""
    return tuple(map(tupled, value)) if isinstance(value, list) else value


def policy_of(file: StudyFile, faults: list[str]) -> Any:
    """Return the policy without its limits, or None and add its fault."""
    table = known()
    if file.policy.id not in table:
        faults.append(f"policy.id: {unknown('policy', file.policy.id, table)}")
        return None
    try:
        return table[file.policy.id](**{name: tupled(value) for name, value in file.policy.settings.items()})
    except (TypeError, ValueError) as error:
        faults.append(f"policy.settings: {error}")
        return None


def fitted_dynamics(people: bytes, names: list[str], faults: list[str]) -> dict[str, list[dict[str, float]]]:
    """Return decay, pull, drift, lo and hi of every person and arm of a people.json."""
    try:
        fitted = people_from_json(people).fitted.people
    except ValueError as error:
        faults.append(f"dynamics.people: {error}")
        return {}
    found: dict[str, list[dict[str, float]]] = {}
    for person, fits in fitted.items():
        lacking = [name for name in names if name not in fits]
        if lacking:
            faults.append(f"dynamics.people: person '{person}' has no arm '{lacking[0]}'")
            continue
        found[person] = [{key: float(v) for key, v in fits[name].dynamics._asdict().items()} for name in names]
    return found


def personal_arms(design: Design, dynamics: list[dict[str, float]] | None) -> tuple[Arm, ...]:
    """Return the arms of a person: the study's, with the person's own dynamics if there are any."""
    if dynamics is None:
        return design.arms
    kind = DYNAMICS["ClippedAffine"]
    return tuple(arm._replace(dynamics=kind(**numbers)) for arm, numbers in zip(design.arms, dynamics, strict=True))


def people_bytes(file: StudyFile, path: Path) -> bytes | None:
    """Return the content of the people.json that a study file names, beside it."""
    if file.dynamics.source != "people" or file.dynamics.people is None:
        return None
    try:
        return (path.parent / file.dynamics.people).read_bytes()
    except OSError as error:
        fault = f"dynamics.people: '{file.dynamics.people}' cannot be read: {error.strerror or error}"
        raise StudyFileError(path, [fault]) from None


def design_from_event(body: Mapping[str, Any], seed: str, seq: int) -> Design:
    """Return the design of a version event: the log alone is enough to replay."""
    made = design_of(study_of(body["settings"]))
    return made._replace(
        version=body["version"], seq=seq, seed=seed, package=body["package"], hash=body["hash"], why=body["why"]
    )
