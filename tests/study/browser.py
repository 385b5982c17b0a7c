"""A real Chromium, and what a page did in it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
    "--process-per-site",  # pages of one context share a process, which need not be started for each
]  # fmt: skip
LOUD = f"NO BROWSER: the page of the study is not tested, as none of {', '.join(PROGRAMS)} is on the PATH"
AXE = (Path(__file__).parent / "vendor" / "axe-core-4.14.0.min.js").read_text(encoding="utf-8")
SERIOUS = ("serious", "critical")
# htmx marks what it waits for and what it has just put in. It asks for the first parts before a page counts as loaded.
ALL_THERE = "() => !document.querySelector('.htmx-request, .htmx-swapping, .htmx-settling, .htmx-added')"


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser that is installed."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None and os.environ.get("ROGUE_BROWSER") == "required":
        pytest.fail(LOUD)
    if program is None:
        pytest.skip(LOUD)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


class Watched:
    """A page of which every message, error and request is recorded."""

    def __init__(self, page: Page) -> None:
        self.page, self.faults, self.hosts = page, list[str](), set[str]()
        page.on("console", lambda message: self._said(message.type, message.text))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self.hosts.add(request.url.split("/")[2]))

    def _said(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.faults.append(f"{kind}: {text}")

    def visit(self, address: str) -> Page:
        """Load a page with all of its parts."""
        self.page.goto(address)
        return self.settled()

    def settled(self) -> Page:
        """Wait until all parts are there."""
        self.page.wait_for_load_state()
        self.page.wait_for_function(ALL_THERE)
        return self.page


def findings(page: Page) -> list[str]:
    """Return what axe-core finds that is serious."""
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE)
    found: Any = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}"
        for one in found["violations"]
        if one["impact"] in SERIOUS
    ]


def overflow(page: Page) -> int:
    """Return by how many pixels a page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))
