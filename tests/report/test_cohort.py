"""The report on fitted people: the verdict comes first, nothing contradicts it, and a board finds what it asks for."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.ladder.compare import CONSTANT, FADE, RECOVERY, WEAR_OUT
from rogue_bandits.estimate.other_explanations import NO_OTHER_EXPLANATION, OtherExplanations
from rogue_bandits.numerics.chi_squared import chi_squared_cdf
from rogue_bandits.report.cohort.arm_table import arm_lines, headings_of
from rogue_bandits.report.cohort.board import (
    balance,
    choices,
    dropout,
    homogeneity,
    sign_of_change,
    stretch_table,
    stretches_of,
)
from rogue_bandits.report.cohort.claims import supported
from rogue_bandits.report.cohort.figures import arm_figure, course_figure
from rogue_bandits.report.cohort.first_sentence import overall
from rogue_bandits.report.cohort.harm import harm
from rogue_bandits.report.cohort.page import cohort_page
from rogue_bandits.report.cohort.verdict import verdict, verdicts
from rogue_bandits.report.cohort.words import NOTHING
from tests.estimate.made_up import arm_ladder, cohort_of, cohort_of_chance, people_of, table, written
from tests.pictures import undrawn as undrawn

COST = "by 0.100 a sending; probability 0.97"  # of the ladders that were made up


@pytest.fixture
def people(tmp_path: Path) -> People:
    return people_of(cohort_of(written(tmp_path / "d.csv", [*table(3), "p0,24,walk,"])))


def text_of(page: bytes) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<script.*?</script>|<style.*?</style>|<[^>]+>", " ", page.decode(), flags=re.S))


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    ("rungs", "first"),
    [
        (
            (CONSTANT, CONSTANT),
            "The data do not show wear-out: a constant level for each person predicts new rewards as",
        ),
        (
            (CONSTANT, FADE),
            "The data do not show wear-out: time or a constant explains the rewards as well as sendings",
        ),
        (
            (RECOVERY, CONSTANT),
            f"The data show that walk wears out and recovers ({COST}); wear-out is not shown for sleep.",
        ),
        (
            (RECOVERY, RECOVERY),
            "The data show that walk and sleep wear out and recover (by 0.100 and 0.100 a sending; probability",
        ),
        (
            (WEAR_OUT, RECOVERY),
            f"The data show that sleep wears out and recovers ({COST}); walk wears out, and no recovery is seen (by",
        ),
    ],
)
def test_the_first_sentence_is_the_verdict(people: People, rungs: tuple[str, str], first: str) -> None:
    arms = {
        name: arm_ladder(people.cohort.people, rung, wears=0.9 if rung == CONSTANT else 0.97)
        for name, rung in zip(("walk", "sleep"), rungs, strict=True)
    }
    assert overall(arms, 1.0).startswith(first)
    page = cohort_page(people._replace(fitted=people.fitted._replace(arms=arms)))
    body = page.decode().split("<body>")[1]
    assert first in re.sub(r"\s+", " ", body)
    assert body.index('class="short"') < body.index("<h2>")


@pytest.mark.usefixtures("undrawn")
def test_nothing_contradicts_a_verdict_of_no_wear_out(people: People) -> None:
    ladder = arm_ladder(people.cohort.people, CONSTANT, wears=0.1)
    page = text_of(cohort_page(people_of(people.cohort, ladder)))
    for claim in ("it wears out", "One sending lowers", "when most worn"):
        assert claim not in page
    line = arm_lines(people_of(people.cohort, ladder))[0]
    assert (line.supported, line.worn, line.cost, line.half_life) == ("constant", "–", "–", "–")


@pytest.mark.parametrize(("wears", "stem", "words"), [
    (0.97, "show", "walk wears out and recovers"), (0.85, "suggest", "walk probably wears out and recovers"),
    (0.73, "suggest", "walk may wear out and recover"),
])  # fmt: skip
def test_words_follow_the_probability_of_wear_out(wears: float, stem: str, words: str) -> None:
    ladder = arm_ladder(["p0"], RECOVERY, wears=wears)
    assert overall({"walk": ladder}, 1.0) == (
        f"The data {stem} that {words} (by 0.100 a sending; probability {wears:.2f})."
    )
    assert verdict(ladder, 1.0).startswith(words.replace("walk", "it"))
    assert (f"(probability of wear-out {wears:.2f})" in verdict(ladder, 1.0)) == (stem == "suggest")
    sure = arm_ladder(["p0"], WEAR_OUT, wears=0.99)
    both = overall({"walk": ladder, "sleep": sure}, 1.0)
    assert both.startswith("The data show that ")
    assert words in both


def test_a_likely_decline_that_predicts_nothing_is_called_so(people: People) -> None:
    ladder = arm_ladder(people.cohort.people, CONSTANT, wears=0.97)
    assert "Some decline is likely all the same (probability 0.97" in verdict(ladder, 1.0)
    assert "Some decline" not in verdict(arm_ladder(people.cohort.people, CONSTANT, wears=0.5), 1.0)


@pytest.mark.usefixtures("undrawn")
def test_a_model_that_does_not_reproduce_the_rewards_says_nothing_else(people: People) -> None:
    odd = people_of(people.cohort, arm_ladder(people.cohort.people, RECOVERY, holds=False))
    first, *others = verdicts(odd)
    assert first == "Nothing can be concluded: no model here reproduces the rewards."
    assert all("Nothing is concluded." in words for words in others)
    assert "half of which is back" not in text_of(cohort_page(odd))


def test_numbers_of_wear_out_have_intervals(people: People) -> None:
    words = verdict(people.fitted.arms["walk"], 1.0)
    assert "One sending lowers the mean reward by 0.100 (0.050 to 0.150)" in words
    small = verdict(people.fitted.arms["walk"]._replace(drop=[0.01, 0.02, 0.03]), 1.0)
    assert "by 0.0200 (0.0100 to 0.0300)" in small
    assert "half of which is back after 3.0 decisions (2.0 to no end in sight)" in words
    assert "+0.0500 ± 0.0100; than a fade over the study: +0.0400 ± 0.0100" in words


def test_the_page_needs_nothing_else_and_has_what_a_board_asks_for(people: People) -> None:
    page = cohort_page(people)
    text = text_of(page)
    assert not re.search(r"(src|href)=\"(?!data:)", page.decode())
    board = (
        "SHA-256 of d.csv", "ab" * 32, "2026-01-17 10:00 UTC", "rogue-bandits 0.2.0", "rogue fit d.csv",
        "Possible harm", "Balance of the randomisation", "Every decision of this analysis", "people in the study",
    )  # fmt: skip
    for words in board:
        assert words in text
    assert "the reward of a rested arm comes out too low, and its recovery too quick" in text  # docs/fitting.md
    embedded = json.loads(re.search(r'id="drawings">(.*?)</script>', page.decode()).group(1))  # type: ignore[union-attr]
    assert embedded["p0"]["walk"][0] == [0, 4, 6, 9, 12, 16, 18, 21]


@pytest.mark.usefixtures("undrawn")
def test_the_average_person_is_defined(people: People) -> None:
    assert "The average person (the mean over the people of these data who have the arm" in text_of(cohort_page(people))


@pytest.mark.usefixtures("undrawn")
def test_names_cannot_become_markup(tmp_path: Path) -> None:
    rows = [row.replace("p0", "<b>x</b>").replace("walk", "</script>") for row in table(2)]
    page = cohort_page(people_of(cohort_of(written(tmp_path / "d.csv", rows)))).decode()
    assert "<b>x</b>" not in page
    assert page.count("</script>") == 2


def test_missing_rewards_and_people_are_counted_by_stretch(people: People) -> None:
    s = stretches_of(people.cohort)
    assert s.edges == [0, 7, 14, 21, 25]
    assert s.sent[:2].sum() == 49
    assert s.sent[2].sum() == 24
    assert s.missing.tolist() == [[0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]]
    assert not s.unavailable.any()
    assert s.present.tolist() == [3, 3, 3, 3]
    headings, rows = stretch_table(people.cohort)
    assert len(headings) == len(rows[0]) == 5
    assert rows[-1][2] == "25 (1, 4.0%)"
    assert dropout(people.cohort).startswith("0 of 3 people stopped early")
    weeks = stretch_table(people.cohort._replace(a_week=14))[1]
    assert [row[0] for row in weeks] == ["week 1: 0–13", "week 2: 14–24", "all"]


def test_balance_is_a_chi_squared_test(people: People) -> None:
    counts = np.array([[30, 20, 10], [10, 20, 30]])
    statistic, degrees = homogeneity(counts)
    expected = stats.chi2_contingency(counts, correction=False)
    assert degrees == expected.dof
    assert statistic == pytest.approx(expected.statistic)
    assert 1.0 - chi_squared_cdf(statistic, degrees) == pytest.approx(expected.pvalue)
    assert any("no sign that the proportions of arms changed" in words for words in balance(people.cohort))


def test_words_on_balance_follow_the_p_value(people: People) -> None:
    """Arms in the same order throughout are as even as can be; of p = 0.038 nobody says that there is no sign."""
    assert sign_of_change(0.05).startswith("no sign that")
    assert sign_of_change(0.038).startswith("some sign that")
    name, history = next(iter(people.cohort.people.items()))
    for first, words in ((0, "no sign that"), (20, "some sign that"), (50, "study: the proportions of arms")):
        turn = np.arange(200) % 2
        turn[:first] = 0  # one arm only at first
        sent = history._replace(length=200, at=np.arange(200), arm=turn, reward=np.ones(200),
                                available=np.ones(200, dtype=np.bool_), probability=np.full(200, np.nan),
                                covariates=np.zeros((200, 0)))  # fmt: skip
        assert words in balance(people.cohort._replace(people={name: sent}))[0], first


def test_the_best_alternative_is_that_of_the_table(people: People) -> None:
    ladder = arm_ladder(people.cohort.people, CONSTANT)
    better = ladder.compared[-1]._replace(pool="partial", by=0.015, error=0.01)
    words = verdict(ladder._replace(compared=[*ladder.compared, better]), 1.0)
    assert "(the best, wear-out with recovery, slopes partial: +0.0150 ± 0.0100)" in words
    assert "No alternative clearly" in words
    clear = verdict(ladder._replace(compared=[*ladder.compared, better._replace(by=0.1)]), 1.0)
    assert "No alternative" not in clear
    assert "The best alternative (wear-out with recovery, slopes partial: +0.1000 ± 0.0100) predicts" in clear


def test_an_alternative_that_rises_with_sendings_is_not_called_wear_out(people: People) -> None:
    ladder = arm_ladder(people.cohort.people, CONSTANT, wears=0.02)
    best = ladder.compared[-1]._replace(by=0.02)
    rising = ladder._replace(compared=[*ladder.compared, best], probability=ladder.probability | {"gain": 0.2})
    assert "(the best, a rise with sendings: +0.0200 ± " in verdict(rising, 1.0)


def test_the_report_says_whether_the_family_was_asked_for(people: People) -> None:
    named = people._replace(source=people.source | {"command": "rogue fit d.csv --family gaussian"})
    assert "asked for with --family" in choices(named)[0]
    assert "the only one that suits these rewards" in choices(people)[0]


def test_harm_of_a_constant_says_that_it_allows_for_a_decline(people: People) -> None:
    """The mean is above silence, and a decline that is not shown would bring it below: both are said, apart."""
    ladder = arm_ladder(people.cohort.people, CONSTANT, wears=0.6)._replace(worn=[0.4, 0.5, 0.6], harm=0.7)
    quiet = arm_ladder(people.cohort.people, CONSTANT)._replace(worn=[0.3, 0.4, 0.5])
    found = people_of(people.cohort, ladder)
    words = harm(found._replace(fitted=found.fitted._replace(silence=quiet)))[1]
    assert words.startswith(
        "walk: probability 0.70 that its reward at the end, or when most worn, is below that after "
    )
    assert "Over the study its mean is 0.500, and that after sending nothing 0.400 (" in words
    still = ladder._replace(probability=dict.fromkeys(ladder.probability, 0.0) | {CONSTANT: 1.0})
    settled = people_of(people.cohort, still)
    words = harm(settled._replace(fitted=settled.fitted._replace(silence=quiet)))[1]
    assert "that its reward (0.500) is below that after sending nothing (0.400" in words


def test_harm_is_named(people: People) -> None:
    assert harm(people)[0].startswith("What follows a rest could not be estimated: ")
    sent = {name: h._replace(reward=np.where(h.rests(), np.nan, h.reward)) for name, h in people.cohort.people.items()}
    silent = people._replace(cohort=people.cohort._replace(people=sent))
    assert harm(silent)[0].startswith("Rewards that follow a rest were not observed")
    quiet = arm_ladder(people.cohort.people, CONSTANT)
    for probability, words in (
        (0.99, "probably worse than sending nothing"),
        (0.5, "not settled"),
        (0.01, "No arm is"),
    ):
        arms = {arm: ladder._replace(harm=probability) for arm, ladder in people.fitted.arms.items()}
        assert words in harm(people._replace(fitted=people.fitted._replace(arms=arms, silence=quiet)))[0]


def test_known_probabilities_are_tested_and_weigh_sending_against_silence() -> None:
    cohort = cohort_of_chance()
    people = people_of(cohort)
    quiet = arm_ladder(cohort.people, CONSTANT)
    people = people._replace(fitted=people.fitted._replace(silence=quiet))
    assert balance(cohort)[-1].startswith(
        "Chance was as planned, within 3 standard errors. By the probabilities p of 2,400 decisions (0.1 to 0.7)"
    )
    assert re.search(r"nothing was sent [01]\.\d{3} ± 0\.\d{3}, ", balance(cohort)[-1])  # 1.03 ± 0.01 would look off
    walk, sleep = harm(people)[-2:]
    assert re.match(r"walk, over the whole study: 0\.\d+ more than after nothing was sent .95 % confidence", walk)
    assert "left open" not in walk
    assert sleep.endswith("Whether sending is better or worse is left open.")
    wrong = {name: h._replace(probability=np.full(h.at.size, 0.5)) for name, h in cohort.people.items()}
    assert balance(cohort._replace(people=wrong))[-1].startswith("What was chosen does not agree")
    unknown = {name: h._replace(probability=np.full(h.at.size, np.nan)) for name, h in cohort.people.items()}
    assert "not in the data" in balance(cohort._replace(people=unknown))[-1]


@pytest.mark.usefixtures("undrawn")
def test_warnings_are_apart_and_come_before_numbers(people: People) -> None:
    cohort = people.cohort._replace(notes=["Warning: person 'p0' was away.", "A gap counts as a rest."])
    text = text_of(cohort_page(people_of(cohort)))
    assert text.index("Before you rely on this") < text.index("person &#39;p0&#39; was away.") < text.index("The arms")
    assert text.index("Every decision of this analysis") < text.index("A gap counts as a rest.")
    assert text.count("was away") == 1
    assert "Before you rely on this" not in text_of(cohort_page(people))


@pytest.mark.usefixtures("undrawn")
def test_effects_of_covariates_are_a_table_with_silence(people: People) -> None:
    cohort = people.cohort._replace(covariates=["mood", "rain"], notes=["Covariate 'mood' is standardised."])
    ladder = arm_ladder(cohort.people)._replace(effects=[[-0.2, -0.1, 0.0], [0.1, 0.2, 0.3]])
    found = people_of(cohort, ladder)
    text = text_of(cohort_page(found._replace(fitted=found.fitted._replace(silence=ladder))))
    table = text[text.index("Covariates") : text.index("Possible harm")]
    assert f"covariate walk sleep {NOTHING}" in table
    assert table.count("−0.100 (−0.200 to 0.000)") == 3
    assert table.count("rain") == 1
    assert table.count("Covariate &#39;mood&#39; is standardised.") == 1
    assert "Covariates" not in text_of(cohort_page(people))


@pytest.mark.parametrize("rung", [FADE, WEAR_OUT])
def test_a_fall_whose_cause_is_open_is_said_to_be_open(rung: str) -> None:
    """Neither the first sentence nor the arm's says that sendings wear the arm out, or that they do not."""
    ladder = arm_ladder(["p0"], rung, wears=0.7)._replace(fade_or_wear_out=[0.001, 0.002])
    first = overall({"walk": ladder}, 1.0)
    assert first == (
        "The data show that rewards of walk fall over the study, and do not settle whether with time or with the "
        "sendings."
    )
    words = verdict(ladder, 1.0)
    assert "is not settled" in words
    assert "+0.0010 ± 0.0020" in words
    for claim in ("wears out", "not shown"):
        assert claim not in words
    both = overall({"walk": ladder, "sleep": arm_ladder(["p0"], RECOVERY)}, 1.0)
    assert "sleep probably wears out and recovers" in both
    assert "walk falls over the study, with time or with the sendings, which is not settled" in both


