"""Inference where the state is no clipped line in x0, but has to be walked to: vectors, and dynamics of one's own.

evidence.py   the trail of plays, kept until the first state is forgotten; rewards
walk.py       from one x0, or from a whole box of them, to the states of all rewards
boxes.py      branch and bound: the boxes that are open
fit.py        the best (theta, x0), by branch and bound where the family allows it …
concave.py    … with the top of the log-likelihood in a box, and a bound of it
centre.py     the fit with the information around it; how far a point is from it
bound.py      the largest mean inside the radius, by branch and bound where the family allows it …
relaxed.py    … with what a box can hold of the region as linear inequalities, and the proof
cuts.py       … with the largest mean under these inequalities
ascend.py     … and points inside the radius, ever better ones
look.py       both by search, for every other family
answers.py    what policies ask of a region …
knowledge.py  … and of what is known, answered from a trail
"""
