"""Inference for dynamics without a closed form: states that are vectors, and user-defined dynamics.

evidence.py        the play log, stored until the first state is forgotten; rewards
trajectory.py      states at all rewards, from one x0 or from a box of them
boxes.py           branch and bound: the open boxes
fit.py             maximum-likelihood fit, by branch and bound where the family allows it
concave.py         maximum of the log-likelihood in a box, and a bound of it
local_fit.py       the fit with the information around it; the divergence of a point from it
upper_bound.py     the largest mean inside the radius, by branch and bound where the family allows it
relaxation.py      linear inequalities that hold in the part of the region in a box, with their proof
cuts.py            the largest mean under these inequalities
ascent.py          points inside the radius with larger means
pattern_search.py  fit and upper bound by search, for all other families
region.py          the laws of a region
contract.py        the Belief contract
"""
