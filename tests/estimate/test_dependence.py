"""A loss that comes from when an arm is sent is not taken for the effect of sendings without a warning."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rogue_bandits.estimate.advise import Limits, Next, advise_several
from rogue_bandits.estimate.cautions import cautions
from rogue_bandits.estimate.dependence import FAR, dependence, follows_rewards, residuals
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.ladder.compare import CONSTANT, FADE, RECOVERY
from rogue_bandits.estimate.other_explanations import OtherExplanations
from rogue_bandits.experiments.health.fitted import notes_on_what_is_not_shown
from rogue_bandits.report.cohort.arm_table import arm_lines, caption_of
from rogue_bandits.report.cohort.first_sentence import overall
from rogue_bandits.report.cohort.harm import harm
from rogue_bandits.report.cohort.verdict import verdicts
from rogue_bandits.report.cohort.which_arm import which_arm
from rogue_bandits.types import Floats
from tests.estimate.made_up import HEADER, arm_ladder, cohort_of, people_of, written


def sent_by(path: Path, weight: float, people: int = 30, seed: int = 1, rung: str = RECOVERY, more: str = "") -> People:
    """People who are sent 'walk' with log odds of `weight` times the last reward; the model expects a mean of 0."""
    rng, rows = np.random.default_rng(seed), []
    for person in range(people):
        before = 0.0
        for t in range(40):
            sent = rng.random() < 1.0 / (1.0 + np.exp(-weight * before))
            before = round(float(rng.standard_normal()), 3)
            rows.append(f"p{person},{t},{'walk' if sent else 'none'},{before}{more}")
    file = written(path / "d.csv", rows, f"{HEADER}{',p' if more else ''}")
    cohort = cohort_of(file, probability="p") if more else cohort_of(file)
    ladder = arm_ladder(cohort.people, rung, wears=0.99)
    persons = {
        name: one._replace(fitted=[0.0] * cohort.people[name].rewards_of(0)) for name, one in ladder.persons.items()
    }
    return people_of(cohort, ladder._replace(persons=persons))


def test_sending_after_low_rewards_brings_a_warning(tmp_path: Path) -> None:
    people = sent_by(tmp_path, -1.0)
    (words,) = [one for one in cautions(people) if "chance alone did not decide" in one]
    assert words.startswith("walk was sent more often after rewards below what the model expects (correlation -0.")
    (advice,) = advise_several(people, ["p0"], Next(), Limits())
    assert words in advice.warnings
    after_high = " ".join(cautions(sent_by(tmp_path, 1.0)))
    assert "after rewards above" in after_high
    assert "do worse" not in after_high


def test_the_verdict_names_the_other_explanation(tmp_path: Path) -> None:
    """'The data show that walk wears out' stood above a warning that the loss may be no effect of sendings."""
    people = sent_by(tmp_path, -1.0)
    first, walk = verdicts(people)
    clause = "which is not shown: it was sent more often after low rewards, and that alone can look like wear-out."
    assert first == f"The data suggest that walk may wear out and recover (by 0.100 a sending), {clause}"
    assert walk.startswith(f"walk: it may wear out and recover, {clause} If it wears out, one sending lowers the mean")
    line = arm_lines(people)[0]
    assert (line.supported, line.wears, line.recovers) == ("wear-out and recovery, in doubt", "–", "–")
    assert "P is the probability" not in caption_of(people)
    assert "sent more often after high rewards" in next(verdicts(sent_by(tmp_path, 1.0)))


def test_probable_harm_names_the_other_explanation(tmp_path: Path) -> None:
    """Bad days bring both more sendings and low rewards, which look like harm too."""
    people = sent_by(tmp_path, -1.0)
    arms = {"walk": people.fitted.arms["walk"]._replace(harm=0.99)}
    quiet = arm_ladder(people.cohort.people, CONSTANT)
    words = harm(people._replace(fitted=people.fitted._replace(arms=arms, silence=quiet)))[0]
    assert words.startswith(
        "When most worn, walk may be worse than sending nothing, which is not shown: it was sent more often after low "
        "rewards, and that alone can look like this. Rests may follow from circumstances"
    )


def test_arms_without_another_explanation_keep_their_verdict() -> None:
    arms = {name: arm_ladder(["p0"], RECOVERY, wears=0.99) for name in ("walk", "sleep")}
    assert overall(arms, 1.0, {"walk": OtherExplanations(after="low")}) == (
        "The data show that sleep wears out and recovers (by 0.100 a sending; probability 0.99); walk may wear out and "
        "recover (by 0.100 a sending), which is not shown: it was sent more often after low rewards, and that alone "
        "can look like wear-out."
    )


def test_known_probabilities_do_not_keep_sendings_from_following_rewards(tmp_path: Path) -> None:
    """In simulated people of an adaptive trial whom nothing wore out, wear-out was shown: probability 0.96."""
    (words,) = cautions(sent_by(tmp_path, -1.0, more=",0.5"))
    assert "standard errors), and the models do not use the probabilities of the file. People who are sent" in words


def test_advice_says_what_it_takes_for_granted(tmp_path: Path) -> None:
    people = sent_by(tmp_path, -1.0)
    quiet = arm_ladder(people.cohort.people, CONSTANT)
    words = which_arm(people._replace(fitted=people.fitted._replace(silence=quiet)))
    assert ", if walk wears out as fitted, sending walk is " in words


def test_a_fall_that_may_be_a_loss_is_not_called_likely(tmp_path: Path) -> None:
    """It was called likely wear-out, by probabilities of models in which sendings do not follow rewards."""
    people = sent_by(tmp_path, -1.0, rung=FADE)
    arms = {arm: one._replace(fade_or_wear_out=[0.0, 0.1]) for arm, one in people.fitted.arms.items()}
    people = people._replace(fitted=people.fitted._replace(arms=arms))
    assert follows_rewards(people).keys() == {"walk"}
    assert not any("likely" in words for words in verdicts(people))
    quiet = people._replace(fitted=people.fitted._replace(silence=arm_ladder(people.cohort.people, CONSTANT)))
    assert "as fitted" not in which_arm(quiet)  # a fade was fitted
    assert not notes_on_what_is_not_shown(people)  # simulated people have it no more
    up = {arm: one._replace(worn=[0.7, 0.8, 0.9]) for arm, one in arms.items()}
    assert not follows_rewards(people._replace(fitted=people.fitted._replace(arms=up)))


def test_no_loss_no_warning(tmp_path: Path) -> None:
    assert not follows_rewards(sent_by(tmp_path, -1.0, rung=CONSTANT))
    assert not follows_rewards(sent_by(tmp_path, -1.0, people=4))  # of which no standard error can be made


def test_where_chance_decides_the_errors_are_standard_normal(tmp_path: Path) -> None:
    """The mean of 40 and their sum of squares, each beyond 4 standard errors once in 16,000."""
    errors: Floats = np.array([dependence(sent_by(tmp_path, 0.0, people=12, seed=s), "walk").errors for s in range(40)])
    assert abs(errors.mean()) < FAR / np.sqrt(errors.size)
    assert abs((errors**2).mean() - 1.0) < FAR * np.sqrt(2.0 / errors.size)


def test_residuals_are_those_of_fitted_arms(tmp_path: Path) -> None:
    people = sent_by(tmp_path, 0.0)
    history = people.cohort.people["p0"]
    assert residuals(people, "p0") == pytest.approx(np.where(history.rests(), np.nan, history.reward), nan_ok=True)
