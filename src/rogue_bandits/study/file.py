"""study.toml: the settings of a study, with all faults reported at once, each with its place."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from rogue_bandits.study.faults import fault_in_words, named, place_of
from rogue_bandits.wording import unknown

NAME = r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,59}$"
HOUR = r"^([01]\d|2[0-3]):[0-5]\d$"
PATTERNS = {
    NAME: "1 to 60 letters, digits, spaces and . _ -, the first a letter or a digit",
    HOUR: "an hour of the day such as 03:00",
}
Number = Annotated[float, Field(allow_inf_nan=False)]


def rising(ends: tuple[float, float]) -> tuple[float, float]:
    """Refuse a range whose ends are the wrong way round."""
    if ends[0] >= ends[1]:
        raise ValueError("must be two numbers, the smaller one first")
    return ends


Range = Annotated[tuple[Number, Number], AfterValidator(rising)]


class StudyFileError(ValueError):
    """What is wrong with a study file, line by line."""

    def __init__(self, path: Path | str, faults: list[str]) -> None:
        self.faults = faults
        super().__init__("\n".join([f"'{path}' has {len(faults)} fault(s):", *(f"  {fault}" for fault in faults)]))


class Section(BaseModel):
    """A table of the file; names that it does not have are faults."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class AboutSection(Section):
    """[study]"""

    name: str = Field(pattern=NAME)
    description: str = ""


class RewardsSection(Section):
    """[rewards]: the family of all arms; a value is divided by `scale` before it is learned.

    Values outside of `plausible`, as they are reported, are refused.
    """

    family: str
    scale: Number = Field(default=1.0, gt=0)
    plausible: Range | None = None


class ArmSection(Section):
    """[[arms]]"""

    name: str = Field(pattern=NAME)
    rewards: dict[str, Any] = {}
    dynamics: dict[str, Any] = {}
    theta: tuple[Number, Number] = (0.0, 1.0)
    paused: bool = False


class DynamicsSection(Section):
    """[dynamics]: known (numbers in every arm), learned, or those of each person in a people.json."""

    source: Literal["known", "learned", "people"] = "known"
    type: str = "ClippedAffine"
    people: str | None = None
    prior: dict[str, Any] = {}


class PolicySection(Section):
    """[policy]"""

    id: str = "plan-ts"
    settings: dict[str, Any] = {}


class LimitsSection(Section):
    """[limits]: the least probability of every available arm; 0.4 / arms unless it is given, 0.2 to 0.8 for two."""

    least: float | None = Field(default=None, gt=0, le=1)


class DecisionsSection(Section):
    """[decisions]"""

    per_day: int = Field(default=1, ge=1, le=1440)
    missed: Literal["rest", "ignore"] = "rest"
    ahead_hours: Number = Field(default=24.0, ge=0)


class UnavailableSection(Section):
    """[unavailable]: the reasons for which an arm, or all of them, cannot be sent."""

    reasons: list[Annotated[str, Field(pattern=NAME)]] = ["unavailable"]


class FallbackSection(Section):
    """[fallback]: what decides where the policy fails."""

    policy: Literal["uniform", "rest"] = "uniform"


class LearningSection(Section):
    """[learning]: from every reward at once, or from all of a day's, at an hour of the server's clock (UTC)."""

    when: Literal["at once", "nightly"] = "at once"
    at: str = Field(default="03:00", pattern=HOUR)


class DatabaseSection(Section):
    """[database]: sqlite:FILE, beside the study file, or postgresql://…"""

    url: str = "sqlite:study.db"


class StudyFile(Section):
    """A study file as it is written."""

    study: AboutSection
    rewards: RewardsSection
    arms: list[ArmSection] = Field(min_length=1, max_length=100)
    dynamics: DynamicsSection = DynamicsSection()
    policy: PolicySection = PolicySection()
    limits: LimitsSection = LimitsSection()
    decisions: DecisionsSection = DecisionsSection()
    unavailable: UnavailableSection = UnavailableSection()
    fallback: FallbackSection = FallbackSection()
    learning: LearningSection = LearningSection()
    database: DatabaseSection = DatabaseSection()

    def settings(self) -> dict[str, Any]:
        """Return what decisions depend on: all but the place of the database."""
        return self.model_dump(mode="json", exclude={"database"})


def read_study(path: Path) -> StudyFile:
    """Return the study file at a path; a StudyFileError says all that is wrong with its form."""
    return study_of(plain_study(path), path)


def plain_study(path: Path) -> Any:
    """Return the content of the study file at a path, unchecked."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise StudyFileError(path, [f"it cannot be read: {error.strerror or error}"]) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise StudyFileError(path, [f"it is no TOML: {error}"]) from None


def study_of(plain: Any, path: Path | str = "study.toml") -> StudyFile:
    """Return the study file of plain data."""
    try:
        return StudyFile.model_validate(plain)
    except ValidationError as error:
        raise StudyFileError(path, faults_of_form(error)) from None


def faults_of_form(error: ValidationError) -> list[str]:
    """Return in words what pydantic found; a name that a table does not have comes with those that it has."""
    return [
        unknown_setting(fault["loc"]) if fault["type"] == "extra_forbidden" else fault_in_words(fault, PATTERNS)
        for fault in error.errors()
    ]


def unknown_setting(loc: tuple[int | str, ...]) -> str:
    """Return the words that refuse the last name of a place.

    >>> unknown_setting(("decisions", "perday"))
    "decisions.perday: setting 'perday' is unknown, did you mean 'per_day'? There are: per_day, missed, ahead_hours"
    """
    table: Any = StudyFile
    for part in loc[:-1]:
        if isinstance(part, str):
            kind = table.model_fields[part].annotation
            table = (get_args(kind) or (kind,))[0]  # of a list: what it has
    return f"{place_of(loc)}: {unknown('setting', named(str(loc[-1])), table.model_fields)}"
