"""An experiment: settings as data, the truths that follow from them, and its description."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from rogue_bandits.planning.optimal import GOOD_ENOUGH
from rogue_bandits.policies.registry import POLICIES, checked_ids
from rogue_bandits.types import Floats, Truth

if TYPE_CHECKING:
    from rogue_bandits.experiments.results import Deployed, Sensitivity

Horizon = Annotated[int, Field(ge=1, description="decisions in each replicate")]
Replicates = Annotated[int, Field(ge=1, description="independent repetitions")]
Seed = Annotated[int, Field(ge=0, description="seed of the random streams; the same seed gives the same results")]
Upsilon = Annotated[
    float | None,
    Field(gt=0, description="Υ, the number of changes for which d-ucb and sw-ucb are tuned [default: √horizon]"),
]
Xi = Annotated[float, Field(gt=0, description="ξ, the amount of exploration of d-ucb and sw-ucb")]
Variation = Annotated[
    float | None,
    Field(gt=0, description="V, the total change of mean rewards for which rexp3 is tuned [default: horizon/10]"),
]
Eta = Annotated[
    float, Field(gt=0, description="η of the tuned policies, in place of the largest divergence of each arm")
]
PolicyIds = Annotated[tuple[str, ...], AfterValidator(checked_ids)]

# Algorithm 1 with its own constants is in no figure of the paper; it runs if it is named.
DEFAULT_POLICIES = tuple(name for name in POLICIES if name != "rogue-ucb")
POLICY_SETTINGS = "upsilon", "xi", "variation", "eta"  # passed on to the policies that take them


class Settings(BaseModel):
    """The settings of every experiment. Each experiment adds its own settings and defaults.

    >>> Settings(horizon=100, replicates=2).xi
    0.6
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    horizon: Horizon
    replicates: Replicates
    seed: Seed = 1
    policies: PolicyIds = DEFAULT_POLICIES
    upsilon: Upsilon = None
    xi: Xi = POLICIES["d-ucb"]().xi
    variation: Variation = None
    eta: Eta = 1.0  # the paper says what it is, not what it was

    def policy(self, name: str) -> Any:
        """Make the policy with this id, under these settings.

        >>> Settings(horizon=100, replicates=2, variation=7.0).policy("rexp3").variation
        7.0
        """
        spec = POLICIES[name]
        return spec(**{setting: getattr(self, setting) for setting in POLICY_SETTINGS if setting in spec.settings})

    def unused(self) -> set[str]:
        """Return the settings that determine nothing in this run: those of policies that do not take part.

        >>> sorted(Settings(horizon=100, replicates=2, policies=("random",)).unused())
        ['eta', 'upsilon', 'variation', 'xi']
        """
        taken = {setting for name in self.policies for setting in POLICIES[name].settings}
        return set(POLICY_SETTINGS) - taken

    def seed_of(self, person: int) -> tuple[int, ...]:
        """Return a seed for each person, so that their random streams are independent.

        >>> Settings(horizon=100, replicates=2, seed=7).seed_of(3)
        (7, 0, 3)
        """
        return self.seed, 0, person  # the 0 keeps the streams of version 0.1.0


class Unit(NamedTuple):
    """The unit in which rewards are reported, and the factor by which they are multiplied."""

    size: float = 1.0
    reward: str = "reward"
    many: str = ""  # "thousand" if reports count thousands
    each: str = "a decision"

    @property
    def first_word(self) -> str:
        """The reward at the beginning of a sentence; the name of a column stays as it is.

        >>> Unit(1.0, "steps").first_word, Unit(1.0, "BMI [kg]").first_word
        ('Steps', 'BMI [kg]')
        """
        return self.reward.capitalize() if self.reward.isalpha() and self.reward.islower() else self.reward

    def of(self, measure: str) -> str:
        """Return the name of a measure, with its unit.

        >>> Unit(14.0, "steps", "thousand").of("average steps")
        'average steps, in thousands'
        """
        return f"{measure}, in {self.many}s" if self.many else measure


class Description(NamedTuple):
    """What a report says of an experiment: the title, and a first paragraph that needs no knowledge of bandits."""

    title: str
    about: str


class Experiment(NamedTuple):
    """An experiment: `truths` returns one truth for each person described by the settings."""

    name: str
    title: str
    about: str  # two sentences that need no knowledge of bandits
    settings: type[Settings]
    truths: Callable[[Any], Sequence[Truth]]
    unit: Callable[[Any], Unit] = lambda settings: Unit()
    notes: Callable[[Any], list[str]] = lambda settings: []  # for the reader, about the people
    options: Mapping[str, type] = {}  # its own settings that are options of the command
    plan_gap: float = GOOD_ENOUGH  # relative gap at which the search for the best plan stops
    sensitivity: Callable[[Any, Sequence[Truth], float, int], Sensitivity | None] | None = None
    deployment: Callable[[Any, Sequence[Truth], Mapping[str, Floats], float, int], Deployed | None] | None = None
    described: Callable[[Any], Description | None] = lambda settings: None  # in place of title and about

    def description(self, settings: Settings) -> Description:
        """Return the title and the first paragraph under these settings."""
        return self.described(settings) or Description(self.title, self.about)


def faults(error: ValidationError) -> str:
    """Return the errors in settings, in one line that names each setting, its value and what is allowed.

    >>> try:
    ...     Settings(horizon=0, replicates=2, xi=-1)
    ... except ValidationError as error:
    ...     print(faults(error))
    horizon 0 must be 1 or more; xi -1 must be above 0
    """
    return "; ".join(fault(entry) for entry in error.errors(include_url=False))


def fault(entry: ErrorDetails) -> str:
    """Return one entry of pydantic's list of errors as text."""
    where = " ".join(str(place) for place in entry["loc"])
    given, allowed = entry["input"], entry.get("ctx", {})
    words = {
        "greater_than_equal": f"{where} {given} must be {allowed.get('ge')} or more",
        "less_than_equal": f"{where} {given} must be {allowed.get('le', 0):g} or less",
        "greater_than": f"{where} {given} must be above {allowed.get('gt', 0):g}",
        "finite_number": f"{where} {given} must be finite",
        "value_error": entry["msg"].removeprefix("Value error, "),
        "missing": f"{where} must be given",
    }
    return words.get(entry["type"], f"{where} {given!r}: {entry['msg']}")
