"""What is known of the next decision: covariates as the fit has them, from values as the table has them."""

from __future__ import annotations

import datetime
from collections.abc import Mapping

import numpy as np

from rogue_bandits.estimate.data import mean_covariates
from rogue_bandits.estimate.history import Cohort
from rogue_bandits.estimate.reading.columns import as_word
from rogue_bandits.estimate.reading.covariates import PARTS_OF_DAY, WEEKDAYS
from rogue_bandits.types import Floats
from rogue_bandits.wording import unknown

HOURS = 24 // len(PARTS_OF_DAY)
HOW_TO_HAVE_ONE = "`rogue fit --covariate NAME` makes a column of the data one"


def covariates_at(cohort: Cohort, given: Mapping[str, str]) -> Floats:
    """Return the covariates of a decision, less their means over the cohort; those that are not given are at the mean.

    A ValueError says which names and values are possible.
    """
    values = np.zeros(len(cohort.covariates))
    if not given:
        return values
    if not cohort.coding:
        raise ValueError(f"covariate '{next(iter(given))}': the fit has no covariates; {HOW_TO_HAVE_ONE}")
    mean = mean_covariates(cohort)
    for name, value in given.items():
        if name not in cohort.coding:
            raise ValueError(unknown("covariate", name, list(cohort.coding)))
        coding = cohort.coding[name]
        if isinstance(coding, str):
            places = columns_of(cohort, name)
            if value not in {coding, *places}:
                raise ValueError(f"covariate {name}: {unknown('value', value, [coding, *places])}")
            for word, j in places.items():
                values[j] = float(word == value) - mean[j]
        else:
            j = list(cohort.covariates).index(name)
            values[j] = (_number(name, value) - coding[0]) / coding[1] - mean[j]
    return values


def _number(name: str, value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise ValueError(f"covariate {name} '{value}' must be a number") from None


def at_time(cohort: Cohort, when: str) -> dict[str, str]:
    """Return the covariates that follow from the time of a decision, as far as the fit has them.

    >>> cohort = Cohort("d.csv", "steps", 1.0, ["walk"], {}, [], covariates=["weekday: Sunday"],
    ...                 coding={"weekday": "Monday"})
    >>> at_time(cohort, "2026-03-07 18:30")
    {'weekday': 'Saturday'}
    """
    try:
        time = datetime.datetime.fromisoformat(when)
    except ValueError:
        raise ValueError(f"--at '{when}' must be such as 2026-03-07 or '2026-03-07 18:30'") from None
    follows = {"weekday": WEEKDAYS[time.weekday()], "hour": PARTS_OF_DAY[time.hour // HOURS]}
    found = {name: follows[name] for name in derived(cohort)}
    own = [name for name in follows if name in cohort.coding and name not in found]
    if own:
        raise ValueError(
            f"--at {when}: '{own[0]}' of this fit is a column of {cohort.file}, {values_of(cohort, own[0])}, and does "
            f"not follow from a time. Say it with --covariate {own[0]}=VALUE in place of --at"
        )
    if not found:
        others = " ".join(f"--covariate {as_word(name)}=VALUE" for name in cohort.coding)
        hint = f": say what it has, with {others}" if others else ""
        raise ValueError(f"--at {when} says the weekday and the hour, and the fit has neither as a covariate{hint}")
    return found


def derived(cohort: Cohort) -> list[str]:
    """Return the covariates that follow from the time of a decision; a column of the file may have the same name."""
    names = {"weekday": WEEKDAYS, "hour": PARTS_OF_DAY}
    return [name for name, words in names.items() if name in cohort.coding and categories(cohort, name) <= set(words)]


def categories(cohort: Cohort, name: str) -> set[str]:
    """Return the categories of a covariate; one of numbers has its own name only, which is none."""
    reference = cohort.coding[name]
    return {reference, *columns_of(cohort, name)} if isinstance(reference, str) else {name}


def columns_of(cohort: Cohort, name: str) -> dict[str, int]:
    """Return the column of each category of a covariate but the reference."""
    return {c.removeprefix(f"{name}: "): j for j, c in enumerate(cohort.covariates) if c.startswith(f"{name}: ")}


def values_of(cohort: Cohort, name: str) -> str:
    """Return which values a covariate has, in words."""
    if not isinstance(cohort.coding[name], str):
        return "which has numbers"
    return f"with the values {', '.join(sorted(categories(cohort, name)))}"