def test_a_fall_whose_cause_is_open_has_the_probability_of_wear_out_where_that_is_likely() -> None:
    """The table had 0.96 beside "fade or wear-out", and no sentence said that recovery predicted twice as well."""
    surely = {CONSTANT: 0.0, FADE: 0.04, WEAR_OUT: 0.01, RECOVERY: 0.95, "gain": 0.0}
    found = arm_ladder(["p0", "p1"], FADE)._replace(fade_or_wear_out=[0.001, 0.002], probability=surely)
    assert overall({"walk": found, "sit": found}, 1.0).endswith(
        " with the sendings. Wear-out of walk and sit is likely all the same (probability 0.96 and 0.96)."
    )
    assert verdict(found, 1.0).endswith(
        " Wear-out is likely all the same: probability 0.96, with recovery 0.95 (better than a constant: +0.0100 ± "
        "0.0100). More data are needed."
    )
    loses = found._replace(probability=surely | {WEAR_OUT: 0.8, RECOVERY: 0.16})
    assert verdict(loses, 1.0).endswith(" likely all the same: probability 0.96. More data are needed.")
    for other in (OtherExplanations(after="low"), NO_OTHER_EXPLANATION):
        rises_or_unproven = found if other.after else found._replace(worn=found.fresh)
        assert "likely" not in verdict(rises_or_unproven, 1.0, other)
        assert "likely" not in overall({"walk": rises_or_unproven}, 1.0, {"walk": other})


