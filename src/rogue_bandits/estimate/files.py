"""Fitted people, and people.json: what `rogue fit` writes for the other commands."""

from __future__ import annotations

import json
import math
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.checked_json import checksum, readable
from rogue_bandits.estimate.families import family_of, model_for
from rogue_bandits.estimate.fitted import Fitted, fits_from_plain, fits_to_plain
from rogue_bandits.estimate.history import Cohort, History
from rogue_bandits.estimate.summary import ArmSummary, summarise
from rogue_bandits.types import Floats, support

FORMAT = "rogue-bandits/people"
VERSION = 3  # 1 had agents only, 2 no rests, availability, probabilities and covariates


class People(NamedTuple):
    """A cohort and what was fitted to it."""

    cohort: Cohort
    fitted: Fitted

    def summary(self, person: str, arm: str) -> ArmSummary:
        """Return the summary of an arm of a person."""
        record = self.cohort.people[person].record(self.cohort.arms.index(arm))
        return summarise(self.fitted.people[person][arm], record, self.cohort.scale)

    def reward_range(self) -> tuple[float, float]:
        """Return the range of rewards on the scale of the file: of all possible ones, or else of those seen and 0."""
        rewards, scale = self.cohort.rewards(), self.cohort.scale
        lo, hi, _ = support(self._rewards())
        if not math.isfinite(hi - lo):
            lo, hi = min(0.0, float(rewards.min())), max(0.0, float(rewards.max()))
        return scale * lo, scale * hi

    def size(self) -> float:
        """Return the length of the range of rewards: the unit in which numbers are rounded and called negligible."""
        lo, hi = self.reward_range()
        return hi - lo or 1.0

    def names(self) -> list[str]:
        """Return the names of the numbers that were fitted."""
        noise = ["sd"] if hasattr(self._rewards(), "sd") else []
        return [*family_of(self.cohort.family).unknowns, "x0", "theta", *noise]

    def _rewards(self) -> Any:
        return model_for(self.cohort.family, self.cohort.rewards(), self.cohort.trials).rewards


def people_json(people: People) -> bytes:
    """Return everything, to the last digit."""
    cohort, fitted = people
    histories = {
        name: history._asdict()
        | {"at": history.at.tolist(), "arm": history.arm.tolist(), "available": history.available.tolist()}
        | {"reward": plain_floats(history.reward), "probability": plain_floats(history.probability)}
        | {"covariates": history.covariates.tolist()}
        for name, history in cohort.people.items()
    }
    content = {
        "software": version("rogue-bandits"),
        "cohort": {**cohort._asdict(), "people": histories},
        "pool": fitted.pool,
        "predicts": {way: float(value) for way, value in fitted.predicts.items()},
        "fits": {person: fits_to_plain(fits) for person, fits in fitted.people.items()},
    }
    head = {"format": FORMAT, "version": VERSION, "checksum": checksum(content)}
    return json.dumps({**head, **content}, allow_nan=False).encode()


def people_from_json(text: str | bytes) -> People:
    """Return the people of `people_json`. A ValueError says what is wrong with the text."""
    content = readable(text, "people file", FORMAT, VERSION)
    try:
        plain = dict(content["cohort"])
        plain["people"] = {name: history_from_plain(h, len(plain["arms"])) for name, h in plain["people"].items()}
        fits = {person: fits_from_plain(arms) for person, arms in content["fits"].items()}
        return People(Cohort(**plain), Fitted(content["pool"], content["predicts"], fits))
    except (AttributeError, KeyError, TypeError, IndexError) as error:
        raise ValueError(f"this people file is damaged: {type(error).__name__} {error}") from None


def history_from_plain(plain: dict[str, Any], arms: int) -> History:
    """Return a history of people.json."""
    at, arm = np.array(plain["at"], dtype=np.int64), np.array(plain["arm"], dtype=np.int64)
    reward = np.array(plain["reward"], dtype=np.float64)  # None turns into nan
    available = np.array(plain.get("available", [True] * at.size), dtype=np.bool_)
    probability = np.array(plain.get("probability", [None] * at.size), dtype=np.float64)
    covariates = np.array(plain.get("covariates", [[]] * at.size), dtype=np.float64).reshape(at.size, -1)
    if not at.size == arm.size == reward.size == available.size == probability.size:
        raise TypeError(f"{at.size} decisions have {arm.size} arms and {reward.size} rewards")
    if at.size and not (at.min() >= 0 and at.max() < plain["length"] and arm.min() >= -1 and arm.max() < arms):
        raise IndexError("a decision is outside the history")
    return History(int(plain["first"]), int(plain["length"]), at, arm, reward, available, probability, covariates)


def plain_floats(values: Floats) -> list[float | None]:
    """Return numbers for JSON, None in place of nan."""
    return [None if math.isnan(value) else value for value in values.tolist()]
