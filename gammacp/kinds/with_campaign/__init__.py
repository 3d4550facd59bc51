"""Kinds of differences in comparisons of annotators."""
