"""What is wrong with values that pydantic refuses, in words: the place, what is allowed, and the value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LONGEST = 60  # characters of a value that is shown
ALLOWED = {
    "missing": "is missing",
    "extra_forbidden": "is not a name that is known here",
    "string_type": "must be text",
    "string_too_short": "must have {min_length} characters or more",
    "string_too_long": "must have {max_length} characters or fewer",
    "string_unicode": "must be valid Unicode",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be a table of names and values",
    "model_type": "must be a table of names and values",
    "model_attributes_type": "must be an object, as JSON",
    "greater_than": "must be above {gt}",
    "greater_than_equal": "must be {ge} or more",
    "less_than": "must be below {lt}",
    "less_than_equal": "must be {le} or less",
    "too_short": "must have {min_length} or more entries",
    "too_long": "must have {max_length} or fewer entries",
    "literal_error": "must be {expected}",
    "timezone_aware": "must have an offset from UTC, as 2026-03-01T08:00:00+01:00 has",
    "datetime_type": "must be a time such as 2026-03-01T08:00:00+01:00",
    "datetime_parsing": "must be a time such as 2026-03-01T08:00:00+01:00",
    "datetime_from_date_parsing": "must be a time such as 2026-03-01T08:00:00+01:00",
    "datetime_object_invalid": "must be a time such as 2026-03-01T08:00:00+01:00",
    "json_invalid": "is no JSON: {error}",
}
WITHOUT_VALUE = ("missing", "json_invalid", "extra_forbidden")


def fault_in_words(fault: Any, patterns: Mapping[str, str]) -> str:
    """Return a fault that pydantic found, with its place and the value; `patterns` says in words what they allow.

    >>> fault_in_words({"loc": ("arms", 1, "name"), "msg": "Field required", "type": "missing", "input": {}}, {})
    'arms[1].name: is missing'
    >>> fault_in_words({"loc": ("days",), "msg": "", "type": "less_than", "input": 9, "ctx": {"lt": 8}}, {})
    'days: must be below 8, not 9'
    """
    plain = not isinstance(fault["input"], dict | list) and fault["type"] not in WITHOUT_VALUE
    value = f", not {shown(fault['input'])}" if plain else ""
    return f"{place_of(fault['loc']) or 'it'}: {allowed(fault, patterns)}{value}"


def allowed(fault: Any, patterns: Mapping[str, str]) -> str:
    """Return what is allowed at the place of a fault."""
    about: Mapping[str, Any] = fault.get("ctx") or {}
    if fault["type"] == "string_pattern_mismatch":
        return f"must be {patterns.get(about['pattern'], 'text of another form')}"
    if fault["type"] == "value_error":  # of a validator of our own, which says what must be
        return str(about["error"])
    if fault["type"] in ALLOWED:
        return ALLOWED[fault["type"]].format(**about)
    message: str = fault["msg"]
    return message[:1].lower() + message[1:]


def place_of(loc: Any) -> str:
    r"""Return a place as it is written; names that a request has made up are shown as values are.

    >>> place_of(("body", "rewards", 2, "value")), place_of(("body", chr(0xD800)))
    ('body.rewards[2].value', "body.'\\ud800'")
    """
    return "".join(f"[{part}]" if isinstance(part, int) else f".{named(part)}" for part in loc).lstrip(".")


def named(part: str) -> str:
    """Return a name as it is, if it can be printed and is short."""
    return part if part.isprintable() and len(part) <= LONGEST else shown(part)


def shown(value: Any) -> str:
    """Return a value as the answer to a request shows it: short, and without characters that cannot be printed.

    >>> shown("a b"), shown("x" * 100)[-9:]
    ("'a b'", 'xxxxxxxx…')
    """
    text = repr(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
