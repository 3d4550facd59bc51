"""The best alignment: candidates, solvers, Alignment with its certificate."""
