"""HTML pages from the Jinja2 templates in templates/. Each page is one file that needs no other and no network."""

from __future__ import annotations

import base64
from functools import cache
from importlib.metadata import version
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

MEDIA_TYPES = {"svg": "image/svg+xml", "png": "image/png"}


@cache
def environment() -> Environment:
    """Return the templates. All text that is inserted is escaped."""
    return Environment(
        loader=PackageLoader("rogue_bandits.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(template: str, **content: Any) -> bytes:
    """Render a template as UTF-8."""
    return environment().get_template(template).render(version=version("rogue-bandits"), **content).encode()


def data_uri(image: bytes, kind: str) -> str:
    """Return an 'svg' or 'png' image as the source of an <img>, inside which ids of two SVGs cannot clash.

    >>> data_uri(b"<svg/>", "svg")
    'data:image/svg+xml;base64,PHN2Zy8+'
    """
    return f"data:{MEDIA_TYPES[kind]};base64,{base64.b64encode(image).decode()}"