def test_wear_out_that_a_fade_predicts_nearly_as_well_is_said_to_be_so() -> None:
    """Of people whose rewards fell with time alone the verdict named the constant only, which was beaten clearly."""
    found = arm_ladder(["p0"], RECOVERY, wears=0.61)
    assert verdict(found, 1.0).endswith("; than a fade over the study: +0.0400 ± 0.0100).")
    assert verdict(found._replace(fade_beaten_by=[]), 1.0).endswith(
        " better than a constant (+0.0500 ± 0.0100), and not clearly better than a fade over the study."
    )


def test_a_fall_of_silence_is_said_beside_that_of_an_arm(people: People) -> None:
    """No sending explains it: the first sentence left the cause of a fall open that silence had too."""
    names = people.cohort.people
    timed, still = arm_ladder(names, FADE), arm_ladder(names, CONSTANT)
    open_ = timed._replace(fade_or_wear_out=[0.0, 0.1])
    up = timed._replace(worn=[0.7, 0.8, 0.9])
    for arm, silence, says in [(open_, timed, True), (timed, timed, True), (open_, still, False), (still, timed, False),
                               (open_, up, False), (open_, None, False)]:  # fmt: skip
        found = people_of(people.cohort, arm)
        first = next(verdicts(found._replace(fitted=found.fitted._replace(silence=silence))))
        assert first.endswith(" Rewards after sending nothing fall over the study too.") == says


