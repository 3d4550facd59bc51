"""Primal heuristics: good alignments quickly, without a bound."""
