"""Advice: probabilities of being best, limits, silence, and words where the data do not support a choice."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rogue_bandits.estimate.advise import Limits, Next, advise, within
from rogue_bandits.estimate.ahead import ArmDraws, values_ahead
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.ladder.compare import CONSTANT
from rogue_bandits.estimate.ladder.families import parts_of
from rogue_bandits.estimate.next_decision import at_time, covariates_at
from rogue_bandits.report.cohort.advice import advice_bytes, choice_words, cohort_table, person_advice, silence_words
from tests.estimate.made_up import arm_ladder, cohort_of, people_of, table, written
from tests.matrix import some_of


def known(tmp_path: Path, walk: float, sleep: float, silence: float | None = None) -> People:
    people = people_of(cohort_of(written(tmp_path / "d.csv", table(2))))
    names = people.cohort.people
    arms = {"walk": arm_ladder(names, now=walk), "sleep": arm_ladder(names, now=sleep, seed=2)}
    quiet = None if silence is None else arm_ladder(names, now=silence, seed=3)
    return people._replace(fitted=people.fitted._replace(arms=arms, silence=quiet))


def one_draw(level: float, slope: float, x: float, keeps: float) -> ArmDraws:
    """A normal arm whose numbers are known: mean level + slope · x."""
    each = [np.array([level])], [np.array([slope])], [np.zeros(1)]
    return ArmDraws(parts_of("gaussian", 0.0, [[0.0, 1.0]]), *each, np.array([x]), np.array([keeps]), 1.0, 0.0, 1.0)


def best_of_all(arms: list[ArmDraws], first: int, decisions: int) -> float:
    """The best of all sequences that start with an arm, by brute force."""
    best = -np.inf
    for later in itertools.product(range(len(arms)), repeat=decisions - 1):
        x, total = [float(arm.x[0]) for arm in arms], 0.0
        for sent in (first, *later):
            total += float(arms[sent].level[0][0] + arms[sent].slope[0][0] * x[sent])
            x = [float(arm.keeps[0]) * x[k] + float(k == sent) for k, arm in enumerate(arms)]
        best = max(best, total)
    return best


@pytest.mark.parametrize("seed", some_of(range(12), 6))
def test_plans_are_nearly_the_best_sequences(seed: int) -> None:
    """All of five decisions are compared, and the last is the best in any case: six are exact, nine are nearly."""
    rng = np.random.default_rng(seed)
    arms = [one_draw(*row) for row in np.column_stack([
        rng.uniform(0.3, 0.8, 3), rng.uniform(-0.3, 0.0, 3), rng.uniform(0.0, 2.0, 3), rng.uniform(0.3, 1.0, 3)
    ])]  # fmt: skip
    for decisions, off in ((1, 1e-9), (6, 1e-9), (9, 0.1)):
        found = values_ahead(arms, decisions)[:, 0]
        exact = np.array([best_of_all(arms, k, decisions) for k in range(3)])
        assert (found <= exact + 1e-9).all()
        np.testing.assert_allclose(found, exact, atol=off)


def test_what_a_sending_costs_later_counts() -> None:
    """An arm that is a little better now, and takes away much from its later rewards, is not the best to send."""
    quick, steady = one_draw(0.6, -0.5, 0.0, 0.9), one_draw(0.55, 0.0, 0.0, 0.9)
    better = one_draw(0.9, -0.5, 1.0, 0.5)  # recovers half of what it lost by the next decision
    assert np.argmax(values_ahead([quick, steady], 1)[:, 0]) == 0
    now, later = values_ahead([better, steady], 8)[:, 0]
    assert later > now  # wait until it has recovered


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
    assert advice.warnings == ["8 rewards of walk are few: its number is mostly that of the other people.",
                               "walk has rested for longer than any rest that the data have: how far it recovered is "
                               "a guess."]  # fmt: skip
    arms = {arm: ladder._replace(fade_or_wear_out=[0.0, 0.1]) for arm, ladder in people.fitted.arms.items()}
    unsure = advise(people._replace(fitted=people.fitted._replace(arms=arms)), "p0")
    assert unsure is not None
    assert any("do not tell why" in warning for warning in unsure.warnings)


def test_constant_arms_need_no_plan(tmp_path: Path) -> None:
    people = known(tmp_path, 0.7, 0.4)
    arms = {arm: ladder._replace(rung=CONSTANT) for arm, ladder in people.fitted.arms.items()}
    advice = advise(people._replace(fitted=people.fitted._replace(arms=arms)), "p0")
    assert advice is not None
    assert advice.ahead == 1


def test_an_arm_that_is_clearly_better_is_sent(tmp_path: Path) -> None:
    advice = advise(known(tmp_path, 0.7, 0.4, 0.5), "p1")
    assert advice is not None
    assert advice.supported
    assert (advice.first.arm, advice.decision) == ("walk", 24)
    assert choice_words(advice) == "Send walk: it is the best of the 2 arms with probability >0.99."
    assert silence_words(advice) == "Sending walk is better than sending nothing with probability >0.99."
    assert [arm.since for arm in advice.arms] == [3, 2]


def test_arms_that_are_alike_are_not_chosen_between(tmp_path: Path) -> None:
    advice = advise(known(tmp_path, 0.5, 0.5, 0.5), "p0")
    assert advice is not None
    assert not advice.supported
    assert "The data do not support a choice" in choice_words(advice)
    assert "The data do not say whether to send" in silence_words(advice)
    assert 0.2 < advice.arms[0].best < 0.8


def test_silence_may_be_better(tmp_path: Path) -> None:
    advice = advise(known(tmp_path, 0.5, 0.4, 0.9), "p0")
    assert advice is not None
    assert silence_words(advice) == "Sending nothing is better than walk with probability >0.99."
    assert not choice_words(advice).startswith("Send ")  # it would contradict the sentence above


@pytest.mark.parametrize(("above", "better"), [(0.93, "sending walk"), (0.07, "sending nothing")])
def test_what_is_likely_and_not_settled_is_called_so(tmp_path: Path, above: float, better: str) -> None:
    advice = advise(known(tmp_path, 0.6, 0.1, 0.5), "p0")
    assert advice is not None
    arms = [arm._replace(above_silence=above) for arm in advice.arms]
    assert silence_words(advice._replace(arms=arms)) == (
        f"It is likely, and not settled, that {better} is better: probability 0.93."
    )


def test_only_available_arms_are_advised(tmp_path: Path) -> None:
    people = known(tmp_path, 0.7, 0.4)
    advice = advise(people, "p0", Next(["sleep"]), Limits(greatest=0.8))
    assert advice is not None
    assert [(arm.arm, arm.probability) for arm in advice.arms] == [("sleep", 0.8)]
    assert choice_words(advice) == "sleep is the only arm that is available."
    assert advise(people, "p0", Next([])) is None


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
