"""Sweeps of trees, for the subject bench."""
