"""The page for the people who run a study: HTML made on the server, mounted at /page.

    app.py       the routes               sessions.py     signed cookies, CSRF tokens
    access.py    who is signed in         headers.py      content security policy and its companions
    sign_in.py   in and out               html.py         templates
    people.py    everybody                person.py       one of them
    study.py     the study as a whole     audit.py        export, the log and its chain
    next_choice.py  what is known of each message, and the sentence on the next one
    attention.py what alerts mean         projection.py   wear-out and recovery
    charts.py    tables that are drawn    words.py        numbers and times for readers
    numbers.py   over the whole study     recent.py, explanations.py  results that are used again for a while

Every chart is a table that a script of the page draws, so that the two cannot differ. `static/vendor` has htmx and
uPlot with their licences; nothing is loaded from another host.
"""
