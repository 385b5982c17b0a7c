"""The settings of the experiment on physical activity, as data."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from rogue_bandits.experiments.experiment import Horizon, Replicates, Settings
from rogue_bandits.experiments.health.fitted import fitted_people, with_bounds

# Bounds of theta for the drawn people, which are also given to the policies. Fits allow smaller values.
# Unchanged since the first results were seen.
THETA_LO, THETA_HI = 0.01, 1.0

# For rewards without bounds.
UNBOUNDED = "plan-ts", "index-ts", "rogue-ts", "epsilon-rogue", "d-ucb", "round-robin", "random"
OF_DRAWN = "people", "kinds", "cohort_seed", "people_as_of", "half_life", "noise"  # settings of drawn people

Days = Annotated[float, Field(gt=0)]
Theta = Annotated[float, Field(ge=THETA_LO, le=THETA_HI)]


class HealthSettings(Settings):
    """The paper's sizes and the cohort of docs/health.md by default.  [Sec. 5.4]

    >>> HealthSettings(people=3).kinds
    5
    """

    horizon: Horizon = 1_000
    replicates: Replicates = 10
    people: Annotated[int, Field(ge=1, description="people to draw")] = 30
    kinds: Annotated[int, Field(ge=2, description="kinds of messages")] = 5
    cohort_seed: Annotated[int, Field(ge=0, description="seed of the people; same seed, same people")] = 2026
    people_as_of: Annotated[
        Literal["0.2.0", "0.1.0"],
        Field(description="how people are drawn: as in 0.2.0 (noise for each kind, steady play wears out) or 0.1.0"),
    ] = "0.2.0"
    deployed: Annotated[
        int, Field(ge=0, description="people on whom policies with fitted and learned dynamics are run; 0: none")
    ] = 4
    half_life: Annotated[tuple[Days, Days], Field(description="days, from and to")] = (1.0, 14.0)
    noise: Annotated[tuple[Theta, Theta], Field(description="theta, from and to")] = (0.08, 0.25)
    cohort: Annotated[Path | None, Field(description="people.json of `rogue fit`, in place of simulated people")] = None

    @model_validator(mode="before")
    @classmethod
    def possible_policies(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Set the policies, if none are named, to those that the rewards of fitted people allow."""
        if not given.get("cohort") or given.get("policies"):
            return given
        with suppress(ValueError):  # a file that cannot be read is reported when it is used
            if not fitted_people(Path(given["cohort"])).bounded:
                return {**given, "policies": UNBOUNDED}
        return given

    @model_validator(mode="after")
    def drawn_or_fitted(self) -> HealthSettings:
        """Raise if settings of drawn people are given for fitted people."""
        for field in OF_DRAWN:
            if self.cohort is not None and getattr(self, field) != type(self).model_fields[field].default:
                raise ValueError(f"{field} is a setting of drawn people: it does not apply to cohort '{self.cohort}'")
        return self

    def policy(self, name: str) -> Any:
        """Make the policy with this id; rewards of fitted people that have no bounds have those of the data."""
        made = super().policy(name)
        if self.cohort is None:
            return made
        people = fitted_people(self.cohort)
        return with_bounds(made, people.truths[0].arms[0].rewards, people.observed)

    def unused(self) -> set[str]:
        """Return the settings that determine nothing: those of drawn people, if people were fitted."""
        return super().unused() | ({*OF_DRAWN, "deployed"} if self.cohort is not None else {"cohort"})

    @field_validator("half_life", "noise")
    @classmethod
    def rises(cls, ends: tuple[float, float], info: ValidationInfo) -> tuple[float, float]:
        """Raise if the first value exceeds the second."""
        if ends[0] > ends[1]:
            raise ValueError(f"{info.field_name} from {ends[0]:g} to {ends[1]:g} must be from low to high")
        return ends
