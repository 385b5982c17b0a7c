"""What an arm's rewards say about (theta, x0): evidence, fit, confidence region, upper bound, posterior.

contract.py            the laws that every belief defines; read it first
history.py             fit, divergence and upper bound of data that are already there: rb.fit and its companions

States that are clipped lines in x0:
lines.py               the contract, exact and of constant cost once arms have settled
on_line.py             what it shares with a posterior over such states
evidence.py            the personal arrays: sums of settled rewards, and early ones one by one
adding.py              adds a reward to them
pool.py, pool_laws.py  sums of early rewards; surfaces.py: as functions of theta and x0
blocks.py              a few weighted states in place of many early rewards
nodes.py               Chebyshev nodes on which settled rewards are summed
settled_numeric.py     settled rewards of families given by `loglik` alone; early_numeric.py: early ones
compact.py             the numbers that are worth storing
fit.py                 the maximum-likelihood fit; grid_search.py: that of families given by `loglik` alone
strip_groups.py        bounds of the log-likelihood over many strips of x0 at once
local_fit.py           the fit with the information around it
from_fit.py            the divergence from the fit

Confidence regions of these:
radius.py              the radius of each rule: tuned, theorem, adaptive, likelihood ratio
region.py              the region, and laws of all regions
edge.py                where it ends along theta
level_curve.py         points with a given mean, and their distance from the region
profile.py             the upper bound where the mean depends on theta alone
x0_pieces.py           pieces of x0 on which a search is smooth
upper_bound.py         the largest mean inside
elimination.py         arms whose upper bound cannot be the largest; boxes.py: a proof by branch and bound
likelihood_region.py   regions by likelihood ratios; likelihood_bounds.py: their ends; mixture.py: the mixture

Posteriors, from which Thompson sampling draws:
posterior.py           the contract; marginal.py: how it is tabulated; basis.py: log-likelihoods as sums
curves.py              theta is an unknown curve: Gaussian posterior; curve_posterior.py, curve_shapes.py: its parts
steps.py               a rotting curve with jumps
on_curve.py            what the last two share

bank/                  unknown dynamics: weighted hypotheses
play_log/              dynamics without a closed form
"""
