"""Bearer tokens: random, stored as hashes, with a role and an expiry."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import datetime, timedelta
from typing import NamedTuple

from rogue_bandits.study.roles import ROLES
from rogue_bandits.study.storage.sql import Reader, Transaction

PREFIX = "rogue"
ID_BYTES, SECRET_BYTES = 6, 32


class Token(NamedTuple):
    """What is stored of a token."""

    id: str
    hash: bytes
    role: str
    label: str
    created: str
    expires: str
    revoked: str | None


def issue(tx: Transaction, role: str, label: str, now: str, days: float) -> str:
    """Store a new token and return its text, which is shown once and stored nowhere."""
    if role not in ROLES:
        raise ValueError(f"role '{role}' must be one of {', '.join(ROLES)}")
    name, secret = secrets.token_hex(ID_BYTES), secrets.token_urlsafe(SECRET_BYTES)
    expires = (datetime.fromisoformat(now) + timedelta(days=days)).isoformat()
    tx.execute(
        "INSERT INTO tokens (id, hash, role, label, created, expires) VALUES (?, ?, ?, ?, ?, ?)",
        (name, digest(secret), role, label, now, expires),
    )
    return f"{PREFIX}_{name}_{secret}"


def revoke(tx: Transaction, name: str, now: str) -> bool:
    """Revoke a token by its id; return whether there is one that was valid."""
    found = bool(tx.rows("SELECT id FROM tokens WHERE id = ? AND revoked IS NULL", (name,)))
    tx.execute("UPDATE tokens SET revoked = ? WHERE id = ? AND revoked IS NULL", (now, name))
    return found


def all_tokens(reader: Reader) -> list[Token]:
    """Return all tokens, the newest last."""
    sql = "SELECT id, hash, role, label, created, expires, revoked FROM tokens ORDER BY created, id"
    return [Token(row[0], bytes(row[1]), *row[2:]) for row in reader.rows(sql)]


def digest(secret: str) -> bytes:
    """Return the hash of a secret. It is random and long, so that a slow hash would add nothing."""
    return hashlib.sha256(secret.encode()).digest()


def matching(tokens: dict[str, Token], text: str, now: str) -> Token | None:
    """Return the token of a text if it is valid now; the comparison takes the same time whatever is wrong."""
    _, _, rest = text.partition("_")
    name, _, secret = rest.partition("_")
    token = tokens.get(name)
    right = hmac.compare_digest(digest(secret), token.hash if token is not None else bytes(32))
    return token if token is not None and right and is_valid(token, now) else None


def is_valid(token: Token, now: str) -> bool:
    """Return whether a token has neither expired nor been revoked."""
    return token.revoked is None and datetime.fromisoformat(now) < datetime.fromisoformat(token.expires)
