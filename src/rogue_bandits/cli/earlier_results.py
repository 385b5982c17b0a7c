"""Results that are in the output folder already: those of another data file are not replaced unless that is asked."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any, NamedTuple

from rogue_bandits.cli.checks import Refused, readable

FILE = "people.json"
WRITTEN = "people.csv", "people.parquet", FILE, "report.html"


class Analysis(NamedTuple):
    """An analysis as people.json has it: the name of the data file, its checksum, the command, the date."""

    file: str
    sha256: str
    command: str
    date: str = ""


def earlier_analysis(folder: Path) -> Analysis | None:
    """Return the analysis whose results a folder has; None if it has none."""
    path = folder / FILE
    if not path.is_file():
        return None
    with readable(path):
        text = path.read_bytes()
    try:
        content: dict[str, Any] = json.loads(text)
        source = content.get("source", {})
        found = (source.get(key, "") for key in ("sha256", "command", "date"))
        return Analysis(content["cohort"]["file"], *found)
    except (ValueError, LookupError, TypeError, AttributeError):
        raise Refused(
            f"'{path}' is no file of `rogue fit`, or a damaged one: name another folder with --out, or add --overwrite "
            "to replace it"
        ) from None


def interrupted_analysis(folder: Path) -> Analysis | None:
    """Return the analysis whose checkpoint a folder has; None if it has none, or one that does not say of what."""
    from rogue_bandits.estimate.resume import source_of_checkpoint

    source = source_of_checkpoint(folder)
    return Analysis(*(source.get(key, "") for key in Analysis._fields)) if source.get("sha256") else None


def raise_on_own_data(folder: Path, data: Path) -> None:
    """Refuse a folder in which the results would replace the data themselves, with --overwrite too."""
    if data.is_file() and any((folder / name).exists() and data.samefile(folder / name) for name in WRITTEN):
        raise Refused(f"the results would replace '{data}' itself: name another folder with --out")


def replaced(folder: Path, new: Analysis) -> str:
    """Return a note on results in the folder that will be replaced; '' if there are none, or those of the same fit.

    What an interrupted fit left there to continue from counts as results do.

    Results of a data file of another name and another content are refused. A file of the same name is taken for a
    corrected one: to replace its results is what a second fit is for.
    """
    finished, begun = earlier_analysis(folder), interrupted_analysis(folder)
    if finished is not None and (note := replaced_one(folder, finished, new, "the results")):
        return note
    return "" if begun is None else replaced_one(folder, begun, new, "the checkpoint of an interrupted fit")


def replaced_one(folder: Path, old: Analysis, new: Analysis, what: str) -> str:
    """Return a note on one analysis that will be replaced; '' if it is the same. Another data file is refused."""
    if old.sha256 == new.sha256 and old.command == new.command:
        return ""
    when = f", of {old.date}" if old.date else ""
    keep, upper, are = "Another --out keeps both.", f"T{what[1:]}", "are" if what.endswith("s") else "is"
    if old.sha256 == new.sha256:
        return f"{upper} in {folder} of another fit of these data ({old.command}{when}) {are} replaced. {keep}"
    if old.file == new.file:
        return f"{upper} in {folder} {are} of {old.file} with another content{when}, and {are} replaced. {keep}"
    other = Path("results", Path(new.file).stem)
    other = other if other != folder else folder.with_name(f"{folder.name}-2")
    raise Refused(
        f"folder '{folder}' has {what} of another data file, {old.file}{when}. Name another folder, such as --out "
        f"{shlex.quote(str(other))}, or add --overwrite to replace them"
    )
