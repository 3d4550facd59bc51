"""Reports on trees, for the subject report."""
