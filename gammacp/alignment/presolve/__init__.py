"""Presolve: identical units merged, what is too dense thinned out or pooled."""
