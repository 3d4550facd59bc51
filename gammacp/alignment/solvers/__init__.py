"""The solvers behind one contract; see `registry`."""