def test_what_falls_with_time_is_said_in_the_first_sentence() -> None:
    """Beside arms whose fall has an open cause, and alone."""
    timed = arm_ladder(["p0"], FADE, wears=0.7)
    open_ = timed._replace(fade_or_wear_out=[0.0, 0.1])
    still = arm_ladder(["p0"], CONSTANT)
    assert overall({"a": open_, "b": timed, "c": still}, 1.0) == (
        "The data show that rewards of a fall over the study, and do not settle whether with time or with the "
        "sendings. Those of b fall with time. Wear-out is not shown for c."
    )
    assert overall({"b": timed, "c": still}, 1.0).endswith(" Rewards of b fall over the study, with time.")
    wearing = overall({"a": arm_ladder(["p0"], RECOVERY), "b": timed, "c": still}, 1.0)
    assert wearing.endswith("; b falls over the study, with time; wear-out is not shown for c.")


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("rung", [RECOVERY, WEAR_OUT])
def test_rewards_that_rise_with_sendings_are_never_called_worn(people: People, rung: str) -> None:
    """The model is that of wear-out, with a gain in place of a loss: headline, table and report say a rise."""
    names = people.cohort.people
    up = arm_ladder(names, rung, wears=0.0)._replace(drop=[-0.15, -0.1, -0.05], worn=[0.7, 0.8, 0.9], harm=0.01)
    down, still = arm_ladder(names, RECOVERY), arm_ladder(names, CONSTANT)
    found = people_of(people.cohort, up)
    found = found._replace(fitted=found.fitted._replace(silence=still))
    page, line = text_of(cohort_page(found)), arm_lines(found)[0]
    assert next(verdicts(found)) == "The data do not show wear-out: rewards of walk and sleep rise with sendings."
    assert (line.supported, line.cost) == ("rises with sendings", "+0.100 (0.050 to 0.150)")
    for claim in ("most worn", "cost of one sending", "half is back", "time or a constant explains"):
        assert claim not in page
    for words in ("after most sendings (0.800) is below", "gain of one sending", "with a gain by each sending"):
        assert words in page
    both = found._replace(fitted=found.fitted._replace(arms={"walk": up, "sleep": down}))
    assert headings_of(both).cost == "cost of one sending, or gain (+)"
    assert headings_of(both).worn == "when most worn, or after most sendings"
    assert overall({"walk": up, "sleep": down, "rest": still}, 1.0).endswith(
        "; rewards of walk rise with sendings; wear-out is not shown for rest."
    )
    open_ = arm_ladder(names, FADE)._replace(fade_or_wear_out=[0.0, 0.1])
    assert overall({"walk": up, "sleep": open_}, 1.0).endswith(" Those of walk rise with sendings.")


