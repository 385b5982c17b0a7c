"""People fitted by `rogue fit`, as truths for a simulation."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from rogue_bandits.estimate.files import people_from_json
from rogue_bandits.estimate.fitted import ArmFit
from rogue_bandits.estimate.notes import count
from rogue_bandits.types import Truth, support

FEWEST_ARMS = 2


class FittedPeople(NamedTuple):
    """The people of a file who can be simulated, and the names of the others."""

    truths: list[Truth]
    left_out: list[str]
    scale: float  # what a reward of 1 stands for
    reward: str  # what a reward counts
    file: str  # that they were fitted to
    family: str
    bounded: bool  # whether rewards have bounds
    rungs: dict[str, str]  # what the data support for each arm


def fitted_people(path: Path) -> FittedPeople:
    """Read people.json; raise a ValueError with the reason if that fails."""
    try:
        return _fitted_people(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise ValueError(f"cohort '{path}' cannot be read: {error.strerror or error}") from None


@lru_cache(maxsize=2)
def _fitted_people(path: Path, _: int) -> FittedPeople:
    """Return the people of a file, which is read again if it has changed."""
    try:
        people = people_from_json(path.read_bytes())
    except OSError as error:
        raise ValueError(f"cohort '{path}' cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise ValueError(f"cohort '{path}': {error}. `rogue fit` writes it anew") from None
    enough = {
        name: {arm: fit for arm, fit in people.fitted.people.get(name, {}).items() if fit.enough}
        for name in people.cohort.people
    }
    truths = [truth_of(arms) for arms in enough.values() if len(arms) >= FEWEST_ARMS]
    if not truths:
        raise ValueError(f"cohort '{path}': nobody has {FEWEST_ARMS} arms with enough data")
    left_out = [name for name, arms in enough.items() if len(arms) < FEWEST_ARMS]
    bounded = all(math.isfinite(end) for end in support(truths[0].arms[0].rewards)[:2])
    rungs = {arm: ladder.rung for arm, ladder in people.fitted.arms.items()}
    cohort = people.cohort
    return FittedPeople(truths, left_out, cohort.scale, cohort.reward, cohort.file, cohort.family, bounded, rungs)


def truth_of(arms: dict[str, ArmFit]) -> Truth:
    """Return a truth with the fitted parameters of a person."""
    return Truth(
        [fit.arm(name) for name, fit in arms.items()],
        [min(max(fit.theta, fit.theta_lo), fit.theta_hi) for fit in arms.values()],
        [fit.x0 for fit in arms.values()],
    )


def cohort_notes(people: FittedPeople) -> list[str]:
    """Return notes on people and policies that were left out, if any."""
    who = f"{count(len(people.left_out), 'person', 'people')} ({', '.join(people.left_out)})"
    notes = [f"Left out, fewer than {FEWEST_ARMS} arms with enough data: {who}."] if people.left_out else []
    if not people.bounded:
        notes.append(
            f"Rewards of the {people.family} family have no bounds: policies that need bounds, such as D-UCB, are left "
            "out."
        )
    return notes
