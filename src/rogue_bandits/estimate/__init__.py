"""Fit people from a CSV file: who got which message when, and what followed."""
