"""Who may do what: the roles of tokens, and which of them each action is for."""

from __future__ import annotations

from rogue_bandits.study.problems import Kind, RequestProblem

ROLES = {
    "app": "enrols people, asks for decisions, reports deliveries and rewards",
    "staff": "all of that, corrections, pauses, withdrawals, erasure, updates, the page and the export",
    "auditor": "reads: people, decisions, versions, the export",
}
ROLES_BY_ACTION = {
    "enrol": ("app", "staff"),
    "change status": ("staff",),
    "decide": ("app", "staff"),  # now, ahead, or for many people
    "deliver": ("app", "staff"),
    "reward": ("app", "staff"),
    "correct": ("staff",),
    "update": ("staff",),
    "read person": ("app", "staff", "auditor"),
    "read decision": ("app", "staff", "auditor"),
    "list decisions": ("staff", "auditor"),
    "explain": ("staff", "auditor"),
    "list versions": ("staff", "auditor"),
    "export": ("staff", "auditor"),
    "verify": ("staff", "auditor"),
    "use the page": ("staff", "auditor"),
}


def is_allowed(role: str, action: str) -> bool:
    """Return whether a role may do something.

    >>> is_allowed("app", "decide"), is_allowed("auditor", "decide")
    (True, False)
    """
    return role in ROLES_BY_ACTION[action]


def raise_unless_allowed(role: str, action: str, words: str = "do this") -> None:
    """Raise the problem role-not-allowed unless a role may do something."""
    if not is_allowed(role, action):
        allowed = " or ".join(ROLES_BY_ACTION[action])
        raise RequestProblem(Kind.NOT_ALLOWED, "role-not-allowed",
                             f"a token with role {role} may not {words}: {allowed}")  # fmt: skip
