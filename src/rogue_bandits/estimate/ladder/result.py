"""What the ladder says of an arm, as plain data that people.json can hold."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

QUANTILES = [0.025, 0.5, 0.975]
ENDLESS = "half_life", "cap"  # draws that may be infinite


class Compared(NamedTuple):
    """A candidate: its held-out log-likelihood a reward, and by how much it is above the constant, with its error."""

    rung: str
    pool: str
    held_out: float
    by: float
    error: float


class Check(NamedTuple):
    """Observed rewards against rewards drawn from the model: mean, standard deviation, and a histogram."""

    mean: float
    model_mean: float
    sd: float
    model_sd: float
    edges: list[float]
    observed: list[float]  # shares
    model: list[list[float]]  # shares: 2.5 %, mean, 97.5 % of draws
    holds: bool


class PersonLadder(NamedTuple):
    """A person's numbers: posterior medians and 95 % credible intervals, on the scale of the reward."""

    rewards: int
    fresh: list[float]  # at the start
    worn: list[float]  # at the largest load, count or time that the arm has seen
    drop: list[float]  # by one sending of a fresh arm
    half_life: list[float]  # empty without recovery
    now: list[float]  # 21 quantiles, 2.5 % to 97.5 %, of the mean reward if it is sent at the next decision, over rungs
    fitted: list[float]  # mean reward at each reward that was seen, at posterior medians
    numbers: dict[str, float]  # level, slope by a unit, log noise: posterior medians on the scale of the predictor
    medians: dict[str, list[float]] = {}  # noqa: RUF012  # never written to; level, slope, noise of each part
    draws: dict[str, Any] = {}  # noqa: RUF012  # over rungs; half_life [draws]; level, slope, noise [parts][draws]


class ArmLadder(NamedTuple):
    """The ladder of an arm. Rewards are on the scale of the file."""

    people: int
    rewards: int
    compared: list[Compared]  # every candidate
    rungs: dict[str, str]  # the pooling of each rung
    rung: str  # chosen
    pool: str
    fade_beaten_by: list[float]  # by how much the chosen rung is above the fade, and the error; empty if not above
    probability: dict[str, float]  # of each rung, and of a gain
    fresh: list[float]  # of the average person: median and credible interval
    worn: list[float]
    drop: list[float]
    half_life: list[float]
    now: list[float]
    course: dict[str, list[list[float]]]  # of the average person: quantiles over sendings, and over rests after them
    check: Check
    effects: list[
        list[float]
    ]  # of covariates, on the average person's reward: median and interval; empty: it did not vary
    population: dict[str, Any]  # docs/fitting.md
    persons: dict[str, PersonLadder]
    fade_or_wear_out: list[float] = []  # noqa: RUF012  # never written to; by how much wear-out without recovery is above
    # the fade, and the error, if one of them was chosen and the data do not tell them apart
    effect_draws: list[list[list[float]]] = []  # noqa: RUF012  # [parts][covariates][draws]
    draw_rungs: list[str] = []  # noqa: RUF012  # [draws]: the rung that each draw of all people is of
    parts: list[list[float]] = []  # noqa: RUF012  # shift and scale of each component of the family
    cap: list[float] = []  # noqa: RUF012  # of the loads, in sendings: median and interval; empty if the loss has no floor
    floor_by: list[float] = []  # noqa: RUF012  # by how much the floor predicts better than none, and the error
    harm: float | None = None  # probability that the worn level is below silence; None if silence was not observed


def ladder_to_plain(ladder: ArmLadder) -> dict[str, Any]:
    """Return an arm's ladder as JSON has it; half-lives that may be endless are texts."""
    persons = {
        name: one._asdict()
        | {"half_life": endless(one.half_life)}
        | (
            {"draws": one.draws | {key: endless(one.draws[key]) for key in ENDLESS if key in one.draws}}
            if one.draws
            else {}
        )
        for name, one in ladder.persons.items()
    }
    return {
        **ladder._asdict(),
        "compared": [one._asdict() for one in ladder.compared],
        "check": ladder.check._asdict(),
        "persons": persons,
        "half_life": endless(ladder.half_life),
    }


def drawn_numbers(person: dict[str, Any]) -> dict[str, Any]:
    """Return the draws of a person in JSON as numbers; files of earlier versions have none."""
    draws: dict[str, Any] = person.get("draws") or {}
    return draws | {key: [float(x) for x in draws[key]] for key in ENDLESS if key in draws}


def endless(values: list[float]) -> list[Any]:
    """Return numbers as JSON has them.

    >>> endless([1.5, math.inf])
    [1.5, 'inf']
    """
    return [value if math.isfinite(value) else str(value) for value in values]


def ladder_from_plain(plain: dict[str, Any]) -> ArmLadder:
    """Return the ladder of `ladder_to_plain`."""
    persons = {
        name: PersonLadder(**{**one, "half_life": [float(x) for x in one["half_life"]], "draws": drawn_numbers(one)})
        for name, one in plain["persons"].items()
    }
    return ArmLadder(**{
        **plain,
        "compared": [Compared(**one) for one in plain["compared"]],
        "check": Check(**plain["check"]),
        "persons": persons,
        "half_life": [float(x) for x in plain["half_life"]],
    })  # fmt: skip
