"""report.html: whole in itself, and readable."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from rogue_bandits.experiments.experiment import DEFAULT_POLICIES
from rogue_bandits.experiments.results import Deployed, DeployedPolicy, Estimate, Gain, Results
from rogue_bandits.plotting import image
from rogue_bandits.policies.registry import POLICIES
from rogue_bandits.report.experiment.figures import figure, plots
from rogue_bandits.report.experiment.page import command_line, overview_page, page
from rogue_bandits.report.experiment.tables import HEADINGS
from tests.pictures import undrawn as undrawn
from tests.report.made_up import made_up

VOID = {"meta", "img", "line", "br"}


class Reader(HTMLParser):
    """Keeps the words and the tags, and checks that tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def read(results: Results) -> tuple[str, Reader]:
    svgs = {plot: image(figure(plot, results), "svg") for plot in plots(results)}
    html = page(results, svgs).decode()
    return html, parsed(html)


def parsed(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    assert reader.open == []
    assert not re.search(r"\{[{%#]", html)
    return reader


def test_the_page_needs_nothing_from_elsewhere() -> None:
    html, reader = read(made_up())
    assert not re.search(r"https?:|@import|url\(|<script|<link|<iframe|file:", html)
    sources = [attributes["src"] for _, attributes in reader.tags if "src" in attributes]
    assert len(sources) == 6
    for source in sources:
        assert source is not None
        kind, _, content = source.partition(",")
        assert kind == "data:image/svg+xml;base64"
        ElementTree.fromstring(base64.b64decode(content))
    assert not any("href" in attributes for _, attributes in reader.tags)


@pytest.mark.usefixtures("undrawn")
def test_the_page_says_what_a_reader_needs() -> None:
    _, reader = read(made_up())
    text = " ".join(" ".join(reader.words).split())
    for row in DEFAULT_POLICIES:
        assert POLICIES[row].label in text
    for words in (
        "The logistic experiment",
        "wears out each time it is played",
        "Compared with the best plan, Plan-TS lost ",
        " of expected reward over 1,000 decisions, and Random lost ",
        "Υ (upsilon) = 31.6",
        "ξ (xi) = 0.6",
        "V (variation) = 100.0",
        "rogue reproduce logistic --horizon 1000 --replicates 4 --seed 1",
        "12.3 s",
    ):
        assert words in text
    assert all(attributes.get("alt") for tag, attributes in reader.tags if tag == "img")


@pytest.mark.parametrize("replicates", [1, 2])
@pytest.mark.usefixtures("undrawn")
def test_a_page_of_one_policy(replicates: int) -> None:
    html, _ = read(made_up(("random",), replicates=replicates))
    assert "None: the policies of this run have no such settings." in html
    assert ("a single replicate has none" in html) == (replicates == 1)


@pytest.mark.usefixtures("undrawn")
def test_settings_that_were_chosen_are_explained_as_such() -> None:
    results = made_up(("d-ucb", "rexp3"))
    chosen = results.settings.model_copy(update={"upsilon": 10.0, "variation": 7.0})
    html, _ = read(results._replace(settings=chosen))
    assert "Υ (upsilon) = 10.0" in html
    assert "It was set for this run (--upsilon)." in html
    assert "It was set for this run (--variation)." in html


def test_the_command_repeats_what_differs_from_the_defaults() -> None:
    results = made_up(("random", "d-ucb"))
    settings = results.settings.model_copy(update={"upsilon": 10.0, "xi": 0.6})
    assert command_line(results.experiment, settings) == (
        "rogue reproduce logistic --horizon 1000 --replicates 4 --seed 1 --upsilon 10.0 --policy random --policy d-ucb"
    )


def test_the_best_plan_is_a_ceiling_only_as_far_as_it_is_proven() -> None:
    results = made_up(("random",))
    exact = page(results, {}).decode()
    assert "No policy can have a higher expected\naverage." in exact
    assert "<strong>Optimal gap</strong>" in exact
    found = page(results._replace(oracles=results.oracles._replace(optimal_upper=0.65)), {}).decode()
    assert "It is proven that no plan averages more than 0.6500." in found
    assert "No policy can have" not in found


@pytest.mark.usefixtures("undrawn")
def test_the_overview_links_to_each_experiment() -> None:
    html = overview_page([made_up(("random", "epsilon-rogue"))]).decode()
    parsed(html)
    assert 'href="logistic/report.html"' in html
    assert "rogue reproduce all" in html


@pytest.mark.usefixtures("undrawn")
def test_the_overview_begins_with_what_a_study_may_expect() -> None:
    gain, reward = Gain(0.02, 0.01, 0.0, 0.04), Estimate(0.6, 0.01)
    policies = {"d-ucb": DeployedPolicy(reward, None), "epsilon-rogue": DeployedPolicy(reward, gain)}
    columns = dict.fromkeys(("true", "fitted-own", "fitted-pooled", "learned", "paper"), policies)
    results = made_up(("d-ucb", "epsilon-rogue"))._replace(deployed=Deployed(4, 1, 150, columns, {"d-ucb": gain}))
    html = overview_page([results]).decode()
    parsed(html)
    assert html.count("What a study may expect") == 1
    assert html.index("What a study may expect") < html.index('<section id="logistic">')
    few = "4 people are too few to show more"
    assert few in html
    assert "rogue reproduce health --deployed 30" in html
    assert results.deployed is not None
    many = results._replace(deployed=results.deployed._replace(people=30))
    assert "too few to show more" not in overview_page([many]).decode()


@pytest.mark.usefixtures("undrawn")
def test_of_people_who_are_fits_the_summary_is_what_policies_gain_that_learn() -> None:
    """Once on the page; the gain of policies that are given the fits says so."""
    gain, reward = Gain(0.02, 0.01, 0.0, 0.04), Estimate(0.6, 0.01)
    policies = {"d-ucb": DeployedPolicy(reward, None), "epsilon-rogue": DeployedPolicy(reward, gain)}
    columns = dict.fromkeys(("true", "learned"), policies)
    results = made_up(("d-ucb", "epsilon-rogue"))._replace(deployed=Deployed(4, 1, 0, columns, {"d-ucb": gain}))
    _, reader = read(results)
    text = " ".join(" ".join(reader.words).split())
    words = "if it has to learn them online. A study can achieve the latter at most."
    assert text.count(words) == 1
    assert text.index("In short.") < text.index(words) < text.index("Parameters given, or learned online")


@pytest.mark.usefixtures("undrawn")
def test_policies_are_not_said_to_learn_the_dynamics_which_they_are_given() -> None:
    _, reader = read(made_up(tuple(POLICIES)))
    text = " ".join(" ".join(reader.words).split())
    assert not re.search(r"[Ll]earns? how", text)
    assert text.count("Knows how arms wear out and recover") == 3


@pytest.mark.usefixtures("undrawn")
def test_no_table_is_cut_on_a_narrow_screen() -> None:
    """Every table scrolls, and in a narrow window each cell is shown as a block with its heading."""
    html, reader = read(made_up())
    assert html.count('<div class="wide"><table') == html.count("<table") > 3
    narrow = html.partition("@media screen and (max-width: 61rem)")[2]
    assert ".stacks, .stacks tbody, .stacks tr, .stacks td { display: block; }" in narrow
    assert ".stacks td[data-label]::before { content: attr(data-label)" in narrow
    assert ".wide { overflow-x: auto;" in html
    numbers = [attributes for tag, attributes in reader.tags if tag == "td" and attributes.get("class") == "n"]
    assert {attributes["data-label"] for attributes in numbers} == set(HEADINGS[2:])


@pytest.mark.usefixtures("undrawn")
def test_text_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    results = made_up(("random",))
    monkeypatch.setitem(POLICIES, "random", POLICIES["random"]._replace(label="<b>&", about="<script>."))
    html, _ = read(results._replace(experiment=results.experiment._replace(title="Arms & <people>")))
    assert "<title>Arms &amp; &lt;people&gt;</title>" in html
    assert "&lt;b&gt;&amp;" in html
    assert "<script>" not in html
