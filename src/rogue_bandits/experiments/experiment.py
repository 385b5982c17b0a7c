"""What an experiment is: settings as data, the truths that follow from them, and what to say about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from rogue_bandits.planning.optimal import GOOD_ENOUGH
from rogue_bandits.policies.registry import POLICIES, checked_ids
from rogue_bandits.types import Truth

if TYPE_CHECKING:
    from rogue_bandits.experiments.results import Sensitivity

Horizon = Annotated[int, Field(ge=1, description="decisions in each replicate")]
Replicates = Annotated[int, Field(ge=1, description="independent repetitions")]
Seed = Annotated[int, Field(ge=0, description="of the random streams: the same seed, the same results")]
Upsilon = Annotated[
    float | None,
    Field(gt=0, description="Υ, how often d-ucb and sw-ucb expect change within the horizon [default: its root]"),
]
Xi = Annotated[float, Field(gt=0, description="ξ, how much d-ucb and sw-ucb explore")]
Variation = Annotated[
    float | None,
    Field(gt=0, description="V, how far rexp3 expects means to move within the horizon [default: a tenth of it]"),
]
PolicyIds = Annotated[tuple[str, ...], AfterValidator(checked_ids)]

# Algorithm 1 with its own constants is in no figure of the paper; it runs when it is asked for.
PAPER_POLICIES = tuple(name for name in POLICIES if name != "rogue-ucb")
BASELINE_SETTINGS = "upsilon", "xi", "variation"  # passed on to the policies that take them


class Settings(BaseModel):
    """What every experiment lets its user choose. Each experiment adds its own, and its own defaults.

    >>> Settings(horizon=100, replicates=2).xi
    0.6
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    horizon: Horizon
    replicates: Replicates
    seed: Seed = 1
    policies: PolicyIds = PAPER_POLICIES
    upsilon: Upsilon = None
    xi: Xi = POLICIES["d-ucb"]().xi
    variation: Variation = None

    def policy(self, name: str) -> Any:
        """Make the policy with this id, under these settings.

        >>> Settings(horizon=100, replicates=2, variation=7.0).policy("rexp3").variation
        7.0
        """
        spec = POLICIES[name]
        return spec(**{setting: getattr(self, setting) for setting in BASELINE_SETTINGS if setting in spec.settings})

    def seed_of(self, person: int) -> int:
        """Another person, other random streams: a seed is one number, so that this one holds two.

        >>> Settings(horizon=100, replicates=2, seed=7).seed_of(0)
        7
        """
        return self.seed + (person << 64)


class Unit(NamedTuple):
    """What a reward counts, in words, and by what rewards are multiplied before they are shown."""

    size: float = 1.0
    reward: str = "reward"
    many: str = ""  # "thousand", if what is shown counts thousands
    each: str = "a decision"

    def of(self, measure: str) -> str:
        """A measure in words, with its unit.

        >>> Unit(14.0, "steps", "thousand").of("average steps")
        'average steps, in thousands'
        """
        return f"{measure}, in {self.many}s" if self.many else measure


def plain(settings: Settings) -> Unit:
    """Rewards as they are."""
    return Unit()


def nothing(settings: Settings) -> list[str]:
    """No notes."""
    return []


class Experiment(NamedTuple):
    """An experiment: `truths` gives one truth for each person that its settings describe."""

    name: str
    title: str
    about: str  # two sentences that need no knowledge of bandits
    settings: type[Settings]
    truths: Callable[[Any], Sequence[Truth]]
    unit: Callable[[Any], Unit] = plain
    notes: Callable[[Any], list[str]] = nothing  # what a reader must know of the people
    options: Mapping[str, type] = {}  # settings of its own that the command line takes
    plan_gap: float = GOOD_ENOUGH  # of the best plans: a smaller one is not looked for
    sensitivity: Callable[[Any, Sequence[Truth], float, int], Sensitivity] | None = None


def faults(error: ValidationError) -> str:
    """What is wrong with settings, in one line that names each thing, its value and what is allowed.

    >>> try:
    ...     Settings(horizon=0, replicates=2, xi=-1)
    ... except ValidationError as error:
    ...     print(faults(error))
    horizon 0 must be 1 or more; xi -1 must be above 0
    """
    return "; ".join(fault(entry) for entry in error.errors(include_url=False))


def fault(entry: ErrorDetails) -> str:
    """One entry of pydantic's list of errors, in our words."""
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
