"""A study that runs: one file of settings, an append-only log of events, an HTTP API and commands.

The study:

    file.py        study.toml, its form              arms.py        its arms
    design.py      the file as arms, policy, limits  fitted_people.py  dynamics of each person, from `rogue fit`
    checking.py    all faults of a file at once      served.py      what differs from the version that is served
    versions.py    what may change under way         faults.py      refusals of pydantic in words
    events.py      what the log holds                storage/       the log in SQLite and PostgreSQL, one contract
    person.py      one person's state                transitions.py  decide, learn, rebuild: no storage, no clock
    batch.py       one transaction of many requests  writer.py      the thread that commits batches
    operations/    enrol, decide, reward, correct …  service.py     all of these together
    queries/       what pages and exports read       replay.py      makes every decision again and compares
    nightly.py     asks for the updates of nights    error_log.py   errors in the log, without their messages

What any protocol needs, and those of HTTP, which nothing but serving.py imports:

    fields.py      fields of requests, in words      problems.py    refusals by kind; each protocol has its statuses
    access.py      tokens, roles, too many failures  export.py      one row a decision, as CSV or Parquet
    api/           FastAPI                           client.py      the same from Python
    page/          the page for staff and auditors   serving.py     starts what `rogue serve` serves

The log is the truth. A person's state is a fold over that person's events (`transitions.apply`), live as in a replay.
"""