@pytest.mark.parametrize(("rung", "open_"), [(FADE, []), (FADE, [0.0, 0.1]), (WEAR_OUT, [0.0, 0.1])])
def test_a_rise_over_the_study_is_not_called_a_fade(rung: str, open_: list[float]) -> None:
    ladder = arm_ladder(["p0"], rung)._replace(drop=[-0.2, -0.1, 0.0], worn=[0.7, 0.8, 0.9], fade_or_wear_out=open_)
    assert supported(ladder) == "rise over the study"


@pytest.mark.usefixtures("undrawn")
def test_arms_whose_names_are_numbers_are_called_arms(tmp_path: Path) -> None:
    """`1 wears out` would read as a number of something."""
    rows = [row.replace("walk", "1").replace("sleep", "2") for row in table(3)]
    people = people_of(cohort_of(written(tmp_path / "d.csv", rows)))
    first, second, _ = verdicts(people)
    assert first.startswith("The data suggest that arm 1 and arm 2 probably wear out")
    assert second.startswith("arm 1: it probably wears out")
    assert "arm 1 50.0%, arm 2 50.0%" in text_of(cohort_page(people))


def test_silence_that_fades_has_its_end_in_the_table_and_in_words_on_harm(people: People) -> None:
    """Both ends of the comparison are those at the end of the study."""
    ladder = arm_ladder(people.cohort.people, FADE)._replace(harm=0.5)
    fitted = people.fitted._replace(arms={"walk": ladder}, silence=ladder)
    line = arm_lines(people._replace(fitted=fitted))[-1]
    assert (line.arm, line.worn) == (NOTHING, "0.400 (0.300 to 0.500)")
    assert "that its reward at the end (" in harm(people._replace(fitted=fitted))[1]
    assert "sending nothing (0.400 at the end; 3 people have both)" in harm(people._replace(fitted=fitted))[1]


