"""Fit people from a CSV file: who got which message when, and what followed.

reading/          files into columns of numbers
table.py          columns into rows; assemble.py: rows into a cohort; history.py: what that is
notes.py          repairs and other notes on the data; gaps.py: long gaps
data.py           what the statistics take from a cohort
ladder/           the models of an arm and their comparison
fit.py            fits a cohort; resume.py: with a checkpoint on disk
cautions.py       where a fit is not to be relied on; rests.py: no rest shows recovery;
                  dependence.py: sendings that follow rewards; other_explanations.py: both, for verdicts
weighted.py       effects by the probabilities of the randomisation, without a model
fitted.py         fits as plain data; files.py: people.json
population.py     fitted people as a Population
advise.py         rogue advise; next_decision.py: the covariates of the next decision
arm_draws.py      arms for each draw from the posterior
ahead.py          the value of sending now; later.py: of the states after a plan
"""
