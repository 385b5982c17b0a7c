"""study.toml: the settings of a study, with all faults reported at once, each with its place."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

NAME = r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,59}$"
Number = Annotated[float, Field(allow_inf_nan=False)]


class StudyFileError(ValueError):
    """What is wrong with a study file, line by line."""

    def __init__(self, path: Path | str, faults: list[str]) -> None:
        self.faults = faults
        super().__init__("\n".join([f"'{path}' has {len(faults)} fault(s):", *(f"  {fault}" for fault in faults)]))


class Part(BaseModel):
    """A table of the file; names that it does not have are faults."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class About(Part):
    """[study]"""

    name: str = Field(pattern=NAME)
    description: str = ""


class Rewards(Part):
    """[rewards]: the family of all arms; a value is divided by `scale` before it is learned."""

    family: str
    scale: Number = Field(default=1.0, gt=0)


class ArmTable(Part):
    """[[arms]]"""

    name: str = Field(pattern=NAME)
    rewards: dict[str, Any] = {}
    dynamics: dict[str, Any] = {}
    theta: tuple[Number, Number] = (0.0, 1.0)
    paused: bool = False


class Dynamics(Part):
    """[dynamics]: known (numbers in every arm), learned, or those of each person in a people.json."""

    source: Literal["known", "learned", "people"] = "known"
    type: str = "ClippedAffine"
    people: str | None = None
    prior: dict[str, Any] = {}


class PolicyTable(Part):
    """[policy]"""

    id: str = "plan-ts"
    settings: dict[str, Any] = {}


class Limits(Part):
    """[limits]: the least probability of every available arm; 0.4 / arms unless it is given, 0.2 to 0.8 for two."""

    least: float | None = Field(default=None, gt=0, le=1)


class Decisions(Part):
    """[decisions]"""

    per_day: int = Field(default=1, ge=1, le=1440)
    missed: Literal["rest", "ignore"] = "rest"
    ahead_hours: Number = Field(default=24.0, ge=0)


class Unavailable(Part):
    """[unavailable]: the reasons for which an arm, or all of them, cannot be sent."""

    reasons: list[Annotated[str, Field(pattern=NAME)]] = ["unavailable"]


class Fallback(Part):
    """[fallback]: what decides where the policy fails."""

    policy: Literal["uniform", "rest"] = "uniform"


class Learning(Part):
    """[learning]: from every reward at once, or from all of a day's, at an hour of the server's clock (UTC)."""

    when: Literal["at once", "nightly"] = "at once"
    at: str = Field(default="03:00", pattern=r"^([01]\d|2[0-3]):[0-5]\d$")


class Database(Part):
    """[database]: sqlite:FILE, beside the study file, or postgresql://…"""

    url: str = "sqlite:study.db"


class StudyFile(Part):
    """A study file as it is written."""

    study: About
    rewards: Rewards
    arms: list[ArmTable] = Field(min_length=1, max_length=100)
    dynamics: Dynamics = Dynamics()
    policy: PolicyTable = PolicyTable()
    limits: Limits = Limits()
    decisions: Decisions = Decisions()
    unavailable: Unavailable = Unavailable()
    fallback: Fallback = Fallback()
    learning: Learning = Learning()
    database: Database = Database()

    def settings(self) -> dict[str, Any]:
        """Return what decisions depend on: all but the place of the database."""
        return self.model_dump(mode="json", exclude={"database"})


def read_study(path: Path) -> StudyFile:
    """Return the study file at a path; a StudyFileError says all that is wrong with it."""
    try:
        plain = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StudyFileError(path, [f"it cannot be read: {error.strerror or error}"]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StudyFileError(path, [f"it is no TOML: {error}"]) from None
    return study_of(plain, path)


def study_of(plain: Any, path: Path | str = "study.toml") -> StudyFile:
    """Return the study file of plain data."""
    try:
        return StudyFile.model_validate(plain)
    except ValidationError as error:
        raise StudyFileError(path, [fault_in_words(fault) for fault in error.errors()]) from None


def fault_in_words(fault: Any) -> str:
    """Return a fault that pydantic found, with its place and the value.

    >>> fault_in_words({"loc": ("arms", 1, "name"), "msg": "Field required", "type": "missing", "input": {}})
    'arms[1].name: Field required'
    """
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in fault["loc"]).lstrip(".")
    value = "" if fault["type"] == "missing" else f", not {fault['input']!r}"
    return f"{place}: {fault['msg']}{value}"
