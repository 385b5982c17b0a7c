"""What may change between versions of a study, and what has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from rogue_bandits.study import events as kinds
from rogue_bandits.study.events import event_of
from rogue_bandits.study.faults import shown
from rogue_bandits.study.file import StudyFile
from rogue_bandits.study.storage.sql import Reader


class Served(NamedTuple):
    """What a database holds: the name of the study and the body of its last version event."""

    study: str
    version: Mapping[str, Any] | None


def served_version(reader: Reader) -> Served | None:
    """Return what a database holds; None where nothing was served from it yet."""
    past = [event_of(row) for row in reader.events(0, ())]
    created = [event.body["study"] for event in past if event.kind == kinds.CREATED]
    versions = [event.body for event in past if event.kind == kinds.VERSION]
    return Served(created[0], versions[-1] if versions else None) if created else None


def faults_under_way(before: Mapping[str, Any], file: StudyFile) -> list[str]:
    """Return in words what must not change under way: what earlier decisions and rewards mean would change with it."""
    faults = []
    names, now = [arm["name"] for arm in before["arms"]], [arm.name for arm in file.arms]
    if names != now:
        faults.append(f"arms: under way they must stay {', '.join(names)}, in this order, not {', '.join(now)}; "
                      "set paused = true for one that is no longer sent")  # fmt: skip
    for field in ("family", "scale"):
        if before["rewards"][field] != getattr(file.rewards, field):
            faults.append(f"rewards.{field}: under way it must stay {before['rewards'][field]!r}")
    source = before["dynamics"]["source"]
    if file.dynamics.source == "people" != source:
        faults.append(f"dynamics.source: under way '{source}' cannot become 'people', as those who are enrolled have "
                      "no dynamics of their own: begin a study with a database of its own")  # fmt: skip
    return faults


def changes(before: Any, now: Any, place: str = "") -> Iterator[str]:
    """Yield in words where settings differ.

    >>> list(changes({"limits": {"least": 0.2}, "arms": [1]}, {"limits": {"least": 0.3}, "arms": [1]}))
    ['limits.least: 0.3, before 0.2']
    """
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for name in [*before, *(name for name in now if name not in before)]:
            yield from changes(before.get(name), now.get(name), f"{place}.{name}".lstrip("."))
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for k, (old, new) in enumerate(zip(before, now, strict=True)):
            yield from changes(old, new, f"{place}[{k}]")
    elif before != now:
        after, earlier = ("not given" if value is None else shown(value) for value in (now, before))
        yield f"{place}: {after}, before {earlier}"
