"""Presolve: identical units merged, what is too dense thinned out, categories alone pooled."""
