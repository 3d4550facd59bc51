"""Experiments of anybody's: found, run, and held against the claims that are made of them."""