def test_an_arm_is_compared_with_silence_over_the_people_who_have_both(people: People) -> None:
    """The mean of all people beside that of one would be no comparison."""
    arm = arm_ladder(people.cohort.people, FADE)._replace(harm=0.5)
    arm.persons["p0"] = arm.persons["p0"]._replace(worn=[0.1, 0.2, 0.3])
    silence = arm_ladder(["p0"], CONSTANT)._replace(people=1, worn=[0.6, 0.7, 0.8])
    fitted = people.fitted._replace(arms={"walk": arm}, silence=silence)
    assert (
        "(0.200) is below that after sending nothing (0.400; of the person with rewards of both)"
        in harm(people._replace(fitted=fitted))[1]
    )


def test_nothing_is_said_of_harm_by_models_that_do_not_reproduce_the_rewards(people: People) -> None:
    poor = arm_ladder(people.cohort.people, holds=False)._replace(harm=0.99)
    good = arm_ladder(people.cohort.people, CONSTANT)._replace(harm=0.01)
    fitted = people.fitted._replace(arms={"walk": poor, "sleep": good}, silence=good)
    assert not any("walk" in words for words in harm(people._replace(fitted=fitted)))
    misfit = people._replace(fitted=fitted._replace(silence=poor))
    assert harm(misfit)[0].startswith("For what follows a rest no model here reproduces the rewards")


