"""What columns of other names may mean, by name and first cells: for messages with a command, never to decide."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from rogue_bandits.estimate.reading.cells import CLOCKS, DATES, NUMBERS, TIMES, kind_of

Quote = Callable[[str], str]
LIKE = {
    "person": (
        "person", "participant", "subject", "patient", "user", "proband", "teilnehmer", "respondent", "client",
        "pid", "uid", "id", "who", "pat", "email", "vp",
    ),
    "decision": (
        "decision", "occasion", "index", "idx", "session", "visit", "beep", "day", "days", "tag", "week", "t", "number",
    ),
    "clock": ("time", "clock", "hour", "ampm", "daypart", "slot", "zeit", "uhrzeit", "tageszeit"),
    "time": ("timestamp", "datetime", "utime", "date", "datum", "time", "zeit", "zeitpunkt", "when", "at"),
    "arm": (
        "arm", "action", "treatment", "intervention", "message", "notification", "prompt", "nudge", "variant", "sent",
        "send", "condition", "msg", "push", "content", "activity", "massnahme", "maßnahme", "behandlung", "a",
    ),
    "reward": (
        "reward", "outcome", "response", "score", "steps", "quality", "rating", "minutes", "seconds", "sec", "duration",
        "mood", "stimmung", "pain", "opened", "clicked", "completed", "adherence", "schritte", "stressed", "y",
    ),
    "available": ("available", "avail", "availability", "eligible", "verfügbar"),
    "probability": ("probability", "prob", "propensity", "pi"),
}  # fmt: skip
Cells = Mapping[str, Sequence[str]]  # the first cells of columns, by their names
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


def proposal(
    file: str, absent: Iterable[str], known: Mapping[str, str], header: Sequence[str], cells: Cells, quote: Quote
) -> str:
    """Return a command that names the columns that are absent, as far as those of the file are like them."""
    taken, parts = set(known.values()), ["rogue fit", quote(file)]
    for meaning in absent:
        names = decisions_in(header, taken, cells) if meaning == "decision" else {meaning: like(meaning, header, taken)}
        taken |= {found for found in names.values() if found}
        parts += [f"--{name} {quote(found) if found else 'NAME'}" for name, found in names.items()]
    command, left = " ".join(parts), [name for name in header if name and name not in taken]
    return command.replace(" NAME", f" {quote(left[0])}") if command.count(" NAME") == len(left) == 1 else command


def decisions_in(header: Sequence[str], taken: Iterable[str], cells: Cells) -> dict[str, str | None]:
    """Return which columns say what the decisions are: numbers, or dates, with times of day if these are apart.

    >>> decisions_in(["day", "time"], (), {"day": ["3/4/2015"], "time": ["4:30 PM"]})
    {'time': 'day', 'clock': 'time'}
    >>> decisions_in(["day", "time"], (), {"day": ["0"], "time": ["4:30 PM"]})
    {'decision': 'day'}
    """
    free = [name for name in header if name not in taken]
    kinds = {name: kind_of(cells.get(name, ())) for name in free}
    number, when = like("decision", free), like("time", free)
    dated = [name for name in free if kinds[name] in (DATES, TIMES)]
    if number is not None and (kinds[number] == NUMBERS or not dated) and number != when:
        return {"decision": number}
    date = when if not dated or when in dated else like("decision", dated) or dated[0]
    if date is None:
        return {"decision": None}
    clock = like("clock", [name for name in free if kinds[name] == CLOCKS])
    return {"time": date} if kinds[date] != DATES or clock is None else {"time": date, "clock": clock}


def wide_columns(header: Sequence[str]) -> list[str]:
    """Return columns such as steps_1, steps_2, … if several names, or most columns, are so: a row for each person.

    A table that has a column of decisions or times beside them is long: these are items of questionnaires.

    >>> wide_columns(["id", "arm_d1", "steps_d1", "arm_d2", "steps_d2", "arm_d3", "steps_d3"])
    ['arm_d1', 'arm_d2', 'arm_d3']
    >>> wide_columns(["id", "group", "day1", "day2", "day3", "day4"])
    ['day1', 'day2', 'day3', 'day4']
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
    if len(long) == 1:
        return long[0] if len(long[0]) > len(others) else []
    return long[0] if len({len(names) for names in long}) == 1 else []
