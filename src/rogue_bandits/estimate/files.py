"""people.csv, for people; people.json, for the other commands."""

from __future__ import annotations

import csv
import io
import json
import math
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from rogue_bandits.checked_json import checksum, readable
from rogue_bandits.estimate.fitted import Fitted
from rogue_bandits.estimate.history import Cohort, History
from rogue_bandits.estimate.plain import fit_from_plain, fit_to_plain
from rogue_bandits.estimate.terms import Terms, terms_of

FORMAT = "rogue-bandits/people"
VERSION = 1
PARAMETERS = "decay", "pull", "drift", "x0", "theta"


class People(NamedTuple):
    """A cohort and what was fitted to it."""

    cohort: Cohort
    fitted: Fitted

    def terms(self, person: str, arm: str) -> Terms:
        """An arm of a person in plain terms."""
        record = self.cohort.people[person].record(self.cohort.arms.index(arm))
        return terms_of(self.fitted.people[person][arm], record, self.cohort.scale)


def people_csv(people: People) -> bytes:
    """One row a person and arm that was fitted. A byte-order mark tells spreadsheets that it is UTF-8."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    ends = [f"{name}_{end}" for name in PARAMETERS for end in ("lo", "hi")]
    writer.writerow(
        ["person", "arm", "rewards", "enough_data", "cost_of_one_sending", "decisions_to_recover_half", "longest_rest",
         "reward_fresh", "reward_worn_out", *PARAMETERS, "log_likelihood", *ends, "proven_gap"]
    )  # fmt: skip
    for person, arms in people.fitted.people.items():
        for arm, fit in arms.items():
            terms, d = people.terms(person, arm), fit.dynamics
            intervals = [fit.intervals.get(name, (math.nan, math.nan)) for name in PARAMETERS]
            values = [terms.cost, terms.recovery, terms.reach.rests, terms.fresh, terms.worn, d.decay, d.pull, d.drift,
                      fit.x0, fit.theta, fit.loglik, *(end for interval in intervals for end in interval),
                      math.nan if fit.gap is None else fit.gap]  # fmt: skip
            writer.writerow([person, arm, fit.n, "yes" if fit.enough else "no", *(written(value) for value in values)])
    return text.getvalue().encode("utf-8-sig")


def written(value: float) -> str:
    """A number in six digits; nothing where there is none.

    >>> written(0.123456789), written(math.nan)
    ('0.123457', '')
    """
    return "" if math.isnan(value) else f"{value:.6g}"


def people_json(people: People) -> bytes:
    """All of it, to the last digit."""
    cohort, fitted = people
    content = {
        "software": version("rogue-bandits"),
        "cohort": {**cohort._asdict(), "people": {name: plain_history(h) for name, h in cohort.people.items()}},
        "pool": fitted.pool,
        "predicts": {way: float(value) for way, value in fitted.predicts.items()},
        "fits": {
            person: {arm: fit_to_plain(fit) for arm, fit in arms.items()} for person, arms in fitted.people.items()
        },
    }
    head = {"format": FORMAT, "version": VERSION, "checksum": checksum(content)}
    return json.dumps({**head, **content}, allow_nan=False).encode()


def plain_history(history: History) -> dict[str, Any]:
    """A history as JSON has it."""
    rewards = [None if math.isnan(reward) else reward for reward in history.reward.tolist()]
    return {**history._asdict(), "at": history.at.tolist(), "arm": history.arm.tolist(), "reward": rewards}


def people_from_json(text: str | bytes) -> People:
    """The people of what `people_json` made. A ValueError says what is wrong with the text."""
    content = readable(text, "people file", FORMAT, VERSION)
    try:
        plain = dict(content["cohort"])
        plain["people"] = {name: history_from_plain(h, len(plain["arms"])) for name, h in plain["people"].items()}
        fits = {
            person: {arm: fit_from_plain(fit) for arm, fit in arms.items()} for person, arms in content["fits"].items()
        }
        return People(Cohort(**plain), Fitted(content["pool"], content["predicts"], fits))
    except (AttributeError, KeyError, TypeError, IndexError) as error:
        raise ValueError(f"this people file is damaged: {type(error).__name__} {error}") from None


def history_from_plain(plain: dict[str, Any], arms: int) -> History:
    """The history of what `plain_history` made."""
    at, arm = np.array(plain["at"], dtype=np.int64), np.array(plain["arm"], dtype=np.int64)
    reward = np.array(plain["reward"], dtype=np.float64)  # None turns into nan
    if not at.size == arm.size == reward.size:
        raise TypeError(f"{at.size} sendings have {arm.size} arms and {reward.size} rewards")
    if at.size and not (at.min() >= 0 and at.max() < plain["length"] and arm.min() >= 0 and arm.max() < arms):
        raise IndexError("a sending is outside the history")
    return History(int(plain["first"]), int(plain["length"]), at, arm, reward)
