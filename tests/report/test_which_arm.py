"""Which arm to send next: one sentence on the terminal and in the report, which agrees with the advice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rogue_bandits.estimate.advise import advise
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.ladder.compare import CONSTANT
from rogue_bandits.estimate.ladder.result import ArmLadder
from rogue_bandits.report.cohort.advice import silence_words
from rogue_bandits.report.cohort.page import cohort_page
from rogue_bandits.report.cohort.which_arm import which_arm
from tests.estimate.made_up import arm_ladder, cohort_of, people_of, table, written
from tests.pictures import undrawn as undrawn

NEXT = "At the next decision"


def with_levels(people: People, walk: list[float], sleep: list[float], silence: float | None = None) -> People:
    """Give each person's arms means that are known to 0.04."""
    names, fitted = list(people.cohort.people), people.fitted

    def ladder_of(levels: list[float], seed: int) -> ArmLadder:
        each = {
            name: arm_ladder([name], CONSTANT, now=x, seed=seed).persons[name]
            for name, x in zip(names, levels, strict=True)
            if not np.isnan(x)
        }
        return arm_ladder(names, CONSTANT)._replace(persons=each)

    arms = {"walk": ladder_of(walk, 1), "sleep": ladder_of(sleep, 2)}
    quiet = None if silence is None else ladder_of([silence] * len(names), 3)
    fits = {name: {arm: fit for arm, fit in fitted.people[name].items() if name in arms[arm].persons} for name in names}
    return people._replace(fitted=fitted._replace(people=fits, arms=arms, silence=quiet, family="gaussian"))


@pytest.fixture
def four(tmp_path: Path) -> People:
    return people_of(cohort_of(written(tmp_path / "d.csv", table(4))))


@pytest.mark.parametrize(
    ("walk", "sleep", "silence", "words"),
    [
        (
            [0.9, 0.9, 0.1, 0.5], [0.5, 0.5, 0.5, 0.5], None,
            " rogue advise would send walk to 2 people and sleep to 1; for 1 of 4 people the data do not support a "
            "choice.",
        ),
        ([0.9] * 4, [0.5] * 4, None, " rogue advise would send walk to 4 people."),
        ([0.5] * 4, [0.5] * 4, None, " the data do not support a choice between the arms for any of 4 people."),
        (
            [0.9, 0.9, np.nan, np.nan], [np.nan, np.nan, 0.5, 0.5], None,
            " the data do not support a choice between the arms for any of 4 people, each of whom has one arm with a "
            "fit.",
        ),
        (
            [0.9, 0.9, np.nan, np.nan], [0.5, 0.5, 0.5, np.nan], None,
            " rogue advise would send walk to 2 people; for 1 of 3 people the data do not support a choice.",
        ),
        (
            [0.9, 0.9, 0.3, 0.7], [0.5, 0.5, 0.2, 0.5], 0.7,
            " rogue advise would send walk to 3 people and nothing to 1, if anything: whether to send at all is not "
            "settled for 1 of these.",
        ),
    ],
)  # fmt: skip
def test_the_sentence_counts_the_people_of_each_arm(
    four: People, walk: list[float], sleep: list[float], silence: float | None, words: str
) -> None:
    assert which_arm(with_levels(four, walk, sleep, silence)) == NEXT + words


@pytest.mark.parametrize(
    ("walk", "silence", "words"),
    [
        (0.9, None, " rogue advise would send walk (probability >0.99)."),
        (0.5, None, " the data do not support a choice between the arms: "),
        (0.9, 1.5, " rogue advise would send nothing (better than walk with probability >0.99)."),
        (np.nan, None, " the data do not support a choice: sleep is the only arm with a fit."),
    ],
)
def test_a_person_alone_is_not_counted(tmp_path: Path, walk: float, silence: float | None, words: str) -> None:
    one = people_of(cohort_of(written(tmp_path / "d.csv", table(1))))
    assert which_arm(with_levels(one, [walk], [0.5], silence)).startswith(NEXT + words)


def test_planning_ahead_and_covariates_are_said(four: People) -> None:
    assert which_arm(four).startswith(f"{NEXT}, with later rewards in view, the data do not support")


@pytest.mark.parametrize(
    ("silence", "words"),
    [
        (None, ""),
        (0.7, f"{NEXT} sending walk is better than sending nothing for 1 and worse for 2 of 4 people, with probability "
              "0.95 or more; for 1 it is not settled."),
        (0.1, f"{NEXT} sending walk is better than sending nothing for 4 and worse for 0 of 4 people, with probability "
              "0.95 or more."),
    ],
)  # fmt: skip
def test_beside_one_arm_the_choice_is_whether_to_send(four: People, silence: float | None, words: str) -> None:
    assert which_arm(only_walk(with_levels(four, [0.3, 0.9, 0.7, 0.4], [0.5] * 4, silence))) == words


def test_whether_to_send_to_a_person_alone(tmp_path: Path) -> None:
    one = people_of(cohort_of(written(tmp_path / "d.csv", table(1))))
    assert which_arm(only_walk(with_levels(one, [0.2], [0.5], 0.9))) == (
        f"{NEXT} sending nothing is better than sending walk with probability >0.99."
    )


@pytest.mark.parametrize("beats", [0.99, 0.95, 0.94, 0.82, 0.8, 0.79, 0.5, 0.21, 0.2, 0.18, 0.06, 0.05, 0.01])
def test_whether_to_send_is_said_as_in_the_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, beats: float
) -> None:
    """`rogue fit` and `rogue advise --person` agree in their words, and what is neither likely nor shown is open."""
    people = only_walk(with_levels(people_of(cohort_of(written(tmp_path / "d.csv", table(1)))), [0.5], [0.5], 0.5))
    found = advise(people, "p0")
    assert found is not None
    found = found._replace(arms=[arm._replace(beats_waiting=beats) for arm in found.arms])
    monkeypatch.setattr("rogue_bandits.report.cohort.which_arm.advise", lambda *_: found)
    in_advice = silence_words(found).lower().replace("walk now", "walk").replace("waiting", "sending nothing")
    in_fit = which_arm(people).removeprefix(f"{NEXT} ")
    assert in_fit.lower() == in_advice
    assert ("do not say whether to send" in in_fit) == (0.2 < beats < 0.8)
    assert ("likely, but not settled" in in_fit) == (0.05 < beats <= 0.2 or 0.8 <= beats < 0.95)


def only_walk(people: People) -> People:
    fitted, walk = people.fitted, people.fitted.arms["walk"]
    fits = {person: {"walk": fits["walk"]} for person, fits in fitted.people.items()}
    cohort = people.cohort._replace(arms=["walk"])
    return people._replace(cohort=cohort, fitted=fitted._replace(arms={"walk": walk}, people=fits))


@pytest.mark.usefixtures("undrawn")
def test_the_report_has_the_sentence_and_the_command_near_its_top(four: People) -> None:
    page = cohort_page(four, "At the next decision <x>.").decode()
    assert page.index('class="short"') < page.index("At the next decision &lt;x&gt;.") < page.index("<h2>")
    assert "<code>rogue advise people.json</code>" in page
    assert "rogue advise" not in cohort_page(four).decode()
