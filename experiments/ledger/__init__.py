"""Experiments of the papers: found, run, and held against what the papers claim."""
