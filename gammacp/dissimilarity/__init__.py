"""Dissimilarities between two units: positional, categorial, combined."""
