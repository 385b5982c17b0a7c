"""Tables, in the words of both databases: {int}, {bytes} and {real} are types."""

from __future__ import annotations

FORMAT = 3  # of the tables; older ones are migrated, a newer one is refused
OLDEST = 2  # that can be migrated; 1 was never released
ENDED = (  # sessions of the page that were left, until they would have expired
    "CREATE TABLE IF NOT EXISTS ended_sessions (nonce TEXT PRIMARY KEY, until {real} NOT NULL)"
)

TABLES = (
    "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    # One row: whoever writes locks it, so that events have one order and one chain.
    "CREATE TABLE IF NOT EXISTS head (id {int} PRIMARY KEY, seq {int} NOT NULL, hash {bytes} NOT NULL)",
    # The truth.
    "CREATE TABLE IF NOT EXISTS events (seq {int} PRIMARY KEY, pid TEXT NOT NULL, kind TEXT NOT NULL, "
    "at TEXT NOT NULL, key {bytes}, body TEXT NOT NULL, hash {bytes} NOT NULL)",
    "CREATE UNIQUE INDEX IF NOT EXISTS events_key ON events (key) WHERE key IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS events_pid ON events (pid, seq)",
    # Names that identify are here and nowhere else, with the salt of a person's idempotency keys: erasing sets both to
    # NULL.
    "CREATE TABLE IF NOT EXISTS people (pid TEXT PRIMARY KEY, name TEXT UNIQUE, status TEXT NOT NULL, grp TEXT, "
    "start TEXT, enrolled TEXT NOT NULL, salt {bytes})",
    # Derived from events: one row a decision, for exports and pages.
    "CREATE TABLE IF NOT EXISTS decisions (pid TEXT NOT NULL, number {int} NOT NULL, seq {int} NOT NULL, "
    "time TEXT NOT NULL, day TEXT NOT NULL, arm {int} NOT NULL, probability {real} NOT NULL, "
    "probabilities TEXT NOT NULL, available TEXT NOT NULL, reason TEXT, fallback TEXT, version {int} NOT NULL, "
    "scheduled {int} NOT NULL, delivery TEXT, delivered TEXT, reward {real}, missing TEXT, rewarded TEXT, "
    "corrected {int} NOT NULL, PRIMARY KEY (pid, number))",
    # Caches: the state of a person after event `revision`, under a version of the study.
    "CREATE TABLE IF NOT EXISTS snapshots (pid TEXT PRIMARY KEY, revision {int} NOT NULL, version {int} NOT NULL, "
    "state {bytes} NOT NULL)",
    "CREATE TABLE IF NOT EXISTS tokens (id TEXT PRIMARY KEY, hash {bytes} NOT NULL, role TEXT NOT NULL, "
    "label TEXT NOT NULL, created TEXT NOT NULL, expires TEXT NOT NULL, revoked TEXT)",
    ENDED,
)

# What leads from a format to the next one.
MIGRATIONS = {
    2: (ENDED, "DELETE FROM snapshots"),  # caches, which now have the start of a person: the log makes them again
}

INSERTS = {
    "events": "INSERT INTO events (seq, pid, kind, at, key, body, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
    "people": "INSERT INTO people (pid, status, grp, start, enrolled) VALUES (?, ?, ?, ?, ?)",
    "decisions": "INSERT INTO decisions (pid, number, seq, time, day, arm, probability, probabilities, available, "
    "reason, fallback, version, scheduled, corrected) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
    "status": "UPDATE people SET status = ? WHERE pid = ?",
    # Given at enrolment and taken at erasure by one statement, so that a batch may erase a name and give it again.
    "name": "UPDATE people SET name = ?, salt = ? WHERE pid = ?",
    "delivery": "UPDATE decisions SET delivery = ?, delivered = ? WHERE pid = ? AND number = ?",
    "reward": "UPDATE decisions SET reward = ?, missing = ?, rewarded = ? WHERE pid = ? AND number = ?",
    "correction": "UPDATE decisions SET reward = ?, missing = ?, rewarded = ?, corrected = corrected + 1 "
    "WHERE pid = ? AND number = ?",
    # Never an older state over a newer one, whichever server is slower.
    "snapshots": "INSERT INTO snapshots (pid, revision, version, state) VALUES (?, ?, ?, ?) ON CONFLICT (pid) DO "
    "UPDATE SET revision = excluded.revision, version = excluded.version, state = excluded.state "
    "WHERE excluded.revision > snapshots.revision OR excluded.version > snapshots.version",
}  # in the order in which a batch writes them
