"""What is written about a cohort: sentences, tables, figures, the page."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from rogue_bandits.estimate.advise import Advice, Choice, Standing
from rogue_bandits.estimate.files import People
from rogue_bandits.estimate.fitted import ArmFit, Fitted
from rogue_bandits.estimate.history import Record
from rogue_bandits.estimate.summary import summarise
from rogue_bandits.model.dynamics.clipped_affine import ClippedAffine
from rogue_bandits.report.cohort import page
from rogue_bandits.report.cohort.advice import advice_csv, cohort_table, why
from rogue_bandits.report.cohort.figures import arm_figure, course_of, person_figure
from rogue_bandits.report.cohort.words import arm_lines, pooling, sentence, verdicts, wearing
from rogue_bandits.report.terminal import quarters
from tests.estimate.made_up import arm_fit, cohort_of, people_of, table, written


@pytest.fixture
def people(tmp_path: Path) -> People:
    return people_of(cohort_of(written(tmp_path / "d.csv", table(3))))


RECORD = Record(np.array([1.0, 1.0, 0.0, 0.0, 1.0]), np.array([0.5, 0.5, np.nan, np.nan, 0.5]))


def said(fit: ArmFit, scale: float = 1000.0, record: Record = RECORD) -> str:
    return sentence("walk", fit, summarise(fit, record, scale), scale)


def test_a_sentence_for_each_case() -> None:
    # States 0.8, 0.45 and then, after two rests, 0.74375; after a rest in place of the first sending, 0.85.
    assert said(arm_fit()) == (
        f"walk: {reward(0.8):.0f} at its freshest, {reward(0.45):.0f} at its most worn (8 rewards). One sending costs "
        f"{reward(0.85) - reward(0.45):.0f}, half of which is recovered after 1 decision of rest."
    )
    assert said(arm_fit(enough=False, n=4)) == "walk: not enough data (4 rewards); the parameters below are unreliable."
    assert said(arm_fit(pull=0.0)) == (
        f"walk: no appreciable wear-out; {reward(0.8):.0f} to {reward(0.89375):.0f} each time (8 rewards)."
    )
    unsure = arm_fit()._replace(intervals={"pull": arm_fit().intervals["pull"]._replace(hi=0.0)})
    assert said(unsure).endswith("The data are consistent with no wear-out.")
    never = arm_fit()._replace(dynamics=arm_fit().dynamics._replace(decay=1.0, drift=0.0))
    assert "less than half of which is recovered after 2 decisions of rest, the longest observed" in said(never)
    in_a_row = Record(np.ones(3), np.full(3, 0.5))
    assert "recovery cannot be estimated: it was never sent again after a rest" in said(never, record=in_a_row)
    slow = arm_fit()._replace(dynamics=ClippedAffine(1.0, -0.009, 0.0))
    assert f"{reward(0.782):.0f} at its most worn (8 rewards). One sending costs a negligible amount (" in said(slow)


def test_whether_arms_wear_out_is_said_by_arm_or_by_the_number_of_people(people: People) -> None:
    pull = arm_fit().intervals["pull"]
    unsure = arm_fit()._replace(intervals={"pull": pull._replace(hi=0.0)})
    fits = {person: {"walk": arm_fit(), "sleep": unsure} for person in people.cohort.people}
    shared = people._replace(fitted=Fitted("arm", {}, fits))
    assert list(wearing(shared)) == [
        "Wear-out is supported (95 % interval, within the model): walk. A decline with another cause, such as novelty, "
        "looks the same.",
        "The data are consistent with no wear-out: sleep.",
    ]
    tiny = Fitted("arm", {}, {person: {"walk": arm_fit(pull=-0.0005)} for person in people.cohort.people})
    assert ": walk (by a negligible amount). A decline" in next(wearing(people._replace(fitted=tiny)))
    fits["p0"] = {"walk": unsure, "sleep": arm_fit(enough=False)}
    (own,) = wearing(people._replace(fitted=Fitted("person", {}, fits)))
    assert "walk, 2 of 3; sleep, 0 of 2." in own
    assert list(wearing(people_of(people.cohort, arm_fit(enough=False)))) == []


def test_the_verdict_on_pooling_says_by_how_much() -> None:
    assert pooling(Fitted("person", {"person": 0.41, "arm": 0.38}, {})) == (
        "Fitted with separate dynamics for each person. In cross-validation, separate dynamics for each person predict "
        "held-out rewards better than dynamics shared by all people of an arm: by 0.03 in log-likelihood per reward "
        "(each is 3.0% more likely)."
    )
    assert pooling(Fitted("arm", {"person": 0.4, "arm": 0.4}, {})).endswith("predict held-out rewards equally well.")
    assert pooling(Fitted("arm", {}, {})).endswith("The two kinds of pooling were not compared.")


def test_the_proven_gap_is_told_whatever_it_is(people: People) -> None:
    told = " ".join(verdicts(people_of(people.cohort, arm_fit(gap=0.874))))
    assert "within 87.4% of the least possible in the median fit, 87.4% in the worst" in told


def test_not_enough_data_is_said_everywhere(people: People) -> None:
    poor = people_of(people.cohort, arm_fit(enough=False, n=4))
    assert "Not enough data: 6 of 6 fits have too few rewards" in " ".join(verdicts(poor))
    assert arm_lines(poor)[0].fresh == "not enough data"
    assert arm_figure(poor, "walk") is None
    text = page.cohort_page(poor, "rogue fit d.csv").decode()
    assert "Not enough data: no person has enough rewards of “walk” to draw a curve." in text
    assert text.count("not enough data (4 rewards)") == 6


def test_the_finding_in_short(people: People) -> None:
    head = "3 people, 2 arms, 48 rewards. For the median person, walk: "
    assert page.in_short(people).startswith(
        f"{head}one sending lowers the mean reward by 0.389, and half of that is recovered after 1 rest; sleep: "
    )
    unsure = arm_fit()._replace(intervals={"pull": arm_fit().intervals["pull"]._replace(hi=0.0)})
    assert "the mean reward by 0.389 (uncertain), and half" in page.in_short(people_of(people.cohort, unsure))
    never = arm_fit()._replace(dynamics=arm_fit().dynamics._replace(decay=1.0, drift=0.0))
    assert ", and recovery was not seen; sleep: " in page.in_short(people_of(people.cohort, never))
    for pull in (0.0, -0.0005):
        next_to_none = people_of(people.cohort, arm_fit(pull=pull))
        assert page.in_short(next_to_none).startswith(f"{head}no appreciable wear-out")
    assert page.in_short(people_of(people.cohort, arm_fit(enough=False))).startswith(f"{head}not enough data")


def test_the_report_on_people_imports_no_experiment() -> None:
    code = (
        "import sys; import rogue_bandits.report.cohort, rogue_bandits.report.cohort.advice, rogue_bandits.cli; "
        "assert not [name for name in sys.modules if name.startswith('rogue_bandits.experiments')]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


class Balance(HTMLParser):
    """Every element that is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_needs_nothing_else(people: People) -> None:
    text = page.cohort_page(people, "rogue fit d.csv --clip").decode()
    parser = Balance()
    parser.feed(text)
    assert parser.open == []
    assert not re.search(r"\{[{%#]", text)
    assert text.count('<section class="person">') == 3
    assert text.count("data:image/svg+xml") == 2
    assert text.count("data:image/png") == 3
    assert not re.search(r'(src|href)="(?!data:)', text)


