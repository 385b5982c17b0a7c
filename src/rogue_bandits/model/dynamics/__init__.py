"""Dynamics of the state of an arm."""
