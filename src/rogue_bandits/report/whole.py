"""A whole page: one head for all of them, and a body of its own."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from importlib.metadata import version
from importlib.resources import files
from string import Template


def whole_page(body: str, title: str, words: Mapping[str, str]) -> bytes:
    """The page with this body, a file beside this one, and its words, which are HTML; `title` is a text.

    >>> page = whole_page("both.html", "Arms & people", {"experiments": "<p>None.</p>", "seconds": "0"}).decode()
    >>> page.count("Arms &amp; people"), "<p>None.</p>" in page  # in the head, and as a heading
    (2, True)
    """
    room = files("rogue_bandits.report")
    head, main, style = (room.joinpath(name).read_text(encoding="utf-8") for name in ("head.html", body, "page.css"))
    common = {"title": escape(title), "style": style, "version": escape(version("rogue-bandits"))}
    return Template(head + main).substitute({**common, **words}).encode()