def test_names_cannot_break_the_page(tmp_path: Path) -> None:
    rows = [row.replace("p0", "<b>").replace("walk", "<script>$5") for row in table(1)]
    text = page.cohort_page(people_of(cohort_of(written(tmp_path / "d.csv", rows))), "").decode()
    assert "<script>" not in text
    assert "Person &lt;b&gt;" in text
    assert "&lt;script&gt;$5" in text


def test_many_people_are_drawn_in_part_and_it_says_so(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "MOST_PEOPLE", 2)
    monkeypatch.setattr(page, "MOST_ARMS", 1)
    text = page.cohort_page(people, "").decode()
    assert "2 of 3 people are shown, those with the most rewards" in text
    assert "1 of 2 arms are drawn" in text


def test_sixty_people_of_many_decisions_stay_below_10_megabytes(tmp_path: Path) -> None:
    long = people_of(cohort_of(written(tmp_path / "d.csv", table(1, 3000))))
    (section,) = page.person_sections(long, lambda drawn: None)
    assert 60 * len(section["source"]) < 8e6


def test_curves_begin_where_they_should_and_end_with_the_data(people: People) -> None:
    fits = [arm_fit(), arm_fit()]
    wearing_out = course_of(fits, [0.8, 0.6], [1, 3], 1.0, 1000.0)
    assert wearing_out.rewards.shape == (2, 4)
    assert wearing_out.rewards[0, :2] == pytest.approx([reward(0.8), reward(0.45)])  # 0.5·0.8 − 0.4 + 0.45
    assert wearing_out.observed.tolist() == [1, 3]
    at_rest = course_of(fits, [0.2, 0.2], [500, 2], 0.0, 1000.0)
    assert at_rest.rewards.shape == (2, 61)
    assert at_rest.rewards[0, [1, -1]] == pytest.approx([reward(0.55), reward(0.9)])
    assert len(person_figure(people, "p0").axes) == 2


