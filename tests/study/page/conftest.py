"""One server and one browser for all tests of the page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from rogue_bandits.study.tokens import issue
from tests.study.browser import Watched, chromium
from tests.study.page.shown import Shown, sign_in
from tests.study.page_study import lived_study, page_design
from tests.study.served import served


@pytest.fixture(scope="session")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    lived = lived_study(tmp_path_factory.mktemp("page") / "study.db", page_design())
    with lived.service as service:
        with service.storage.writing() as tx:
            tokens = {role: issue(tx, role, role, lived.clock(), 30) for role in ("app", "staff", "auditor")}
        with served(service) as running:
            yield Shown(service, running.address, tokens)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def signed_in(browser: Browser, shown: Shown) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1200, "height": 800})
    page = context.new_page()
    sign_in(page, shown, shown.tokens["staff"])
    expect(page.get_by_role("heading", name="People", exact=True)).to_be_visible()
    yield context
    context.close()


@pytest.fixture
def watched(signed_in: BrowserContext, shown: Shown) -> Iterator[Watched]:
    """A page of somebody who has signed in, which must load nothing from elsewhere and cause no error."""
    page = signed_in.new_page()
    found = Watched(page)
    yield found
    page.close()
    assert found.faults == []
    assert found.hosts <= {shown.address.removeprefix("http://")}
