"""A study that is shown in a browser."""

from __future__ import annotations

from typing import NamedTuple

from playwright.sync_api import Page

from rogue_bandits.study import queries
from rogue_bandits.study.queries import PersonRow
from rogue_bandits.study.service import Service
from tests.study.page_study import NAMES

AMELIE = NAMES[0]


class Shown(NamedTuple):
    """A study that is served, with a token for each role."""

    service: Service
    address: str
    tokens: dict[str, str]

    def row(self, name: str) -> PersonRow:
        """Return a person."""
        with self.service.storage.reading() as reader:
            return queries.person(reader, name)

    def place(self, page: str) -> str:
        """Return the address of a page, of Amelie where it is that of a person."""
        return f"{self.address}/page/{page.format(pid=self.row(AMELIE).pid)}"


def sign_in(page: Page, shown: Shown, token: str) -> None:
    """Fill in the form."""
    page.goto(f"{shown.address}/")
    page.get_by_label("Your token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_load_state()
