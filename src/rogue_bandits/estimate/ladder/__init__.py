"""The ladder of models of an arm: constant, fade, wear-out without recovery, wear-out with recovery.

`panel` has the data of an arm, `grids` the half-lives that are tried, `laws` the distributions of rewards; `population`
fits one model by Laplace's method, `predict` computes held-out likelihoods, `compare` chooses the rung, `families` the
law. `posterior` draws what follows, `half_lives` and `importance` are parts of it; `evidence` has probabilities of the
rungs, `summary` what is reported.
"""
