"""Inference where the state is no clipped line in x0, but has to be walked to: vectors, and dynamics of one's own.

evidence.py   the trail of plays, kept until the first state is forgotten; rewards
walk.py       from one x0, or from a whole box of them, to the states of all rewards
fit.py        the best (theta, x0), by branch and bound where the family allows it
centre.py     the fit with the information around it; how far a point is from it
bound.py      the largest mean inside the radius, by branch and bound where the family allows it
look.py       both by search, for every other family
"""
