"""Options that several commands share, each group declared once."""
