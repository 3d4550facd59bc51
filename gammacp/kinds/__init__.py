"""Kinds of differences between annotators: the errors of the shuffling tool, read backwards."""
