"""One person, or many, online: choose, record, learn, save.

bandit.py       Bandit, for one person
population.py   Population, for many
kernels.py      the compiled steps, and the arrays that they change
engine.py       what all people of one problem and one policy share
checks.py       checks of arguments; availability.py: which arms are available
decisions.py    Decisions, what a population returns
explanation.py  Explanation, what is known of the arms
personal.py     the arrays of people: join, replace, enlarge; room.py: of one person, as long as they need to be
snapshot.py     a person as bytes; text.py: as JSON
"""
