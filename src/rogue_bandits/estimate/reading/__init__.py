"""Read the tables that trials have: CSV, xlsx, Parquet; names, numbers, times and covariates in their columns.

`sources` opens a file and leaves the columns that are wanted as text; the other modules turn one kind of column into
numbers each. Every choice is made by the whole column, and every error names the row and the column.
"""
