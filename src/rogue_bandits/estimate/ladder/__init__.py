"""The ladder of models of an arm: constant, fade, wear-out without recovery, wear-out with recovery.

task.py              what is fitted; panel.py: its rewards with what came before each
families.py          reward families; laws.py, logliks.py: their distributions; noise.py: the noise before a fit
population.py        fits one model by maximum marginal likelihood; laplace.py: the marginal likelihood;
                     first_values.py: where the search starts
grids.py             half-lives that are tried; half_lives.py: draws and intervals of them
compare.py           chooses the rung; predict.py: held-out likelihoods
evidence.py          probabilities of the rungs
floor.py             whether losses have a floor
posterior.py         draws from the posterior; importance.py: importance weights; level_shift.py: of rare rewards
levels.py            what rewards say of the level of each person
arms_together.py     levels of all arms of a person as one; crossed_effects.py: their draws;
                     crossed_levels.py, crossed_spreads.py: means and variances
people_draws.py      draws of people; averaging.py: over the rungs
check.py             the posterior-predictive check
arm.py               all of this for one arm
reported.py          what is reported; summary.py: rewards; cost.py: of one sending;
                     result.py: as plain data
points.py, priors.py  an arm as simulations take it; the population as a prior
"""
