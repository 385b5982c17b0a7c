"""Fitted people, and people.json: what `rogue fit` writes for the other commands."""

from __future__ import annotations

import json
import math
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.checked_json import checksum, readable
from rogue_bandits.estimate.fit import Fitted
from rogue_bandits.estimate.fitted import fit_from_plain, fit_to_plain
from rogue_bandits.estimate.history import Cohort, History
from rogue_bandits.estimate.ladder.result import ladder_from_plain, ladder_to_plain
from rogue_bandits.model.dynamics.population import FORMAT, VERSION
from rogue_bandits.types import Floats


class People(NamedTuple):
    """A cohort and what was fitted to it; `source` says of which data and when, as a report shows it."""

    cohort: Cohort
    fitted: Fitted
    source: dict[str, str] = {}  # noqa: RUF012  # never written to

    def size(self) -> float:
        """Return the length of the range of rewards: the unit in which numbers are rounded and called negligible."""
        rewards = self.cohort.rewards()
        return self.cohort.scale * float(np.ptp(rewards)) or 1.0


def people_json(people: People) -> bytes:
    """Return everything, to the last digit."""
    cohort, fitted, source = people
    histories = {
        name: history._asdict()
        | {"at": history.at.tolist(), "arm": history.arm.tolist(), "available": history.available.tolist()}
        | {"reward": plain_floats(history.reward), "probability": plain_floats(history.probability)}
        | {"covariates": history.covariates.tolist()}
        for name, history in cohort.people.items()
    }
    ladders = {arm: ladder_to_plain(ladder) for arm, ladder in fitted.arms.items()}
    content = {
        "software": version("rogue-bandits"),
        "source": source,
        "cohort": {**cohort._asdict(), "people": histories},
        "family": fitted.family,
        "families": fitted.scores,
        "population": {arm: plain.pop("population") for arm, plain in ladders.items()},
        "ladder": ladders,
        "silence": None if fitted.silence is None else ladder_to_plain(fitted.silence),
        "fits": {
            person: {arm: fit_to_plain(fit) for arm, fit in fits.items()} for person, fits in fitted.people.items()
        },
    }
    head = {"format": FORMAT, "version": VERSION, "checksum": checksum(content)}
    return json.dumps({**head, **content}, allow_nan=False).encode()


def people_from_json(text: str | bytes, oldest: int = 1) -> People:
    """Return the people of `people_json`. A ValueError says what is wrong with the text.

    Of earlier versions there are the point estimates alone, which is enough for the dynamics of a study that has begun.
    What needs the posterior names the `oldest` version that will do.
    """
    content = readable(text, "people file", FORMAT, VERSION, oldest, "it was made by an earlier version")
    try:
        plain = dict(content["cohort"])
        plain["people"] = {name: history_from_plain(h, len(plain["arms"])) for name, h in plain["people"].items()}
        cohort = Cohort(**plain)
        fits = {
            person: {arm: fit_from_plain(fit) for arm, fit in arms.items()} for person, arms in content["fits"].items()
        }
        return People(cohort, fitted_from_plain(content, fits, cohort), content.get("source", {}))
    except (AttributeError, KeyError, TypeError, IndexError) as error:
        raise ValueError(f"this people file is damaged: {type(error).__name__} {error}") from None


def fitted_from_plain(content: dict[str, Any], fits: dict[str, Any], cohort: Cohort) -> Fitted:
    """Return what was fitted; files before version 3 have numbers of people only."""
    if "ladder" not in content:
        return Fitted(fits, {}, None, cohort.family, {})
    arms = {
        arm: ladder_from_plain({**plain, "population": content["population"][arm]})
        for arm, plain in content["ladder"].items()
    }
    silence = None if content["silence"] is None else ladder_from_plain(content["silence"])
    return Fitted(fits, arms, silence, content["family"], content["families"])


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
