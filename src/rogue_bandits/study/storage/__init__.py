"""The log and what is derived from it, in SQLite and in PostgreSQL, behind one contract."""
