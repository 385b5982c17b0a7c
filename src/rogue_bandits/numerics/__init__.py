"""Numerical routines that know nothing of bandits."""
