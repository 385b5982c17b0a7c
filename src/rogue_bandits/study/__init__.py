"""A study that runs: one file of settings, an append-only log of events, an HTTP API and commands.

The study file:

    file.py        study.toml, its form              arms.py           its arms
    template.py    what `rogue study init` writes    fitted_people.py  dynamics of each person, from `rogue fit`
    design.py      the file as arms, policy, limits  faults.py         refusals of pydantic in words
    checking.py    all faults of a file at once      served.py         what differs from the version that is served
    versions.py    what may change under way

The log, and what it makes of people:

    events.py      what the log holds                storage/          the log in SQLite and PostgreSQL, one contract
    person.py      one person's state                transitions.py    decide, learn, rebuild: no storage, no clock
    loading.py     people from the log               residents.py      people in memory
    batch.py       one transaction of many requests  writer.py         the thread that commits batches
    operations/    enrol, decide, reward, correct …  queries/          what pages and exports read
    futures.py     answers for an event loop         clock.py          the server's clock
    nightly.py     asks for the updates of nights    service.py        all of these together

What any protocol needs:

    requests.py    requests as they come, checked    fields.py         fields of requests, in words
    bulk.py        many rows in one request          answers.py        decisions as they are answered
    roles.py       who may do what                   problems.py       refusals by kind; protocols have statuses
    access.py      valid tokens, too many failures   tokens.py         tokens, stored as hashes
    export.py      one row a decision                metrics.py        numbers for Prometheus
    warm_up.py     before the first request          error_log.py      errors in the log, without their messages

HTTP, which nothing but serving.py imports:

    api/           FastAPI                           client.py         the same from Python
    page/          the page for staff and auditors   serving.py        starts what `rogue serve` serves
    demo.py        simulated people, by the client

What is done with a log:

    replay.py      makes every decision again        derived.py        derived tables, folded again and compared
    backup.py      a copy while it runs              wcls.py           the effect of a message, from an export

The log is the truth. A person's state is a fold over that person's events (`transitions.apply`), live as in a replay.
"""
