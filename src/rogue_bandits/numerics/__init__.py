"""Numerical routines that do not depend on bandits."""
