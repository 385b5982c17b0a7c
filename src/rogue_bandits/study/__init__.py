"""A study that runs: one file of settings, an append-only log of events, an HTTP API and commands.

    file.py        study.toml, its form              arms.py        its arms
    design.py      the file as arms, policy, limits  fitted_people.py  dynamics of each person, from `rogue fit`
    checking.py    all faults of a file at once      served.py      what differs from the version that is served
    versions.py    what may change under way         faults.py      refusals of pydantic in words
    events.py      what the log holds                storage/       the log in SQLite and PostgreSQL, one contract
    person.py      one person's state                transitions.py  decide, learn, rebuild: no storage, no clock
    batch.py       one transaction of many requests  writer.py      the thread that commits batches
    operations/    enrol, decide, reward, correct …  service.py     all of these together
    queries/       what pages and exports read       replay.py      makes every decision again and compares
    access.py      tokens, roles, too many failures  problems.py    kinds of refusals, which protocols have a status for
    nightly.py     asks for the updates of nights    error_log.py   errors in the log, without their messages
    api/           FastAPI                           client.py      the same from Python
    page/          the page for staff and auditors   serving.py     starts what `rogue serve` needs

The log is the truth. A person's state is a fold over that person's events (`transitions.apply`), live as in a replay.
"""