def test_fade_or_wear_out_is_not_said_to_go_together(people: People) -> None:
    """Sendings in parts of the study do not go together with time, and may still leave it open."""
    words = verdict(arm_ladder(people.cohort.people, FADE)._replace(fade_or_wear_out=[-0.002, 0.004]), 1.0)
    assert "is not settled: neither predicts new rewards clearly better (wear-out without recovery against" in words
    assert "go together" not in words


@pytest.mark.usefixtures("undrawn")
def test_one_person_is_no_average_and_shares_nothing(tmp_path: Path) -> None:
    cohort = cohort_of(written(tmp_path / "d.csv", table(1)))
    for rung in (CONSTANT, RECOVERY):
        people = people_of(cohort, arm_ladder(cohort.people, rung)._replace(people=1))
        text = text_of(cohort_page(people))
        for wrong in ("average person", "1 people", "of 1 people", "of all people", "of the others", "the others,"):
            assert wrong not in text, wrong
        assert "One person, with a record of 24 decisions." in text
        assert "(1 person)" in text
        assert "Standard errors are over blocks." in " ".join(choices(people))


def test_p_values_and_scales_have_no_exponents(people: People) -> None:
    rows = {name: h._replace(arm=np.where(h.at < 12, 0, 1)) for name, h in people.cohort.people.items()}
    assert any("p < 0.001)." in words for words in balance(people.cohort._replace(people=rows)))
    scaled = people._replace(
        cohort=people.cohort._replace(scale=2_000_000.0),
        fitted=people.fitted._replace(scores={"agent": 0.0, "poisson": -152_345.0}),
    )
    assert "divided by 2000000. Family: agent" in choices(scaled)[0]
    assert "poisson −152345" in choices(scaled)[0]


def test_one_arm_has_no_shares(tmp_path: Path) -> None:
    """100 % of the sendings say nothing."""
    cohort = cohort_of(written(tmp_path / "d.csv", [row for row in table(3) if "sleep" not in row]))
    assert not any("Shares" in words for words in balance(cohort))


def test_a_long_name_without_spaces_has_a_label() -> None:
    """It is cut after so many characters where it must be, and broken into lines after an underscore, not in a word."""
    name = "minutes_of_moderate_to_vigorous_physical_activity_in_the_week_after"
    label = arm_figure(arm_ladder(["p0"]), "#0072B2", 10.0, name).axes[1].get_xlabel()
    assert label == f"{name[:51]}…"
    figure = course_figure(arm_ladder(["p0"]), "#0072B2", 10.0, name, None)
    assert figure is not None
    lines = figure.axes[0].get_ylabel().split("\n")
    assert "".join(lines) == f"mean {name}"
    assert all(line.endswith("_") for line in lines[:-1])


def test_a_long_name_of_the_reward_is_not_cut_beside_an_axis() -> None:
    """The label is no longer than its axis, within a few pixels."""
    figure = course_figure(arm_ladder(["p0"]), "#0072B2", 10.0, "Confidence to abstain from smoking (0-10)", None)
    assert figure is not None
    figure.draw_without_rendering()
    axes = figure.axes[0]
    assert axes.yaxis.label.get_window_extent().height < axes.get_window_extent().height + 5.0