def reward(x: float) -> float:
    """The mean of a Laplace agent with theta 0.1, on a scale of 1000."""
    return 1000.0 * (x + 0.05 * (math.exp(-x / 0.1) - math.exp((x - 1.0) / 0.1)))


def test_lines_end_where_the_data_do(people: People) -> None:
    drawn = arm_figure(people, "walk")  # sent at every third decision: never in a row, and always after two rests
    assert drawn is not None
    left, right = drawn.axes
    assert [text.get_text() for text in left.texts] == ["never sent twice in a row"]
    assert [float(np.asarray(line.get_xdata())[-1]) for line in right.lines] == [2.0] * 4  # three people, the median


def standing(arm: str, mean: float, upper: float) -> Standing:
    return Standing(arm, 0.5, mean, {"tuned-rogue-ucb": upper}, 2, enough=arm == "walk")


@pytest.mark.parametrize(
    ("policy", "arm", "says"),
    [
        ("tuned-rogue-ucb", "walk", "it has the largest upper bound, 0.700; the next is sleep with 0.600."),
        ("epsilon-rogue", "sleep", "it has the largest estimated reward, 0.500; the next is walk with 0.400."),
        ("epsilon-rogue", "walk", "to explore; its estimated reward, 0.400, is below that of sleep, 0.500."),
    ],
)
def test_the_reason_for_a_choice(policy: str, arm: str, says: str) -> None:
    advice = Advice("a", 3, [standing("walk", 0.4, 0.7), standing("sleep", 0.5, 0.6)], [])
    assert why(Choice(policy, arm, 1.0), advice, 1.0) == says


def test_the_reason_where_there_is_no_choice() -> None:
    alone = Advice("a", 3, [standing("walk", 0.4, 0.7)], [])
    assert why(Choice("tuned-rogue-ucb", "walk", 1.0), alone, 1.0) == "it is the only arm."
    twins = Advice("a", 3, [standing("walk", 0.4, 0.7), standing("sleep", 0.4, 0.7)], [])
    assert why(Choice("tuned-rogue-ucb", "walk", 0.5), twins, 1.0) == ("its upper bound, 0.700, equals that of sleep.")


def test_the_table_of_everybody(people: People) -> None:
    arms = [standing("walk", 0.4, 0.7), standing("sleep", 0.5, 0.6)]
    advice = [Advice("p0", 3, arms, [Choice("tuned-rogue-ucb", "sleep", 1.0)])]
    console = Console(width=80)
    with console.capture() as capture:
        for part in cohort_table(people, advice):
            console.print(part)
    assert "sleep*" in capture.get()
    assert "No advice because of too few rewards: p1, p2." in capture.get()
    rows = advice_csv(advice).decode("utf-8-sig").splitlines()
    assert rows[1:] == [
        "p0,3,tuned-rogue-ucb,walk,0,,0.4,0.7,0.5,2,yes",
        "p0,3,tuned-rogue-ucb,sleep,1,1,0.5,0.6,0.5,2,no",
    ]


@pytest.mark.parametrize(("total", "told"), [(8, ["25%", "50%", "100%"]), (0, ["100%"])])
def test_a_bar_in_a_file_is_a_line_at_every_quarter(total: int, told: list[str]) -> None:
    console = Console(width=80)
    with console.capture() as capture:
        advance = quarters(console, "fitting", total)
        for n in (1, 1, 2, 4):
            advance(n)
    assert capture.get() == "".join(f"fitting: {share}\n" for share in told)


def test_quartiles_need_two_people_and_arms_have_the_order_of_the_file(people: People) -> None:
    assert re.fullmatch(r"0\.\d+ \(0\.\d+–0\.\d+\)", arm_lines(people)[0].cost)
    one = people._replace(fitted=people.fitted._replace(people={"p0": people.fitted.people["p0"]}))
    assert re.fullmatch(r"0\.\d+", arm_lines(one)[0].cost)
    text = page.cohort_page(people_of(people.cohort._replace(arms=["sleep", "walk"])), "").decode()
    assert text.index("<h3>sleep</h3>") < text.index("<h3>walk</h3>")


def test_what_is_never_back_is_not_averaged_away(people: People) -> None:
    never = arm_fit()._replace(dynamics=arm_fit().dynamics._replace(decay=1.0, drift=0.0))
    assert arm_lines(people_of(people.cohort, never))[0].recovery == "not seen"
