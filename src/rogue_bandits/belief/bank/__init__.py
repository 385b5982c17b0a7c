"""Beliefs about arms whose dynamics are unknown: a bank of weighted hypotheses.

evidence.py    the personal arrays, and the first bank
likelihood.py  sums over rewards under every hypothesis, with theta integrated out; agent_likelihood.py and
               exponential_likelihood.py for the two kinds of families, tables.py what all people share
replay.py      states through rests and plays
moves.py       resample and move
kinds.py       no effect, wear-out without recovery, with recovery
runs.py        hypotheses that pooling weighs together
pooling.py     levels, losses and kinds, pooled over the arms of a person
check.py       a test of the model, reward by reward, with a stated rate of false alarms
summary.py     weights, levels and half-lives, for people to read
belief.py      the laws of the Belief contract, and draws
"""
