"""Make the screenshots of docs/study.md: `python -m tests.study.screenshots docs/images`."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

from rogue_bandits.study.queries import pid_of
from rogue_bandits.study.tokens import issue
from tests.study.browser import chromium
from tests.study.page_study import NAMES, lived_study, page_design
from tests.study.served import served

COLOURS = 64  # of a palette: small files
SHOTS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "study-people": ("people", {"width": 1100, "height": 900}, {}),
    "study-person": ("people/{pid}", {"width": 1100, "height": 1120}, {}),
    "study-phone": ("people", {"width": 400, "height": 820}, {}),
    "study-study": ("study", {"width": 1100, "height": 1000}, {"full_page": True}),
}


def main(folder: Path) -> None:
    """Write the screenshots to a folder."""
    with tempfile.TemporaryDirectory() as where:
        lived = lived_study(Path(where) / "study.db", page_design())
        with lived.service as service, chromium() as browser, served(service) as running:
            with service.storage.writing() as tx:
                token = issue(tx, "staff", "Nurse", lived.clock(), 1)
            with service.storage.reading() as reader:
                pid = pid_of(reader, NAMES[0])
            page = browser.new_page()
            page.goto(f"{running.address}/page/sign-in")
            page.get_by_label("Your token").fill(token)
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_load_state("networkidle")
            for name, (place, size, how) in SHOTS.items():
                page.set_viewport_size(size)  # type: ignore[arg-type]  # width and height
                page.goto(f"{running.address}/page/{place.format(pid=pid)}", wait_until="networkidle")
                page.screenshot(path=folder / f"{name}.png", **how)
                with Image.open(folder / f"{name}.png") as image:
                    small = image.convert("RGB").quantize(COLOURS)
                small.save(folder / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
