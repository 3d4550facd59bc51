"""Presolve: identical units merged, crowds thinned out or pooled, before a solver sees them."""
