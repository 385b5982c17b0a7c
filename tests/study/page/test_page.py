"""The page in a real browser: one server and one browser for all tests."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from rogue_bandits.study import queries
from rogue_bandits.study.operations import Enrolment
from rogue_bandits.study.page.words import percent
from tests.study.browser import Watched, findings, overflow
from tests.study.page.shown import AMELIE, Shown, sign_in
from tests.study.page_study import BROKEN, SILENT, UNREWARDED

INLINE = """() => {
  const script = document.createElement("script");
  script.textContent = "window.ran = 1";
  document.body.append(script);
}"""
PAGES = [
    "people",
    "people?show=attention",
    "people/{pid}",
    "people/{pid}/older",
    "people/{pid}/events",
    "study",
    "audit",
]


@pytest.mark.parametrize(
    ("token", "words"),
    [
        (lambda tokens: "rogue_0123_nonsense", "This token is not valid."),
        (lambda tokens: tokens["staff"][:-1], "This token is not valid."),
        (lambda tokens: tokens["app"], "The page needs one for staff or an auditor."),
    ],
    ids=["nonsense", "cut short", "of the app"],
)
def test_wrong_tokens_sign_nobody_in(browser: Browser, shown: Shown, token: object, words: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    sign_in(page, shown, token(shown.tokens))  # type: ignore[operator]  # a function of the tokens
    expect(page.get_by_role("alert")).to_contain_text(words)
    page.goto(shown.place("people"))
    assert page.url.endswith("/page/sign-in")
    context.close()


def test_people_say_what_is_next_and_who_needs_attention(watched: Watched, shown: Shown) -> None:
    page = watched.visit(shown.place("people"))
    attention = page.locator(".attention")
    for name, words in {SILENT: "No contact", UNREWARDED: "Rewards missing", BROKEN: "Fallback used"}.items():
        expect(attention.get_by_role("listitem").filter(has_text=name).first).to_contain_text(words)
    expected = shown.service.explain(AMELIE).row("probability")
    largest = max(range(len(expected)), key=lambda k: float(expected[k]))
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name=AMELIE))
    expect(row).to_contain_text(f"{shown.service.design.names[largest]} {percent(expected[largest])}")


def test_search_filter_and_pages_are_those_of_the_server(watched: Watched, shown: Shown) -> None:
    page = watched.visit(shown.place("people"))
    count, rows = page.locator(".count"), page.locator("#list tbody tr")
    expect(count).to_contain_text("25 people, page 1 of 2")
    page.get_by_role("link", name="Next page").click()
    expect(rows).to_have_count(5)
    expect(page.get_by_text("erased person")).to_be_visible()
    watched.settled()  # before its scripts have run, a page hears no keys
    page.get_by_label("Search by name").press_sequentially("amEL")  # the list follows while one writes
    expect(count).to_have_text("3 people")
    assert page.url.endswith("search=amEL&show=")
    page.get_by_label("Search by name").fill("%")  # no wildcard
    expect(page.get_by_text("Nobody is found for “%”")).to_be_visible()
    page.get_by_label("Search by name").fill("")
    page.get_by_label("Show").select_option("paused")
    expect(count).to_have_text("1 person")


def test_a_person_in_numbers_and_words(watched: Watched, shown: Shown) -> None:
    watched.visit(shown.place("people"))
    watched.page.get_by_role("link", name=AMELIE).first.click()
    page = watched.settled()
    with shown.service.storage.reading() as reader:
        past = queries.decisions(reader, shown.service.design, AMELIE)
    sentence = page.locator(".next p").first.inner_text()
    for name, probability in zip(
        shown.service.design.names, shown.service.explain(AMELIE).row("probability"), strict=True
    ):
        assert f"{name} with {percent(probability)}" in sentence
    assert page.locator(".plot canvas").count() == 4
    table = page.locator("#chart-1 tbody tr")
    assert table.count() == sum(bool(one.available) for one in past)
    drawn = [float(cell.get_attribute("data-v") or "nan") for cell in table.last.locator("td").all()]
    newest = next(one for one in past if one.available)
    assert drawn == [newest.probabilities[name] for name in shown.service.design.names]
    listed = page.locator("section", has_text="Messages and rewards").last.locator("tbody tr")
    before = listed.count()
    page.get_by_role("link", name="Show older ones").click()
    expect(listed).to_have_count(min(2 * before, len(past)))


def test_the_study_as_a_whole(watched: Watched, shown: Shown) -> None:
    page = watched.visit(shown.place("study"))
    with shown.service.storage.reading() as reader:
        summary = queries.summary(reader, shown.service.design)
        arms = queries.by_arm(reader, shown.service.design)
    tiles = page.locator(".tiles")
    for number in (summary.people, summary.decisions - summary.rests, summary.rewards):
        expect(tiles).to_contain_text(f"{number:,}")
    for arm in arms:
        row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=arm.arm, exact=True))
        expect(row.filter(has_text="standard errors")).to_contain_text(f"{arm.chosen}")
    assert page.locator(".plot canvas").count() == 7
    expect(page.locator("[aria-labelledby=part-versions]")).to_contain_text(shown.service.design.hash[:12])


def test_export_and_audit(watched: Watched, shown: Shown, tmp_path: Path) -> None:
    page = watched.visit(shown.place("audit"))
    page.get_by_role("button", name="Check the log now").click()
    with shown.service.storage.reading() as reader:
        head, total = reader.head(), queries.summary(reader, shown.service.design).decisions
    expect(page.get_by_role("status")).to_contain_text(f"All {head.seq:,} events are intact")
    with page.expect_download() as download:
        page.get_by_role("link", name="decisions.csv").click()
    download.value.save_as(tmp_path / "decisions.csv")
    with (tmp_path / "decisions.csv").open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == total


def test_pause_and_resume_by_staff_but_not_by_an_auditor(watched: Watched, shown: Shown, browser: Browser) -> None:
    page = watched.visit(shown.place("people/{pid}"))
    page.get_by_role("button", name=f"Pause {AMELIE}").click()
    expect(page.get_by_text(f"Nothing is sent while {AMELIE} is paused.")).to_be_visible()
    assert shown.row(AMELIE).status == "paused"
    page.get_by_role("button", name=f"Resume {AMELIE}").click()
    expect(page.get_by_text("The next message is drawn by chance")).to_be_visible()
    assert shown.row(AMELIE).status == "active"
    context = browser.new_context()
    other = context.new_page()
    sign_in(other, shown, shown.tokens["auditor"])
    other.goto(shown.place("people/{pid}"))
    expect(other.get_by_text("The next message is drawn by chance")).to_be_visible()
    assert other.get_by_role("button", name="Pause").count() == 0
    context.close()


@pytest.mark.parametrize("place", PAGES)
def test_every_page_is_accessible_and_fits_a_phone(watched: Watched, shown: Shown, place: str) -> None:
    page = watched.visit(shown.place(place))
    assert findings(page) == []
    page.set_viewport_size({"width": 400, "height": 800})
    for details in page.locator("details").all():
        details.evaluate("one => { one.open = true; }")
    assert overflow(page) <= 0
    assert findings(page) == []
    page.set_viewport_size({"width": 700, "height": 1000})  # A4 with margins
    page.emulate_media(media="print")
    assert overflow(page) <= 0
    assert not page.get_by_role("navigation", name="Pages", exact=True).is_visible()


def test_a_policy_that_forbids_what_is_inline_holds(watched: Watched, shown: Shown) -> None:
    page = watched.visit(shown.place("people"))
    page.evaluate(INLINE)
    assert page.evaluate("window.ran === undefined")
    assert any(re.search("Content Security Policy", fault) for fault in watched.faults)
    watched.faults.clear()


def test_all_of_it_by_keyboard(browser: Browser, shown: Shown) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{shown.address}/")
    assert findings(page) == []
    page.keyboard.type(shown.tokens["auditor"])  # the field has the focus
    page.keyboard.press("Enter")
    page.wait_for_url("**/people")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")  # the first person who needs attention
    name = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)
    summary = page.locator("summary").first
    summary.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#chart-1")).to_be_visible()
    page.get_by_role("button", name="Sign out").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/sign-in")
    context.close()


def test_whoever_has_not_started_is_shown_so(watched: Watched, shown: Shown) -> None:
    shown.service.enrol(Enrolment("Zoe", "2026-05-04", "morning")).result()
    page = watched.visit(f"{shown.address}/page/people?search=Zoe")
    row = page.get_by_role("row").filter(has_text="Zoe")
    expect(row).to_contain_text("not started")
    expect(row).to_contain_text("nothing before 4 May 2026")
    page.get_by_role("link", name="Zoe").click()
    expect(page.locator(".next")).to_contain_text("Zoe starts on 4 May 2026: nothing is sent before that day.")
    expect(page.locator("footer")).to_contain_text("(server time, UTC)")
    shown.service.change_status("Zoe", "withdraw").result()
