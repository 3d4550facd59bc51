"""File formats, one module each, one registry."""
