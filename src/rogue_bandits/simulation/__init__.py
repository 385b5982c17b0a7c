"""People × decisions: play a policy against a truth.

simulate.py      rb.simulate; stream.py: rb.simulate_curves, for so many people that no trace is kept
compare.py       rb.compare; measured.py: a mean with its standard error
kernels.py       the compiled loop
conditions.py    late and missing rewards, and arms that are not available
broken_laws.py   errors for what user code returned
trace.py         Trace; trace_file.py, trace_figure.py: as a file, as a figure; frames.py: as a pandas table
off_policy.py    rb.off_policy_value, from a log.py; replay.py: goes through it again
"""
