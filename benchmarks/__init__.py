"""What a decision costs: against the naive method, against other libraries, and against what is required.

`python -m benchmarks` runs every measurement once and prints the table that the README shows. Each file here is one
family of measurements; `measure.py` has the arithmetic, `results.py` what is measured, `table.py` how it is shown.
"""
