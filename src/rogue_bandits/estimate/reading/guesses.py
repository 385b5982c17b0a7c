"""What columns of other names may mean, by their names: for messages that propose a command, never to decide."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

Quote = Callable[[str], str]
LIKE = {
    "person": (
        "person", "participant", "subject", "patient", "user", "proband", "respondent", "client", "pid",
        "uid", "id", "who",
    ),
    "decision": (
        "decision", "occasion", "index", "idx", "session", "visit", "beep", "day", "days", "tag", "week", "t", "number",
    ),
    "time": ("timestamp", "datetime", "utime", "date", "datum", "time", "zeit", "zeitpunkt", "when"),
    "arm": (
        "arm", "action", "treatment", "intervention", "message", "notification", "prompt", "nudge", "sent", "send",
        "condition", "massnahme", "maßnahme", "behandlung", "a",
    ),
    "reward": (
        "reward", "outcome", "response", "score", "steps", "quality", "rating", "minutes", "seconds", "duration",
        "mood", "y",
    ),
    "available": ("available", "avail", "availability", "eligible", "verfügbar"),
    "probability": ("probability", "prob", "propensity", "pi"),
}  # fmt: skip
FEWEST_NUMBERS = 3  # of columns x1, x2, x3 with one name, from which a table may be wide


def words_in(name: str) -> list[str]:
    """Return the words of a name in lower case.

    >>> words_in("userDecision_t [s]")
    ['user', 'decision', 't', 's']
    """
    parted = re.sub(r"([a-zäöü])([A-ZÄÖÜ])", r"\1 \2", name)
    return [word.lower() for word in re.findall(r"[^\W\d_]+", parted)]


def like(meaning: str, header: Sequence[str], taken: Iterable[str] = ()) -> str | None:
    """Return the column whose name is most like a meaning, None if there is none.

    >>> like("person", ["user_id", "day"]), like("arm", ["user_id", "day"])
    ('user_id', None)
    """
    free = [name for name in header if name and name not in taken]
    words = LIKE.get(meaning, ())
    found = [(words.index(word), len(words_in(name)), k) for k, name in enumerate(free) for word in words_in(name)
             if word in words]  # fmt: skip
    return free[min(found)[2]] if found else None


def proposal(file: str, absent: Iterable[str], known: Mapping[str, str], header: Sequence[str], quote: Quote) -> str:
    """Return a command that names the columns that are absent, as far as names of the header are like them."""
    taken, parts = set(known.values()), ["rogue fit", quote(file)]
    for meaning in absent:
        found = like(meaning, header, taken)
        if meaning == "decision" and (when := like("time", header, taken)) and (found is None or found == when):
            meaning, found = "time", when
        taken |= {found} if found else set()
        parts.append(f"--{meaning} {quote(found) if found else 'NAME'}")
    return " ".join(parts)


def wide_columns(header: Sequence[str]) -> list[str]:
    """Return columns such as steps_1, steps_2, … if at least two names are numbered so: a row for each person.

    A table that has a column of decisions or times beside them is long: these are items of questionnaires.

    >>> wide_columns(["id", "arm_d1", "steps_d1", "arm_d2", "steps_d2", "arm_d3", "steps_d3"])
    ['arm_d1', 'arm_d2', 'arm_d3']
    >>> wide_columns(["id", "phq1", "phq2", "phq3", "day", "arm", "reward"])
    []
    >>> wide_columns(["id", "phq1", "phq2", "phq3", "gad1", "gad2", "gad3", "study_day", "sent", "mood"])
    []
    """
    numbered: dict[str, list[str]] = {}
    for name in header:
        stem = re.sub(r"\d+", "#", name)
        if "#" in stem:
            numbered.setdefault(stem, []).append(name)
    long = [names for names in numbered.values() if len(names) >= FEWEST_NUMBERS]
    others = [name for name in header if not any(name in names for names in long)]
    person = like("person", others)
    if any(like(meaning, others, {person or ""}) for meaning in ("decision", "time")):
        return []
    return long[0] if len(long) > 1 and len({len(names) for names in long}) == 1 else []
