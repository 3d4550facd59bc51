"""The studio: a page on this machine to drop exports on, review, and take a gold standard home."""
