"""HTML report and plots."""
