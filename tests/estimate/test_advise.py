"""Advice: probabilities of being best, limits, silence, and words where the data do not support a choice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table

from rogue_bandits.estimate.advise import Limits, Next, advise, within
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.ladder.compare import CONSTANT, WEAR_OUT
from rogue_bandits.estimate.next_decision import at_time, covariates_at
from rogue_bandits.report.cohort.advice import (
    advice_bytes,
    advice_table,
    advice_words,
    choice_words,
    cohort_table,
    person_advice,
    planning_words,
    silence_words,
)
from tests.estimate.made_up import arm_ladder, cohort_of, people_of, table, written


def known(tmp_path: Path, walk: float, sleep: float, silence: float | None = None) -> People:
    people = people_of(cohort_of(written(tmp_path / "d.csv", table(2))))
    names = people.cohort.people
    arms = {"walk": arm_ladder(names, now=walk), "sleep": arm_ladder(names, now=sleep, seed=2)}
    quiet = None if silence is None else arm_ladder(names, now=silence, seed=3)
    return people._replace(fitted=people.fitted._replace(arms=arms, silence=quiet))


def test_covariates_of_the_next_decision(tmp_path: Path) -> None:
    people = known(tmp_path, 0.5, 0.4)
    history = people.cohort.people["p0"]
    marks = np.column_stack([history.at % 4 == 0, np.linspace(-1.0, 1.0, history.at.size)]).astype(np.float64)
    every = dict.fromkeys(people.cohort.people, history._replace(covariates=marks))
    coding = {"weekday": "Monday", "heat": [20.0, 5.0]}
    cohort = people.cohort._replace(people=every, covariates=["weekday: Sunday", "heat"], coding=coding)
    mean = marks.mean(0)
    found = covariates_at(cohort, {"weekday": "Sunday", "heat": "25"})
    np.testing.assert_allclose(found, [1.0 - mean[0], 1.0 - mean[1]])
    np.testing.assert_allclose(covariates_at(cohort, {"weekday": "Monday"}), [-mean[0], 0.0])
    assert at_time(cohort, "2026-03-08") == {"weekday": "Sunday"}
    with pytest.raises(ValueError, match=r"neither as a covariate: say what it has, with --covariate heat=VALUE$"):
        at_time(cohort._replace(covariates=["heat"], coding={"heat": [20.0, 5.0]}), "2026-03-08")
    for own, has in (
        ({"weekday": "Mon"}, "with the values Mon, Sunday"),
        ({"weekday": [3.0, 2.0]}, "which has numbers"),
    ):
        with pytest.raises(
            ValueError, match=f"'weekday' of this fit is a column of d.csv, {has}.*--covariate weekday="
        ):
            at_time(cohort._replace(coding=own), "2026-03-08")
    effects = [[[0.2] * 200, [0.0] * 200]]
    arms = {arm: ladder._replace(effect_draws=effects) for arm, ladder in people.fitted.arms.items()}
    people = people._replace(cohort=cohort, fitted=people.fitted._replace(arms=arms))
    monday, sunday = (advise(people, "p0", Next(covariates={"weekday": day})) for day in ("Monday", "Sunday"))
    assert monday is not None
    assert sunday is not None
    assert sunday.first.mean - monday.first.mean == pytest.approx(
        0.2, abs=0.02
    )  # the mean of an agent is not quite linear
    for wrong, says in (
        ({"weekday": "Funday"}, "covariate weekday: value 'Funday' is unknown"),
        ({"heat": "x"}, "covariate heat 'x' must be a number"),
        ({"cold": "1"}, "covariate 'cold' is unknown"),
    ):
        with pytest.raises(ValueError, match=says):
            covariates_at(cohort, wrong)


def test_warnings_where_the_fit_does_not_support_the_advice(tmp_path: Path) -> None:
    people = known(tmp_path, 0.7, 0.4)
    advice = advise(people, "p0")
    assert advice is not None
    assert advice.warnings == ["8 rewards of walk are few: its estimate depends on those of the other people.",
                               "walk has rested for longer than any rest that the data have: how far it recovered is "
                               "a guess."]  # fmt: skip
    arms = {arm: ladder._replace(fade_or_wear_out=[0.0, 0.1]) for arm, ladder in people.fitted.arms.items()}
    unsure = advise(people._replace(fitted=people.fitted._replace(arms=arms)), "p0")
    assert unsure is not None
    assert (
        "Rewards of walk fall, and the data do not show why: the advice allows for time and for the sendings, as far "
        "as each is probable."
    ) in unsure.warnings  # draws over rungs: it does not take one of them for the cause
    arms = {arm: ladder._replace(worn=[0.7, 0.8, 0.9]) for arm, ladder in arms.items()}
    rising = advise(people._replace(fitted=people.fitted._replace(arms=arms)), "p0")
    assert rising is not None
    assert any("of walk rise, and the data do not show why" in warning for warning in rising.warnings)
    arms = {arm: ladder._replace(drop=[-0.2, -0.1, 0.0], fade_or_wear_out=[]) for arm, ladder in arms.items()}
    gaining = advise(people._replace(fitted=people.fitted._replace(arms=arms)), "p0")
    assert gaining is not None
    assert any("what is left of its rise is a guess" in warning for warning in gaining.warnings)
    assert not any("recovered" in warning for warning in gaining.warnings)


def test_rewards_of_a_person_that_are_all_the_same_bring_a_warning(tmp_path: Path) -> None:
    people = known(tmp_path, 0.7, 0.4)
    mine = people.cohort.people["p0"]
    equal = mine._replace(reward=np.where(mine.arm == 0, 0.5, mine.reward))
    cohort = people.cohort._replace(people={**people.cohort.people, "p0": equal})
    says = "Rewards that are all the same say nothing about wear-out: walk (all 0.5)."
    for person, number in (("p0", 1), ("p1", 0)):
        advice = advise(people._replace(cohort=cohort), person)
        assert advice is not None
        assert advice.warnings.count(says) == number


def test_constant_arms_need_no_plan(tmp_path: Path) -> None:
    people = known(tmp_path, 0.7, 0.4)
    arms = {arm: ladder._replace(draw_rungs=[CONSTANT] * 200) for arm, ladder in people.fitted.arms.items()}
    advice = advise(people._replace(fitted=people.fitted._replace(arms=arms)), "p0")
    assert advice is not None
    assert advice.ahead == 1


def test_an_arm_that_is_clearly_better_is_sent(tmp_path: Path) -> None:
    advice = advise(known(tmp_path, 0.7, 0.4, 0.5), "p1")
    assert advice is not None
    assert advice.supported
    assert (advice.first.arm, advice.decision) == ("walk", 24)
    assert choice_words(advice) == "Send walk: it is the best of the 2 arms with probability >0.99."
    assert silence_words(advice) == "Sending walk now is better than waiting with probability >0.99."
    assert [arm.since for arm in advice.arms] == [3, 2]


def test_arms_that_are_alike_are_not_chosen_between(tmp_path: Path) -> None:
    advice = advise(known(tmp_path, 0.5, 0.5, 0.5), "p0")
    assert advice is not None
    assert not advice.supported
    assert "The data do not support a choice" in choice_words(advice)
    assert "The data do not say whether to send" in silence_words(advice)
    assert 0.2 < advice.arms[0].best < 0.8


@pytest.mark.parametrize(("silence", "better"), [(None, "another"), (0.5, "waiting")])
def test_what_may_be_better_later_is_what_was_observed(tmp_path: Path, silence: float | None, better: str) -> None:
    """Waiting is no choice where silence was never observed, and a single arm has no probabilities then."""
    people = known(tmp_path, 0.7, 0.4, silence)
    advice, ladders = advise(people, "p0"), people.fitted.arms
    assert advice is not None
    *_, last = advice_words(advice._replace(ahead=8), ladders)
    assert last.endswith(f"an arm may have the larger mean now, and {better} be better.")
    alone = [*advice_words(advice._replace(ahead=8, arms=advice.arms[:1]), ladders)]
    assert any("probabilities weigh" in words for words in alone) == (silence is not None)


def test_a_choice_with_a_lower_mean_now_has_its_reason(tmp_path: Path) -> None:
    people = known(tmp_path, 0.7, 0.4, 0.3)
    advice = advise(people, "p0")
    assert advice is not None
    assert planning_words(advice, people.fitted.arms) == ""  # walk earns more, at once and later
    walk, sleep = advice.arms
    later = advice._replace(arms=[walk._replace(best=0.1), sleep._replace(best=0.9)])
    arms = people.fitted.arms
    words = "walk earns more at once; sleep now leaves walk to recover."
    assert planning_words(later, arms) == words
    assert words in [part for part in person_advice(people, later) if isinstance(part, str)]
    spent = {**arms, "walk": arm_ladder(people.cohort.people, WEAR_OUT)}
    assert planning_words(later, spent) == "walk earns more at once; sleep now earns more in the long run."
    waits = later._replace(arms=[walk._replace(beats_waiting=0.01), sleep])
    assert planning_words(waits, arms) == "walk earns more at once; waiting now leaves walk to recover."
    assert planning_words(later._replace(ahead=1), arms) == ""
    assert planning_words(later._replace(arms=[walk._replace(best=0.4), sleep._replace(best=0.6)]), arms) == ""


def test_probabilities_of_all_people_are_aligned_to_the_right(tmp_path: Path) -> None:
    """With silence and without: all after the intervals."""
    for silence, intervals in ((None, 1), (0.5, 2)):
        people = known(tmp_path, 0.7, 0.4, silence)
        advice = advise(people, "p0")
        assert advice is not None
        table = next(cohort_table(people, [advice]))
        assert isinstance(table, Table)
        assert [column.justify for column in table.columns[3:]] == (
            ["left"] * intervals + ["right"] * (len(table.columns) - 3 - intervals)
        )
        assert len(table.columns) > 3 + intervals


def test_silence_may_be_better(tmp_path: Path) -> None:
    advice = advise(known(tmp_path, 0.5, 0.4, 0.9), "p0")
    assert advice is not None
    assert silence_words(advice) == "Waiting is better than sending walk now with probability >0.99."
    assert choice_words(advice).startswith("Wait: send nothing now. If anything were sent, walk would be the best arm")


@pytest.mark.parametrize(("above", "better"), [
    (0.93, "sending walk now is better than waiting"), (0.07, "waiting is better than sending walk now"),
])  # fmt: skip
def test_what_is_likely_and_not_settled_is_called_so(tmp_path: Path, above: float, better: str) -> None:
    advice = advise(known(tmp_path, 0.6, 0.1, 0.5), "p0")
    assert advice is not None
    arms = [arm._replace(beats_waiting=above) for arm in advice.arms]
    assert silence_words(advice._replace(arms=arms)) == (
        f"It is likely, but not settled, that {better}: probability 0.93."
    )


@pytest.mark.parametrize(("beats", "begins"), [
    (None, "Send walk: "), (0.81, "Send walk: "), (0.6, "If anything is sent, walk: "),
    (0.01, "Wait: send nothing now."),
])  # fmt: skip
def test_nothing_is_to_be_sent_unless_that_is_likely_to_beat_waiting(
    tmp_path: Path, beats: float | None, begins: str
) -> None:
    """The sentence on the arms does not contradict that on waiting."""
    advice = advise(known(tmp_path, 0.7, 0.1, 0.5), "p0")
    assert advice is not None
    arms = [arm._replace(beats_waiting=beats) for arm in advice.arms]
    assert choice_words(advice._replace(arms=arms)).startswith(begins)


def test_equal_values_are_not_told_apart(tmp_path: Path) -> None:
    """All rewards are the same: neither arm is the best, and sending is no better and no worse than waiting."""
    people = known(tmp_path, 0.5, 0.5, 0.5)
    first = people.fitted.arms["walk"]
    draws = dict(first.persons["p0"].draws, level=[[0.5] * 200])
    same = first._replace(rung=CONSTANT, persons={"p0": first.persons["p0"]._replace(draws=draws)})
    fitted = people.fitted._replace(arms=dict.fromkeys(people.fitted.arms, same), silence=same)
    advice = advise(people._replace(fitted=fitted), "p0")
    assert advice is not None
    assert [(arm.best, arm.beats_waiting) for arm in advice.arms] == [(0.5, 0.5)] * 2
    assert "The data do not support a choice" in choice_words(advice)
    assert "The data do not say whether to send" in silence_words(advice)


def test_waiting_and_silence_are_called_so(tmp_path: Path) -> None:
    """The table has the credible intervals after sending and after silence; what weighs later decisions says so."""
    people = known(tmp_path, 0.5, 0.4, 0.9)
    advice = advise(people, "p0")
    assert advice is not None
    table, *words = person_advice(people, advice)
    assert not isinstance(table, str)
    heads = [" ".join(str(column.header).split()) for column in table.columns]
    assert "mean reward after it, 95 % credible interval" in heads
    assert "P(sending now beats waiting)" in heads
    assert any("weigh later rewards too" in str(line) for line in words)
    every, *_ = cohort_table(people, [advice])
    assert not isinstance(every, str)
    assert "after silence, 95 % credible interval" in [" ".join(str(c.header).split()) for c in every.columns]
    head, row, *_ = advice_table([advice])
    assert row[head.index("mean_after_silence")] == pytest.approx(0.9, abs=0.02)
    alone = advise(people, "p0", Next(["sleep"]))
    assert alone is not None
    table, *_ = person_advice(people, alone)
    assert not isinstance(table, str)
    assert "P(best arm)" not in [" ".join(str(column.header).split()) for column in table.columns]


def test_only_available_arms_are_advised(tmp_path: Path) -> None:
    people = known(tmp_path, 0.7, 0.4)
    advice = advise(people, "p0", Next(["sleep"]), Limits(greatest=0.8))
    assert advice is not None
    assert [(arm.arm, arm.probability) for arm in advice.arms] == [("sleep", 0.8)]
    assert choice_words(advice) == "There is one arm to send, sleep, and nothing to choose from but waiting."
    assert advise(people, "p0", Next([])) is None


@pytest.mark.parametrize(("sent", "why"), [(False, "was never sent to p0"), (True, "has too few rewards of p0")])
def test_one_of_several_arms_is_no_choice(tmp_path: Path, sent: bool, why: str) -> None:
    """Not even if it is the only one with a fit; an arm that is left out by --available is not missed."""
    people = known(tmp_path, 0.7, 0.4)
    walk = people.fitted.arms["walk"]
    others = {name: one for name, one in walk.persons.items() if name != "p0"}
    arms = {**people.fitted.arms, "walk": walk._replace(persons=others)}
    mine = people.cohort.people["p0"]
    mine = mine if sent else mine._replace(arm=np.where(mine.arm == 0, -1, mine.arm))
    cohort = people.cohort._replace(people={**people.cohort.people, "p0": mine})
    people = people._replace(cohort=cohort, fitted=people.fitted._replace(arms=arms))
    advice, other = advise(people, "p0"), advise(people, "p1")
    assert advice is not None
    assert other is not None
    assert not advice.supported
    assert choice_words(advice) == "The data do not support a choice: sleep is the only arm with a fit for p0."
    assert f"walk {why}: no comparison is possible." in advice.warnings
    assert not any("walk" in warning and "compar" in warning for warning in other.warnings)
    head, row, *_ = advice_table([advice])
    assert (row[head.index("choice_supported")], row[head.index("probability_best")]) == ("no", None)
    table, *_ = cohort_table(people, [advice, other])
    assert not isinstance(table, str)
    assert next(iter(table.columns[4].cells)) == "–"
    alone = advise(people, "p0", Next(["sleep"]))
    assert alone is not None
    assert alone.supported


def test_an_arm_without_a_model_is_not_advised(tmp_path: Path) -> None:
    people = known(tmp_path, 0.7, 0.4)
    arms = {**people.fitted.arms, "walk": arm_ladder(people.cohort.people, holds=False)}
    advice = advise(people._replace(fitted=people.fitted._replace(arms=arms)), "p0")
    assert advice is not None
    assert [arm.arm for arm in advice.arms] == ["sleep"]


@given(
    st.lists(st.floats(0.0, 1.0), min_size=2, max_size=6).filter(lambda p: sum(p) > 0.01),
    st.floats(0.0, 1.0),
    st.floats(0.0, 1.0),
)
def test_probabilities_stay_within_their_limits(best: list[float], low: float, high: float) -> None:
    n = len(best)
    limits = Limits(low / n, (1.0 + high * (n - 1)) / n)
    share = within(np.array(best) / sum(best), limits)
    assert share.sum() == pytest.approx(1.0)
    assert share.min() >= limits.least - 1e-9
    assert share.max() <= limits.greatest + 1e-9


def test_limits_that_cannot_be_kept_are_refused() -> None:
    for limits, says in (
        (Limits(0.6, 1.0), "least probability 0.6 is too large for 2 arms"),
        (Limits(0.0, 0.4), "greatest probability 0.4 is too small for 2 arms"),
        (Limits(0.5, 0.4), "least 0.5 and greatest 0.4 must rise within 0 and 1"),
    ):
        with pytest.raises(ValueError, match=says):
            within(np.array([0.5, 0.5]), limits)


def test_tables_and_csv_have_everybody(tmp_path: Path) -> None:
    people = known(tmp_path, 0.5, 0.5, 0.4)
    advice = [one for person in people.cohort.people if (one := advise(people, person)) is not None]
    rows = advice_bytes(advice, "csv").decode("utf-8-sig").splitlines()
    assert len(rows) == 5
    assert rows[1].startswith("p0,24,walk,")
    assert any("do not support a choice, for 2 of 2 people" in str(part) for part in cohort_table(people, advice))
    assert len(list(person_advice(people, advice[0]))) == 4 + len(advice[0].warnings)


def test_remarks_on_one_person_are_in_the_singular(tmp_path: Path) -> None:
    people = people_of(cohort_of(written(tmp_path / "d.csv", table(2))))
    one, other = (advise(people, name) for name in ("p0", "p1"))
    assert one is not None
    assert other is not None
    warned = [one._replace(warnings=["Few."]), other._replace(warnings=[])]
    words = [part for part in cohort_table(people, warned) if isinstance(part, str)]
    assert "Warnings for 1 person: add --person P to see them, or --out FILE." in words
    alone = people_of(cohort_of(written(tmp_path / "d.csv", table(1))))
    only = advise(alone, "p0")
    assert only is not None
    waits = only._replace(arms=[arm._replace(beats_waiting=0.01) for arm in only.arms])
    words = [part for part in cohort_table(alone, [waits]) if isinstance(part, str)]
    assert "Waiting is clearly better than sending: at most 0.05 in the last column." in words
    assert not any("In brackets" in part for part in words)  # the data support waiting
