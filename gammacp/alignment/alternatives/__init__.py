"""Other alignments that are as good as the best one, or nearly so: listed and counted."""
