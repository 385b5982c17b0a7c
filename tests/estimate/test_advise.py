"""Advice: probabilities of being best, limits, silence, and words where the data do not support a choice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rogue_bandits.estimate.advise import DRAWS, Limits, advise, drawn, within
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.ladder.summary import NOW
from rogue_bandits.report.cohort.advice import advice_bytes, choice_words, cohort_table, person_advice, silence_words
from tests.estimate.made_up import arm_ladder, cohort_of, people_of, table, written


def known(tmp_path: Path, walk: float, sleep: float, silence: float | None = None) -> People:
    people = people_of(cohort_of(written(tmp_path / "d.csv", table(2))))
    names = people.cohort.people
    arms = {"walk": arm_ladder(names, now=walk), "sleep": arm_ladder(names, now=sleep)}
    quiet = None if silence is None else arm_ladder(names, now=silence)
    return people._replace(fitted=people.fitted._replace(arms=arms, silence=quiet))


def test_draws_have_the_quantiles_they_were_given() -> None:
    """Of a normal distribution: the probability of exceeding another is that of the normal difference."""
    quantiles = stats.norm.ppf(NOW, 1.0, 2.0).tolist()
    values = drawn(quantiles, np.random.default_rng(1))
    np.testing.assert_allclose(
        np.quantile(values, [0.1, 0.5, 0.9]), stats.norm.ppf([0.1, 0.5, 0.9], 1.0, 2.0), atol=0.2
    )


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
    assert advice.arms[0].best == pytest.approx(0.5, abs=4.0 * 0.5 / np.sqrt(DRAWS))


def test_silence_may_be_better(tmp_path: Path) -> None:
    advice = advise(known(tmp_path, 0.5, 0.4, 0.9), "p0")
    assert advice is not None
    assert silence_words(advice) == "Sending nothing is better than walk with probability >0.99."


def test_only_available_arms_are_advised(tmp_path: Path) -> None:
    people = known(tmp_path, 0.7, 0.4)
    advice = advise(people, "p0", ["sleep"], Limits(greatest=0.8))
    assert advice is not None
    assert [(arm.arm, arm.probability) for arm in advice.arms] == [("sleep", 0.8)]
    assert choice_words(advice) == "sleep is the only arm that is available."
    assert advise(people, "p0", []) is None


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
    assert len(list(person_advice(people, advice[0]))) == 3
