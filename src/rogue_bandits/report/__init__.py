"""Reports: files, figures, pages and terminal tables.

`report.experiment` presents experiments and theory, `report.cohort` presents fitted people. Neither imports the other;
both use `html`, `plotting` and `terminal`.
"""
